"""Morpion Solitaire, variants 5T, 5D, 4T and 4D, as a fast engine on bit rows.

Board: a torus of 32 x 32 points, y down, so that a game may go on in any direction. It is the plane as long as some
n - 1 columns in a row and some n - 1 rows in a row have no dot, for lines of n points: no line goes across them, and no
two points of the board that are the same one here are near enough to matter. A game without them is thrown away.

A *lane* is a straight row of points in one of the four directions, all modulo 32; per lane, one 32-bit word says which
positions hold a dot (`dots`) and one which positions may still be the first point of a line (`starts`):

    direction   step      lane              position
    0  H        (1, 0)    y                 x
    1  V        (0, 1)    32 + x            y
    2  DP       (1, -1)   64 + (x + y)      x
    3  DN       (1, 1)    96 + (x - y)      x

Move, an unsigned int of 32 bits:

    bits 27-31  position of the line's first point
    bits 20-26  its lane
    bits 5-14   cell of the new dot: y << 5 | x
    bits 3-4    direction
    bits 0-2    index of the new dot on the line

so two lines conflict exactly when their lanes are equal and their positions differ, modulo 32, by at most
`n - 1 - overlap`; and the low 15 bits, which name the new dot and its line, are the move's code.
"""

import functools
from collections.abc import Iterable

import numpy as np
from numba import float32, int64, uint32, uint64
from numpy.typing import NDArray

from morpion_cli.grid.morpion import Move, Variant
from morpion_cli.kernel import vectors
from morpion_cli.kernel.bits import rotated, trailing_zeros
from morpion_cli.kernel.compiling import inner_of
from morpion_cli.kernel.game import NOT_WANTED, Game, named
from morpion_cli.kernel.random import below, weighted

SIDE = 32
_LANES = 4 * SIDE
N_CODES = 1 << 15
# A line position enters the list once, when its points hold all dots but one. So the list, dead moves included, is
# never longer than the number of line positions on the board.
_LIST = 4 * SIDE * SIDE
_AT_ONCE = 16  # moves in a vector
_STARTS = 8  # room for the lines of one direction through a dot, in a vector
_ALL_STARTS = 4 * _STARTS
_MAX_LENGTH = SIDE * SIDE  # each move puts a dot
_NONE = -1  # in place of a cell, a move, or how many there are in a list not made yet
_LINE = 0xFFF << 20  # the bits of a move that tell its line's lane and position
_CELL = (SIDE * SIDE - 1) << 5
_X = (SIDE - 1) << 5  # of a move's cell
_Y = (SIDE - 1) << 10

DTYPE = np.dtype(
    [
        ("dots", "u4", (_LANES,)),
        ("starts", "u4", (_LANES,)),
        ("moves", "u4", (_LIST + _ALL_STARTS,)),  # with room to write more than is meant
        ("n_moves", "i8"),
        ("length", "i8"),
        # Scratch of an ordered playout, not part of the position.
        ("waiting", "i2", (SIDE * SIDE,)),  # for each cell 0, or 1 + a wanted move that waits for its dot
        ("following", "i2", (_MAX_LENGTH,)),  # the next one that waits for the same dot
        ("ready", "i2", (_MAX_LENGTH,)),  # wanted moves that have become legal, the first last
        ("open_starts", "u4", (_LANES,)),  # the first points of the lines that may be drawn now
    ],
    align=True,
)

_DIRECTIONS = ("H", "V", "DP", "DN")
_STEPS = ((1, 0), (0, 1), (1, -1), (1, 1))


def _outline(points: int) -> list[tuple[int, int]]:
    """Return the dots of the starting cross, its box from (0, 0): the border points of a plus."""
    low, high, far = points - 2, 2 * points - 4, 3 * (points - 2)
    plus = {(x, y) for x in range(far + 1) for y in range(far + 1) if low <= x <= high or low <= y <= high}
    inside = {(x, y) for x, y in plus if all((x + i, y + j) in plus for i in (-1, 0, 1) for j in (-1, 0, 1))}
    return sorted(plus - inside)


