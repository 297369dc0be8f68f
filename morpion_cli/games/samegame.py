"""SameGame, Clickomania and Bubble Breaker as a fast engine on bit planes.

A tile's colour is 1 to 15, and 0 is no tile. Column x has a word for each bit of the colour, in which bit y, from the
bottom, belongs to the tile at that height; so "where is the next column of the same colour" is a handful of logical
operations for a whole column, and groups are never kept. *Anchors* are: tiles with a neighbour of their colour above or
to the right, and none below or to the left. Every group has at least one, and most have no more. A playout draws an
anchor, finds its group, and accepts it with one chance in as many as the group has anchors: that is uniform over the
groups.

Move, a non-negative int: the lowest tile of the group's first column, with what names it for learned policies:

    bits 0-3    size of the group, at most 15
    bits 4-7    colour
    bits 8-13   height y
    bits 14-19  column x

Without the gaps between columns that is also its code. How a game counts is data of the instance, not compiled in.
"""

import functools

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from morpion_cli.grid.samegame import EMPTY, TILES, Board, Click
from morpion_cli.kernel.bits import population, trailing_zeros
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


def grid_move(puzzle: Board, move: int) -> Click:
    """Return an engine's move in the frame of the grid files."""
    return Click(move >> 14, puzzle.height - 1 - ((move >> 8) & 63))


