"""SameGame, Clickomania and Bubble Breaker as a fast engine on vectors of columns.

A tile's colour is 1 to 15, and 0 is no tile. For each bit of the colour there is a *plane*: a vector with a column of
bits for each column of the board, bit y of which belongs to the tile at height y, from the bottom. So "where is the
next column of the same colour" is a handful of operations for a whole board, and groups are never kept. *Anchors* are:
tiles with a neighbour of their colour above or to the right, and none below or to the left. Every group has at least
one, and most have no more. A playout draws an anchor, finds its group, and accepts it with one chance in as many as the
group has anchors: that is uniform over the groups.

Move, a non-negative int: the lowest tile of the group's first column, with what names it for learned policies:

    bits 0-3    size of the group, at most 15
    bits 4-7    colour
    bits 8-13   height y
    bits 14-19  column x

Without the gaps between columns that is also its code. How a game counts is data of the instance, not compiled in.
"""

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import int64, uint16, uint32, uint64
from numpy.typing import NDArray

from morpion_cli.grid.samegame import EMPTY, TILES, Board, Click
from morpion_cli.kernel import vectors
from morpion_cli.kernel.compiling import inner_of
from morpion_cli.kernel.game import COLORS, Game, named
from morpion_cli.kernel.random import below, uniform

_NOT_LISTED = -1
_NO_COLOR = 0
# The instance: rules first, then the colours of column 0 from the bottom, column 1, ...
_RULES = 5  # a, b, c, bonus, penalty


def load(puzzle: Board) -> tuple[Game, NDArray[np.int64]]:
    """Return the engine for boards of this size, and the board."""
    s = puzzle.scoring
    tiles = [
        0 if row[x] == EMPTY else TILES.index(row[x]) + 1 for x in range(puzzle.width) for row in reversed(puzzle.rows)
    ]
    colors = max(tiles)
    return make(puzzle.width, puzzle.height, max(1, colors.bit_length())), np.array(
        [s.a, s.b, s.c, s.bonus, s.penalty, *tiles], np.int64
    )


def grid_moves(puzzle: Board, line: Iterable[int], _before: Iterable[Click]) -> tuple[Click, ...]:
    """Return engine moves in the frame of the grid files."""
    return tuple(Click(int(move) >> 14, puzzle.height - 1 - ((int(move) >> 8) & 63)) for move in line)