def board_offset(points: int) -> int:
    """Return the board coordinate, on both axes, of the corner of the cross's box."""
    return (SIDE - (3 * (points - 2) + 1)) // 2


def _completions(points: int) -> np.ndarray:
    """Return, for each window of 2n - 1 positions around a new dot, the line starts that lack exactly one dot."""
    full = (1 << points) - 1
    table = np.zeros(1 << (2 * points - 1), np.uint8)
    for window in range(len(table)):
        for start in range(points):
            if ((window >> start) & full).bit_count() == points - 1:
                table[window] |= 1 << start
    return table


def _new_moves(completions: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return, for each direction, window and line start, what `place` makes the move of that fills the line's gap.

    It is the move's lowest bits, and in place of those of its cell the step to it from the new dot, as in `steps`.
    """
    table = np.zeros((len(_STEPS), len(completions), _STARTS), np.uint32)
    for direction, window, start in np.ndindex(table.shape):
        if completions[window] >> start & 1:
            gap = next(i for i in range(_STARTS) if not window >> (start + i) & 1)
            table[direction, window, start] = steps[direction * 16 + start + gap] | direction << 3 | gap
    return table.reshape(-1)


@functools.cache  # two games of one name would be compiled twice
def make(variant: Variant) -> Game:
    """Return the engine of a variant."""
    name = f"morpion-{variant.name}"
    own = inner_of(name)
    points = variant.points
    reach = points - 1  # positions on each side of a new dot that a line through it can use
    radius = points - 1 if variant.disjoint else points - 2  # starts this close on one lane conflict
    window_mask = (1 << (2 * points - 1)) - 1
    line_mask = (1 << points) - 1
    # Which first points stay possible beside a line whose own is 0.
    no_conflict = np.uint32(sum(1 << position for position in range(radius + 1, SIDE - radius)))
    completions = _completions(points)
    n_windows = len(completions)
    offset = board_offset(points)
    # For each direction and place in the window around a dot, the step from the dot's cell to it, as `moved` takes it.
    steps = np.array(
        [
            ((place - reach) * dx % SIDE) << 5 | ((place - reach) * dy % SIDE) << 16
            for dx, dy in _STEPS
            for place in range(16)
        ],
        np.int64,
    )
    new_moves = _new_moves(completions, steps)
    first_points = np.array([(start - reach) % SIDE << 27 for _ in _STEPS for start in range(_STARTS)], np.uint32)

    @own
    def moved(name, step):
        """Return the bits of a cell in a move, moved by a step of `steps` from that of the move `name`."""
        apart = ((name & _X) | ((name & _Y) << 6)) + step  # each coordinate with room for a carry
        return (apart & _X) | ((apart >> 6) & _Y)

    @own
    def place(state, cell, n):
        """Put a dot, append the moves that it makes possible to the n in the list, and return the new n."""
        dots, starts, moves = state.dots, state.starts, state.moves
        x = cell & 31
        y = (cell >> 5) & 31
        lane1 = 32 | x
        lane2 = 64 | ((x + y) & 31)
        lane3 = 96 | ((x - y) & 31)
        row0 = uint32(dots[y] | uint32(1 << x))
        row1 = uint32(dots[lane1] | uint32(1 << y))
        row2 = uint32(dots[lane2] | uint32(1 << x))
        row3 = uint32(dots[lane3] | uint32(1 << x))
        dots[y] = row0
        dots[lane1] = row1
        dots[lane2] = row2
        dots[lane3] = row3
        window0 = rotated(row0, x - reach) & window_mask
        window1 = rotated(row1, y - reach) & window_mask
        window2 = rotated(row2, x - reach) & window_mask
        window3 = rotated(row3, x - reach) & window_mask
        found = int64(completions[window0]) & rotated(starts[y], x - reach)
        found |= (int64(completions[window1]) & rotated(starts[lane1], y - reach)) << 8
        found |= (int64(completions[window2]) & rotated(starts[lane2], x - reach)) << 16
        found |= (int64(completions[window3]) & rotated(starts[lane3], x - reach)) << 24
        # The moves of all lines through the dot are made, and those found are taken.
        rows = (
            window0 * _STARTS,
            (n_windows + window1) * _STARTS,
            (2 * n_windows + window2) * _STARTS,
            (3 * n_windows + window3) * _STARTS,
        )
        lines = ((y << 20) | (x << 27), (lane1 << 20) | (y << 27), (lane2 << 20) | (x << 27), (lane3 << 20) | (x << 27))
        apart = vectors.load_each(new_moves, rows, _STARTS)
        apart += vectors.spread(((x << 5) | (y << 16),), apart)  # as in `moved`
        named = apart & vectors.spread((_X | 31,), apart)
        named |= vectors.lowered(apart, 6) & vectors.spread((_Y,), apart)
        named |= vectors.spread(lines, apart) + vectors.load(first_points, 0, _ALL_STARTS)
        return vectors.append(moves, n, named, found)

    @own
    def draw(state, move):
        """Draw a move's line, and no more."""
        state.starts[(move >> 20) & 127] &= uint32(rotated(no_conflict, -(move >> 27)))

    @own
    def stays(move, other):
        """Return 1 if a legal move stays so when another is played, else 0."""
        ahead = uint32((other & _LINE) - ((move & _LINE) - (radius << 27)))  # in the high bits the positions
        return int64((other ^ move) & _CELL != 0) & int64(rotated(ahead, 27) > 2 * radius)

    @own
    def which_stay(move, some):
        """Return flags for a vector of moves, as `stays`."""
        apart = (some ^ vectors.spread((move,), some)) & vectors.spread((_CELL,), some)
        lines = some & vectors.spread((_LINE,), some)
        ahead = lines - vectors.spread(((move & _LINE) - (radius << 27),), some)
        return vectors.nonzero(apart) & vectors.above(vectors.turned(ahead, 27), vectors.spread((2 * radius,), some))

    def play(state, move):
        moves = state.moves
        draw(state, move)
        n = int64(state.n_moves)
        kept = int64(0)
        i = int64(0)
        while i < n:
            some = vectors.load(moves, i, _AT_ONCE)
            are_moves = (1 << min(n - i, int64(_AT_ONCE))) - 1
            kept = vectors.append(moves, kept, some, which_stay(move, some) & are_moves)
            i += _AT_ONCE
        state.n_moves = place(state, (move >> 5) & 1023, kept)
        state.length += 1

    @own
    def is_legal(state, move):
        """Tell whether a move that once was is still legal."""
        cell = (move >> 5) & 1023
        may_start = state.starts[(move >> 20) & 127] >> uint32(move >> 27)
        return may_start & ~(state.dots[cell >> 5] >> uint32(cell & 31)) & uint32(1)

    @own
    def awaited(state, move):
        """Return the cell of a dot that a move lacks beside its own, or _NONE."""
        gap = move & 7
        lacking = ~rotated(state.dots[(move >> 20) & 127], move >> 27) & line_mask & ~(int64(1) << gap)
        if lacking == 0:
            return int64(_NONE)
        return moved(move, steps[((move & 24) << 1) + trailing_zeros(lacking) - gap + reach]) >> 5

    @own
    def put(state, cell):
        """Put a dot, and no more."""
        dots = state.dots
        x = cell & 31
        y = (cell >> 5) & 31
        dots[y] |= uint32(1 << x)
        dots[32 | x] |= uint32(1 << y)
        dots[64 | ((x + y) & 31)] |= uint32(1 << x)
        dots[96 | ((x - y) & 31)] |= uint32(1 << x)

    @own
    def list_moves(state):
        """List the legal moves, whatever the list held; return how many."""
        dots, starts, open_starts, moves = state.dots, state.starts, state.open_starts, state.moves
        for lane in range(_LANES):
            one = uint32(0)  # lacks one dot or more
            two = uint32(0)
            for i in range(points):
                lacks = uint32(~rotated(dots[lane], i))
                two |= one & lacks
                one |= lacks
            open_starts[lane] = one & ~two & starts[lane]
        n = int64(0)
        for lane in range(_LANES):
            found = int64(open_starts[lane])
            while found != 0:
                first = trailing_zeros(found)
                found &= found - 1
                gap = trailing_zeros(~rotated(dots[lane], first))
                at = (first + gap) & 31
                if lane < 32:
                    cell = (lane << 5) | at
                elif lane < 64:
                    cell = (at << 5) | (lane & 31)
                elif lane < 96:
                    cell = (((lane - at) & 31) << 5) | at
                else:
                    cell = (((at - lane) & 31) << 5) | at
                moves[n] = uint32((first << 27) | (lane << 20) | (cell << 5) | ((lane >> 5) << 3) | gap)
                n += 1
        return n

    def wish(state, move):
        return move

    @own
    def wake(state, wanted, cell, n_ready):
        """Have the wanted moves looked at again that wait for the dot of a cell; return how many are ready."""
        waiting, following, ready = state.waiting, state.following, state.ready
        waits = int64(waiting[uint64(cell)])
        while waits != 0:
            hope = waits - 1
            waits = int64(following[uint64(hope)])
            lacking = awaited(state, int64(wanted[uint64(hope)]))
            if lacking == _NONE:
                to = n_ready
                while to > 0 and int64(ready[uint64(to - 1)]) < hope:
                    ready[uint64(to)] = ready[uint64(to - 1)]
                    to -= 1
                ready[uint64(to)] = hope
                n_ready += 1
            else:
                following[uint64(hope)] = waiting[uint64(lacking)]
                waiting[uint64(lacking)] = hope + 1
        return n_ready

    @own
    def is_in(wishes, n, move):
        """Tell whether a move is among the first n of some wishes."""
        found = False
        for i in range(uint64(n)):
            found |= int64(wishes[i]) == move
        return found

    @own
    def other_move(state, order, n_wanted, stream):
        """Return a random legal move that is not wanted nor forgotten, or _NONE; the list of moves is overwritten."""
        moves = state.moves
        n = list_moves(state)
        while n > 0:
            i = uint64(below(stream, n))
            move = int64(moves[i])
            n -= 1
            moves[i] = moves[uint64(n)]
            if not is_in(order.wanted, n_wanted, move) and not is_in(order.forgotten, order.n_forgotten, move):
                return move
        return int64(_NONE)

    def ordered_playout(state, order, n_wanted, other_at, stream, line):
        # The same chances as the protocol's. No list of legal moves is kept as long as wanted ones can be played. One
        # that cannot waits for a dot that it lacks, and is looked at again when that dot comes.
        moves, wanted, forgotten = state.moves, order.wanted, order.forgotten
        played, held = order.played, order.held
        waiting, following, ready = state.waiting, state.following, state.ready
        for cell in range(SIDE * SIDE):
            waiting[cell] = 0
        length = uint64(0)
        turn = uint64(0)
        while turn < uint64(other_at):  # nothing stands in the way of these but that they lack a dot
            move = int64(wanted[turn])
            turn += uint64(1)
            if move == NOT_WANTED:
                continue
            lacking = awaited(state, move)
            if lacking == _NONE:
                line[length] = move
                played[length] = move
                length += uint64(1)
                draw(state, move)
                put(state, (move >> 5) & 1023)
            else:
                following[turn - uint64(1)] = waiting[uint64(lacking)]
                waiting[uint64(lacking)] = turn
        due = other_at < n_wanted
        n = int64(_NONE)  # moves in the list, once it is made; dead ones as in a playout
        n_ready = int64(0)
        n_forgotten = int64(order.n_forgotten)
        n_held = uint64(0)  # forgotten moves that have been drawn from the list
        while True:
            if due:
                due = False
                move = other_move(state, order, n_wanted, stream)
                if move == _NONE:
                    continue
            elif n_ready > 0:
                n_ready -= 1
                move = int64(wanted[uint64(ready[uint64(n_ready)])])
            elif turn < uint64(n_wanted):
                move = int64(wanted[turn])
                turn += uint64(1)
                if move == NOT_WANTED:
                    continue
                lacking = awaited(state, move)
                if lacking != _NONE:
                    following[turn - uint64(1)] = waiting[uint64(lacking)]
                    waiting[uint64(lacking)] = turn
                    continue
            else:
                if n == _NONE:
                    n = list_moves(state)
                if n == 0:
                    if n_held == uint64(0):
                        break
                    for i in range(n_held):
                        moves[i] = held[i]
                    n = int64(n_held)
                    n_held = uint64(0)
                    n_forgotten = int64(0)
                drawn = below(stream, n)
                n -= 1
                move = int64(moves[uint64(drawn)])
                moves[uint64(drawn)] = moves[uint64(n)]
                if is_in(forgotten, n_forgotten, move):
                    held[n_held] = uint32(move)
                    n_held += uint64(1)
                    continue
            if not is_legal(state, move):
                continue
            line[length] = move
            played[length] = move
            length += uint64(1)
            draw(state, move)
            cell = (move >> 5) & 1023
            if n == _NONE:
                put(state, cell)
            else:
                n = place(state, cell, n)
            n_ready = wake(state, wanted, cell, n_ready)
        state.n_moves = 0
        state.length += int64(length)
        return int64(length)

    def softmax_playout(state, exponentials, trace, stream):
        # The list of legal moves is one of numbers, straight in the trace; a weight is looked up once, when its move
        # becomes legal.
        moves, line = state.moves, trace.line
        numbers, numbered, births, sums = trace.numbers, trace.numbered, trace.births, trace.sums
        length = int64(0)
        n_numbered = int64(0)
        here = int64(0)  # where the numbers of this step begin
        n = int64(0)
        n_new = int64(state.n_moves)
        total = float32(0.0)
        while True:
            for i in range(n_new):
                move = int64(moves[i])
                exponential = exponentials[move & (N_CODES - 1)]
                numbers[uint64(here + n)] = n_numbered
                numbered[n_numbered].code = move & (N_CODES - 1)
                numbered[n_numbered].move = uint32(move)
                numbered[n_numbered].exponentials[0] = 0.0
                numbered[n_numbered].exponentials[1] = exponential
                births[n_numbered] = length
                n_numbered += 1
                total += exponential
                sums[uint64(n)] = total
                n += 1
            if n == 0:
                break
            chosen = numbers[uint64(here + weighted(stream, sums, n))]
            move = int64(numbered[chosen].move)
            line[length] = move
            trace.chosen[length] = chosen
            trace.counts[length] = n
            length += 1
            draw(state, move)
            n_new = place(state, (move >> 5) & 1023, 0)
            there = here + n
            n = int64(0)
            total = float32(0.0)
            for i in range(here, there):
                number = numbers[uint64(i)]
                legal = stays(move, int64(numbered[number].move))
                numbers[uint64(there + n)] = number
                total += numbered[number].exponentials[legal]
                sums[uint64(n)] = total
                n += legal
            here = there
        trace.length = length
        trace.n_numbered = n_numbered
        state.n_moves = 0
        state.length += length

    outline = np.array([(y + offset) * SIDE + x + offset for x, y in _outline(points)], np.int64)

    def init(state, instance):
        for lane in range(_LANES):
            state.dots[lane] = 0
            state.starts[lane] = 0xFFFFFFFF
        n = int64(0)
        for i in range(len(outline)):
            n = place(state, outline[i], n)
        kept = 0
        for i in range(n):  # drop the moves onto points that a later dot of the cross has taken
            cell = (int64(state.moves[i]) >> 5) & 1023
            state.moves[kept] = state.moves[i]
            kept += int64((int64(state.dots[cell >> 5]) >> (cell & 31)) & 1 == 0)
        state.n_moves = kept
        state.length = 0

    def truncated(state):
        columns = uint32(0)
        rows = uint32(0)
        for i in range(SIDE):
            columns |= state.dots[i]
            rows |= state.dots[32 + i]
        near_columns = near_rows = int64(0)  # from which less than n - 1 free ones follow
        for i in range(points - 1):
            near_columns |= rotated(columns, i)
            near_rows |= rotated(rows, i)
        return (near_columns == 0xFFFFFFFF) | (near_rows == 0xFFFFFFFF)

    return Game(
        name,
        DTYPE,
        _MAX_LENGTH,
        _LIST,
        N_CODES,
        named(
            init,
            n_moves,
            move,
            play,
            score,
            copy,
            code,
            position_hash,
            wish,
            ordered_playout,
            softmax_playout,
            outcome_hash,
            truncated,
        ),
    )


def n_moves(state):
    return state.n_moves


def move(state, i):
    return int64(state.moves[i])


def score(state):
    return state.length


def code(state, move):
    return move & (N_CODES - 1)


def copy(target, source):
    for lane in range(_LANES):
        target.dots[lane] = source.dots[lane]
    for lane in range(_LANES):
        target.starts[lane] = source.starts[lane]
    for i in range(source.n_moves):
        target.moves[i] = source.moves[i]
    target.n_moves = source.n_moves
    target.length = source.length


def position_hash(state):
    value = uint64(0x9E3779B97F4A7C15)
    for y in range(SIDE):
        value = (value ^ uint64(state.dots[y])) * uint64(0xD6E8FEB86659FD93)
        value ^= value >> uint64(32)
    for lane in range(_LANES):
        value = (value ^ uint64(state.starts[lane])) * uint64(0xD6E8FEB86659FD93)
        value ^= value >> uint64(32)
    return value


def outcome_hash(state):
    # Of the dots alone: each set of dots can be drawn in some 18 ways, which bring nothing new.
    value = uint64(0x9E3779B97F4A7C15)
    for y in range(SIDE):
        value = (value ^ uint64(state.dots[y])) * uint64(0xD6E8FEB86659FD93)
        value ^= value >> uint64(32)
    return value


def load(puzzle: Variant) -> tuple[Game, NDArray[np.int64]]:
    """Return the engine of a variant, which needs no more to start."""
    return make(puzzle), np.zeros(0, np.int64)


def grid_moves(puzzle: Variant, line: Iterable[int], before: Iterable[Move] = ()) -> tuple[Move, ...]:
    """Return engine moves in the frame of the grid files; `before` are the moves that the game begins with."""
    offset = board_offset(puzzle.points)
    line = [int(move) for move in line]
    dots = [(x + offset, y + offset) for x, y in _outline(puzzle.points)]
    dots += [(move.x + offset, move.y + offset) for move in before]
    dots += [((move >> 5) & 31, (move >> 10) & 31) for move in line]
    corner_x, corner_y = (_corner({dot[axis] % SIDE for dot in dots}, offset) for axis in (0, 1))
    return tuple(
        Move(
            corner_x + (((move >> 5) & 31) - offset - corner_x) % SIDE,
            corner_y + (((move >> 10) & 31) - offset - corner_y) % SIDE,
            _DIRECTIONS[(move >> 3) & 3],
            move & 7,
        )
        for move in line
    )


def _corner(used: set[int], offset: int) -> int:
    """Return where the box of a game begins on one axis, in the frame of the grid files, by the coordinates it uses.

    It is the one after the longest run of those that have no dot.
    """

    def free_before(coordinate: int) -> int:
        return next(n for n in range(SIDE) if (coordinate - 1 - n) % SIDE in used)

    first = max(sorted(used), key=free_before)
    return -((offset - first) % SIDE)