@functools.cache  # two games of one name would be compiled twice
def make(width: int, height: int, planes: int) -> Game:
    """Return the engine for boards of a size, with colours of so many bits."""
    name = f"samegame-{width}x{height}-{planes}"
    most_groups = max(1, width * height // 2)
    dtype = np.dtype(
        [
            ("planes", "u8", ((width + 1) * planes,)),  # with an empty column at the end
            ("counts", "i8", (COLORS,)),  # tiles of each colour
            ("rules", "i8", (_RULES,)),
            ("points", "i8"),
            ("width", "i8"),  # columns that are not empty
            ("anchors", "u8", (width,)),
            ("n_anchors", "i8"),
            ("n_moves", "i8"),  # or _NOT_LISTED
            ("moves", "i4", (most_groups,)),
            # Scratch, not part of the position; `group` is all zero between two calls.
            ("unlisted", "u8", (width,)),
            ("group", "u8", (width,)),
        ],
        align=True,
    )
    own = inner_of(name)
    one = uint64(1)

    @own
    def occupied(state, x):
        tiles = state.planes[x * planes]
        for p in range(1, planes):
            tiles |= state.planes[x * planes + p]
        return tiles

    @own
    def of_color(state, x, color):
        """Return where column x has that colour, which is not 0."""
        tiles = ~uint64(0)
        for p in range(planes):
            tiles &= state.planes[x * planes + p] ^ (uint64((color >> p) & 1) - one)
        return tiles

    @own
    def color_at(state, x, y):
        color = int64(0)
        for p in range(planes):
            color |= int64((state.planes[x * planes + p] >> uint64(y)) & one) << p
        return color

    @own
    def find_anchors(state, first, last):
        """Renew state.anchors after a change in the columns first..last."""
        tiles, anchors = state.planes, state.anchors
        first = max(first - 1, 0)
        last = min(last + 1, state.width - 1)
        left = uint64(0)  # tiles of the same colour as the one to their left
        if first > 0:
            for p in range(planes):
                left |= tiles[(first - 1) * planes + p] ^ tiles[first * planes + p]
            left = ~left & occupied(state, first)
        for x in range(first, last + 1):
            present = uint64(0)
            above = uint64(0)
            right = uint64(0)
            for p in range(planes):
                word = tiles[x * planes + p]
                present |= word
                above |= word ^ (word >> one)
                right |= word ^ tiles[(x + 1) * planes + p]  # there is an empty column to the right of the last
            above = ~above & present & (present >> one)
            right = ~right & present
            state.n_anchors -= population(anchors[x])
            anchors[x] = (above | right) & ~left & ~(above << one)
            state.n_anchors += population(anchors[x])
            left = right

    @own
    def rise(tiles, same):
        """Return the runs of `same` that hold a bit of `tiles`, which are in it."""
        grown = (tiles | (tiles << one) | (tiles >> one)) & same
        while grown != tiles:
            tiles = grown
            grown = (tiles | (tiles << one) | (tiles >> one)) & same
        return tiles

    @own
    def fill(state, x, seed, color, group):
        """Set group[first..last] to the tiles of a group that holds `seed` in column x; return (first, last, size).

        The rest of `group` is and stays zero.
        """
        first = x
        last = x
        group[x] = rise(seed, of_color(state, x, color))
        again = True
        while again:
            again = False
            column = first
            while column + 1 < state.width:  # to the right
                same = of_color(state, column + 1, color)
                found = group[column + 1] | (group[column] & same)
                if found != group[column + 1]:
                    group[column + 1] = rise(found, same)
                    last = max(last, column + 1)
                elif column >= last:
                    break
                column += 1
            column = last
            while column > 0:  # and to the left
                same = of_color(state, column - 1, color)
                found = group[column - 1] | (group[column] & same)
                if found != group[column - 1]:
                    group[column - 1] = rise(found, same)
                    again = again or group[column - 1] != found  # tiles that the column to the right has not met
                    first = min(first, column - 1)
                elif column <= first:
                    break
                column -= 1
        size = int64(0)
        for column in range(first, last + 1):
            size += population(group[column])
        return first, last, size

    @own
    def remove(state, first, last, size, color):
        """Remove the tiles of state.group and clear it; what is above falls, and empty columns go."""
        tiles, anchors, group = state.planes, state.anchors, state.group
        emptied = int64(0)
        for x in range(first, last + 1):
            gone = group[x]
            group[x] = 0
            while gone != 0:
                low = gone & (~gone + one)
                run = (gone + low) & ~gone  # the bit above the lowest run of ones
                length = uint64(trailing_zeros(int64(run)) - trailing_zeros(int64(low)))
                under = low - one
                for p in range(planes):
                    word = tiles[x * planes + p]
                    tiles[x * planes + p] = (word & under) | ((word >> length) & ~under)
                gone = (gone & ~(run - one)) >> length
            emptied += int64(occupied(state, x) == 0)
        if emptied > 0:
            kept = first
            for x in range(first, state.width):
                if x <= last and occupied(state, x) == 0:
                    state.n_anchors -= population(anchors[x])
                else:
                    for p in range(planes):
                        tiles[kept * planes + p] = tiles[x * planes + p]
                    anchors[kept] = anchors[x]
                    kept += 1
            for x in range(kept, state.width):
                anchors[x] = 0
                for p in range(planes):
                    tiles[x * planes + p] = 0
            state.width = kept
        rules = state.rules
        state.points += rules[0] * size * size + rules[1] * size + rules[2]
        state.counts[color] -= size
        state.n_moves = _NOT_LISTED
        find_anchors(state, first, last - emptied)

    @own
    def encode(x, y, color, size):
        return (int64(x) << 14) | (int64(y) << 8) | (color << 4) | min(size, int64(15))

    @own
    def without(state, x, tabu):
        """Return the anchors of column x of other colours than `tabu`."""
        return state.anchors[x] if tabu == _NO_COLOR else state.anchors[x] & ~of_color(state, x, tabu)

    @own
    def random_game(state, stream, line, depth, tabu, epsilon):
        """Play to the end, the groups of colour `tabu` only where there is no other, or they are one group.

        With chance `epsilon` a move is any.
        """
        group = state.group
        while state.n_anchors > 0:
            total = state.n_anchors
            barred = int64(_NO_COLOR)
            bars = tabu != _NO_COLOR and not (epsilon > 0.0 and uniform(stream) < epsilon)
            if bars and not is_one_group(state, tabu):
                others = int64(0)
                for x in range(state.width):
                    others += population(without(state, x, tabu))
                if others > 0:
                    total, barred = others, tabu
            while True:
                r = below(stream, total)
                x = int64(0)
                word = without(state, x, barred)
                count = population(word)
                while r >= count:
                    r -= count
                    x += 1
                    word = without(state, x, barred)
                    count = population(word)
                while r > 0:
                    word &= word - one
                    r -= 1
                bit = word & (~word + one)
                color = color_at(state, x, trailing_zeros(int64(bit)))
                first, last, size = fill(state, x, bit, color, group)
                ways = int64(0)  # anchors that stand for this group
                for column in range(first, last + 1):
                    ways += population(group[column] & state.anchors[column])
                if ways == 1 or below(stream, ways) == 0:
                    break
                for column in range(first, last + 1):
                    group[column] = 0
            line[depth] = encode(first, trailing_zeros(int64(group[first])), color, size)
            depth += 1
            remove(state, first, last, size, color)
        state.n_moves = 0
        return depth

    @own
    def is_one_group(state, color):
        """Tell whether all tiles of a colour are one group, or there are none."""
        group = state.group
        for x in range(state.width):
            tiles = of_color(state, x, color)
            if tiles != 0:
                first, last, size = fill(state, x, tiles & (~tiles + one), color, group)
                for column in range(first, last + 1):
                    group[column] = 0
                return size == state.counts[color]
        return True

    def playout(state, stream, line, depth):
        return random_game(state, stream, line, depth, int64(_NO_COLOR), 0.0)

    def tiles_of_color(state, color):
        return state.counts[color]

    def tabu_playout(state, stream, line, depth, color, epsilon):
        return random_game(state, stream, line, depth, color, epsilon)

    def n_moves(state):
        if state.n_moves == _NOT_LISTED:
            left, group = state.unlisted, state.group
            for x in range(state.width):
                left[x] = state.anchors[x]
            n = int64(0)
            for x in range(state.width):
                while left[x] != 0:
                    bit = left[x] & (~left[x] + one)
                    color = color_at(state, x, trailing_zeros(int64(bit)))
                    first, last, size = fill(state, x, bit, color, group)
                    state.moves[n] = encode(first, trailing_zeros(int64(group[first])), color, size)
                    n += 1
                    for column in range(first, last + 1):
                        left[column] &= ~group[column]
                        group[column] = 0
            state.n_moves = n
        return state.n_moves

    def move(state, i):
        return int64(state.moves[i])

    def code(state, move):
        return (((move >> 14) * height + ((move >> 8) & 63)) << 8) | (move & 255)

    def play(state, move):
        group = state.group
        color = (move >> 4) & 15
        first, last, size = fill(state, move >> 14, one << uint64((move >> 8) & 63), color, group)
        remove(state, first, last, size, color)

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
        for i in range(width * planes):
            target.planes[i] = source.planes[i]
        for x in range(width):
            target.anchors[x] = source.anchors[x]
        target.n_anchors = source.n_anchors
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
        for i in range(width * planes):
            value = (value ^ state.planes[i]) * uint64(0xD6E8FEB86659FD93)
            value ^= value >> uint64(32)
        return (value ^ uint64(state.points)) * uint64(0xD6E8FEB86659FD93)

    def init(state, instance):
        for i in range(width * planes):
            state.planes[i] = 0
        for color in range(COLORS):
            state.counts[color] = 0
        for i in range(_RULES):
            state.rules[i] = instance[i]
        for x in range(width):
            state.group[x] = 0
            state.anchors[x] = 0
        state.n_anchors = 0
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
                        state.planes[x * planes + p] |= uint64((color >> p) & 1) << uint64(y)
        find_anchors(state, int64(0), state.width - 1)

    functions = named(init, n_moves, move, play, score, copy, code, position_hash)
    functions |= named(playout, tiles_of_color, tabu_playout)
    return Game(name, dtype, most_groups, most_groups, width * height << 8, functions)