@functools.cache  # two games of one name would be compiled twice
def make(width: int, height: int, planes: int) -> Game:
    """Return the engine for boards of a size, with colours of so many bits."""
    name = f"samegame-{width}x{height}-{planes}"
    most_groups = max(1, width * height // 2)
    bits = next(bits for bits in (16, 32, 64) if height <= bits)
    columns = max(64 // bits, 1 << (width - 1).bit_length())
    dtype = np.dtype(
        [
            ("planes", f"u{bits // 8}", (planes * columns,)),
            ("counts", "i8", (COLORS,)),  # tiles of each colour
            ("rules", "i8", (_RULES,)),
            ("points", "i8"),
            ("width", "i8"),  # columns that are not empty
            ("n_moves", "i8"),  # or _NOT_LISTED
            ("moves", "i4", (most_groups,)),
            ("touched", f"u{bits // 8}", (columns,)),  # scratch of `play`, not part of the position
        ],
        align=True,
    )
    own = inner_of(name)
    type_of_column: Any = {16: uint16, 32: uint32, 64: uint64}[bits]

    @own
    def planes_of(state):
        """Return four planes, of which those that the board has not are zero, and vanish from the machine code."""
        first = vectors.load(state.planes, int64(0), columns)
        none = first ^ first
        second = vectors.load(state.planes, int64(columns), columns) if planes > 1 else none
        third = vectors.load(state.planes, int64(2 * columns), columns) if planes > 2 else none
        fourth = vectors.load(state.planes, int64(3 * columns), columns) if planes > 3 else none
        return first, second, third, fourth

    @own
    def keep_planes(state, tiles):
        vectors.store(state.planes, int64(0), tiles[0])
        if planes > 1:
            vectors.store(state.planes, int64(columns), tiles[1])
        if planes > 2:
            vectors.store(state.planes, int64(2 * columns), tiles[2])
        if planes > 3:
            vectors.store(state.planes, int64(3 * columns), tiles[3])

    @own
    def of_color(tiles, color):
        """Return where that colour is, which is not 0."""
        a, b, c, d = tiles
        # -1 is all ones: a plane is turned over where the colour has a zero.
        same = a ^ vectors.spread(((color & 1) - 1,), a)
        same &= b ^ vectors.spread(((color >> 1 & 1) - 1,), a)
        same &= c ^ vectors.spread(((color >> 2 & 1) - 1,), a)
        return same & (d ^ vectors.spread(((color >> 3 & 1) - 1,), a))

    @own
    def color_at(tiles, bit):
        a, b, c, d = tiles
        color = int64(not vectors.is_empty(a & bit))
        color |= int64(not vectors.is_empty(b & bit)) << 1
        color |= int64(not vectors.is_empty(c & bit)) << 2
        return color | (int64(not vectors.is_empty(d & bit)) << 3)

    @own
    def neighbors(tiles):
        """Return the tiles that have one of their colour above, those that have one to the right, and the anchors."""
        a, b, c, d = tiles
        present = a | b | c | d
        above = (a ^ vectors.down(a)) | (b ^ vectors.down(b)) | (c ^ vectors.down(c)) | (d ^ vectors.down(d))
        above = present & ~above & vectors.down(present)
        right = (a ^ vectors.left(a)) | (b ^ vectors.left(b)) | (c ^ vectors.left(c)) | (d ^ vectors.left(d))
        right = present & ~right
        return above, right, (above | right) & ~vectors.up(above) & ~vectors.right(right)

    @own
    def spread(group, above, right):
        """Return the tiles of `group` and their neighbours of the same colour."""
        group |= vectors.up(group & above) | (vectors.down(group) & above)
        return group | vectors.right(group & right) | (vectors.left(group) & right)

    @own
    def group_of(bit, above, right):
        """Return the group of one tile, or some places and the groups of all that are tiles."""
        group = spread(bit, above, right)
        grown = spread(group, above, right)
        while not vectors.is_empty(grown ^ group):
            group = spread(grown, above, right)
            grown = spread(group, above, right)
        return group

    @own
    def lowered(plane, kept):
        return (plane & kept) | (vectors.down(plane) & ~kept)

    @own
    def without(state, tiles, group, size, color):
        """Count a group of the state and return the planes without it; what is above falls, and empty columns go."""
        a, b, c, d = tiles
        while not vectors.is_empty(group):  # the lowest of each column at once
            kept = vectors.under(group)
            a, b, c, d = lowered(a, kept), lowered(b, kept), lowered(c, kept), lowered(d, kept)
            group = vectors.down(group ^ vectors.lowest(group))
        rules = state.rules
        state.points += rules[0] * size * size + rules[1] * size + rules[2]
        state.counts[color] -= size
        state.n_moves = _NOT_LISTED
        if vectors.n_filled(a | b | c | d) == state.width:
            return a, b, c, d
        keep_planes(state, (a, b, c, d))
        squeeze(state)
        return planes_of(state)

    @own
    def squeeze(state):
        """Move columns to the left, over empty ones."""
        tiles = state.planes
        kept = int64(0)
        for x in range(state.width):
            present = tiles[x]
            for p in range(1, planes):
                present |= tiles[p * columns + x]
            if present != 0:
                for p in range(planes):
                    tiles[p * columns + kept] = tiles[p * columns + x]
                kept += 1
        for x in range(kept, state.width):
            for p in range(planes):
                tiles[p * columns + x] = 0
        state.width = kept

    @own
    def encode(group, color, size):
        place = vectors.first_bit(group)
        return (place // bits << 14) | (place % bits << 8) | (color << 4) | min(size, int64(15))

    @own
    def allowed(state, tiles, above, right, anchors, tabu):
        """Return the anchors of other colours than `tabu`; all of them if there is no other, or it is one group."""
        if is_one_group(state, tiles, above, right, tabu):
            return anchors
        others = anchors & ~of_color(tiles, tabu)
        return anchors if vectors.is_empty(others) else others

    @own
    def random_game(state, stream, line, depth, tabu, epsilon):
        """Play to the end, the groups of colour `tabu` only where there is no other, or they are one group.

        With chance `epsilon` a move is any.
        """
        tiles = planes_of(state)
        while True:
            above, right, anchors = neighbors(tiles)
            if vectors.is_empty(anchors):
                break
            choice = anchors
            if tabu != _NO_COLOR and not (epsilon > 0.0 and uniform(stream) < epsilon):
                choice = allowed(state, tiles, above, right, anchors, tabu)
            total = vectors.population_of(choice)
            while True:
                bit = vectors.lone_bit(vectors.nth_bit(choice, below(stream, total)), anchors)
                group = group_of(bit, above, right)
                alike = group & anchors  # anchors that stand for this group
                if vectors.is_empty(alike ^ bit) or below(stream, vectors.population_of(alike)) == 0:
                    break
            size = vectors.population_of(group)
            color = color_at(tiles, bit)
            line[depth] = encode(group, color, size)
            depth += 1
            tiles = without(state, tiles, group, size, color)
        keep_planes(state, tiles)
        state.n_moves = 0
        return depth

    @own
    def is_one_group(state, tiles, above, right, color):
        """Tell whether all tiles of a colour are one group, or there are none."""
        same = of_color(tiles, color)
        if vectors.is_empty(same):
            return True
        group = group_of(vectors.lone_bit(vectors.first_bit(same), same), above, right)
        return vectors.population_of(group) == state.counts[color]

    def playout(state, stream, line, depth):
        return random_game(state, stream, line, depth, int64(_NO_COLOR), 0.0)

    def tiles_of_color(state, color):
        return state.counts[color]

    def tabu_playout(state, stream, line, depth, color, epsilon):
        return random_game(state, stream, line, depth, color, epsilon)

    @own
    def list_groups(state, tiles, above, right, anchors, n):
        """Append the groups of these anchors to the n in the list; return how many it then has."""
        while not vectors.is_empty(anchors):
            bit = vectors.lone_bit(vectors.first_bit(anchors), anchors)
            group = group_of(bit, above, right)
            state.moves[n] = encode(group, color_at(tiles, bit), vectors.population_of(group))
            n += 1
            anchors &= ~group
        return n

    @own
    def list_moves(state):
        if state.n_moves == _NOT_LISTED:
            tiles = planes_of(state)
            above, right, anchors = neighbors(tiles)
            state.n_moves = list_groups(state, tiles, above, right, anchors, int64(0))
        return state.n_moves

    def n_moves(state):
        return list_moves(state)

    def allowed_moves(state, color):
        n = list_moves(state)
        if color == _NO_COLOR:
            return n
        moves = state.moves
        others = int64(0)  # of another colour, which come first
        for i in range(n):
            move = moves[i]
            moves[i] = moves[others]
            moves[others] = move
            others += int64((move >> 4) & 15 != color)
        if others == 0:
            return n
        if others == n - 1:
            tiles = planes_of(state)
            above, right, _ = neighbors(tiles)
            if is_one_group(state, tiles, above, right, color):
                return n
        return others

    def move(state, i):
        return int64(state.moves[i])

    def code(state, move):
        return (((move >> 14) * height + ((move >> 8) & 63)) << 8) | (move & 255)

    def play(state, move):
        n, filled = state.n_moves, state.width
        tiles = planes_of(state)
        above, right, _ = neighbors(tiles)
        bit = vectors.lone_bit((move >> 14) * bits + ((move >> 8) & 63), above)
        group = group_of(bit, above, right)
        tiles = without(state, tiles, group, vectors.population_of(group), (move >> 4) & 15)
        keep_planes(state, tiles)
        if n == _NOT_LISTED or state.width != filled:
            return
        # Groups that reach into what has changed, before or now, are listed anew; the others are as they were.
        changed = ~vectors.under(group)
        touched = group_of(changed, above, right)
        above, right, anchors = neighbors(tiles)
        touched |= group_of(changed, above, right)
        vectors.store(state.touched, int64(0), touched)
        moves = state.moves
        kept = int64(0)
        for i in range(n):
            other = moves[i]
            moves[kept] = other
            kept += int64((int64(state.touched[other >> 14]) >> ((other >> 8) & 63)) & 1 == 0)
        state.n_moves = list_groups(state, tiles, above, right, anchors & touched, kept)

    def score(state):
        rules = state.rules
        if state.width == 0:
            return state.points + rules[3]
        value = state.points
        if rules[4] != 0:
            for color in range(1, COLORS):
                left = max(state.counts[color] - 2, 0)
                value -= left * left
        return value

    def copy(target, source):
        for i in range(columns * planes):
            target.planes[i] = source.planes[i]
        for color in range(COLORS):
            target.counts[color] = source.counts[color]
        for i in range(_RULES):
            target.rules[i] = source.rules[i]
        target.points = source.points
        target.width = source.width
        target.n_moves = source.n_moves
        for i in range(source.n_moves):
            target.moves[i] = source.moves[i]

    def position_hash(state):
        value = uint64(0x9E3779B97F4A7C15)
        for i in range(columns * planes):
            value = (value ^ uint64(state.planes[i])) * uint64(0xD6E8FEB86659FD93)
            value ^= value >> uint64(32)
        return (value ^ uint64(state.points)) * uint64(0xD6E8FEB86659FD93)

    def init(state, instance):
        for i in range(columns * planes):
            state.planes[i] = 0
        for color in range(COLORS):
            state.counts[color] = 0
        for i in range(_RULES):
            state.rules[i] = instance[i]
        state.points = 0
        state.width = 0
        state.n_moves = _NOT_LISTED
        for x in range(width):
            for y in range(height):
                color = instance[_RULES + x * height + y]
                if color != 0:
                    state.width = x + 1
                    state.counts[color] += 1
                    for p in range(planes):
                        state.planes[p * columns + x] |= type_of_column(((color >> p) & 1) << y)

    functions = named(init, n_moves, move, play, score, copy, code, position_hash)
    functions |= named(playout, tiles_of_color, tabu_playout, allowed_moves)
    return Game(name, dtype, most_groups, most_groups, width * height << 8, functions)
