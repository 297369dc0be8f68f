"""Morpion Solitaire, variants 5T, 5D, 4T and 4D, as a fast engine on bit rows.

Board: 32 x 32 points, y down, the cross in the middle. A *lane* is a straight row of points in one of the four
directions; per lane, one 32-bit word says which positions hold a dot (`dots`) and one which positions may still be the
first point of a line (`starts`):

    direction   step      lane              position
    0  H        (1, 0)    y                 x
    1  V        (0, 1)    32 + x            y
    2  DP       (1, -1)   64 + x + y        x
    3  DN       (1, 1)    159 + x - y       x

Move, a non-negative int of 28 bits:

    bits 15-27  key: lane << 5 | position of the line's first point
    bits 5-14   cell of the new dot: y << 5 | x
    bits 3-4    direction
    bits 0-2    index of the new dot on the line

so two lines conflict exactly when their keys differ by at most `n - 1 - overlap`, and the low 15 bits, which name the
new dot and its line, are the move's code.
"""

import functools

import numpy as np
from numba import float32, int64, uint32, uint64
from numpy.typing import NDArray

from morpion_cli.grid.morpion import Move, Variant
from morpion_cli.kernel.bits import trailing_zeros
from morpion_cli.kernel.compiling import inline
from morpion_cli.kernel.game import Game, named
from morpion_cli.kernel.random import below, close_stream, open_stream, scale, stepped, weighted, word_of

SIDE = 32
_LANES = 191
N_CODES = 1 << 15
# A line position enters the list once, when its points hold all dots but one. So the list, dead moves included, is
# never longer than the number of line positions on the board.
_LIST = 3584
_MAX_LENGTH = 512  # proven: no 5T game is longer than 485 moves
_NONE = -1  # in place of a cell, a move, or how many there are in a list not made yet

DTYPE = np.dtype(
    [
        ("dots", "u4", (_LANES,)),
        ("starts", "u4", (_LANES,)),
        ("n_moves", "i8"),
        ("length", "i8"),
        ("moves", "u4", (_LIST,)),
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
    """Return the board coordinate, on both axes, of the cross's box corner."""
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


@functools.cache  # two games of one name would be compiled twice
def make(variant: Variant) -> Game:
    """Return the engine of a variant."""
    name = f"morpion-{variant.name}"
    points = variant.points
    reach = points - 1  # positions on each side of a new dot that a line through it can use
    radius = points - 1 if variant.disjoint else points - 2  # starts this close on one lane conflict
    window_mask = (1 << (2 * points - 1)) - 1
    line_mask = (1 << points) - 1
    conflict_mask = (1 << (2 * radius + 1)) - 1
    completions = _completions(points)
    offset = board_offset(points)
    # For each direction and place in the window around a dot, how the named cell differs from the dot's.
    name_steps = np.array(
        [(place - reach) * (dx + SIDE * dy) << 5 for dx, dy in _STEPS for place in range(16)], np.int64
    )
    cell_steps = np.array([dx + SIDE * dy for dx, dy in _STEPS], np.int64)

    @inline
    def place(state, cell, n):
        """Put a dot, append the moves that it makes possible to the n in the list, and return the new n."""
        dots, starts, moves = state.dots, state.starts, state.moves
        x = cell & 31
        y = (cell >> 5) & 31
        lane1 = 32 + x
        lane2 = 64 + x + y
        lane3 = 159 + x - y
        row0 = int64(dots[y]) | (1 << x)
        row1 = int64(dots[lane1]) | (1 << y)
        row2 = int64(dots[lane2]) | (1 << x)
        row3 = int64(dots[lane3]) | (1 << x)
        dots[y] = uint32(row0)
        dots[lane1] = uint32(row1)
        dots[lane2] = uint32(row2)
        dots[lane3] = uint32(row3)
        window0 = ((row0 << reach) >> x) & window_mask
        window1 = ((row1 << reach) >> y) & window_mask
        window2 = ((row2 << reach) >> x) & window_mask
        window3 = ((row3 << reach) >> x) & window_mask
        found = int64(completions[window0]) & ((int64(starts[y]) << reach) >> x)
        found |= (int64(completions[window1]) & ((int64(starts[lane1]) << reach) >> y)) << 8
        found |= (int64(completions[window2]) & ((int64(starts[lane2]) << reach) >> x)) << 16
        found |= (int64(completions[window3]) & ((int64(starts[lane3]) << reach) >> x)) << 24
        windows = uint64(window0 | (window1 << 16) | (window2 << 32) | (window3 << 48))
        lanes = (y << 5) | (lane1 << 21) | (lane2 << 37) | (lane3 << 53)
        places = x | (y << 16) | (x << 32) | (x << 48)
        keys = uint64(lanes | places)
        named = cell << 5
        while found != 0:
            bit = trailing_zeros(found)
            found &= found - 1
            shift = uint64((bit & 24) << 1)
            start = bit & 7
            gap = trailing_zeros(~(int64((windows >> shift) & uint64(0xFFFF)) >> start))
            key = int64((keys >> shift) & uint64(0xFFFF)) + start - reach
            moves[n] = uint32((key << 15) | (named + name_steps[((bit & 24) << 1) + start + gap]) | (bit & 24) | gap)
            n += 1
        return n

    @inline
    def draw(state, move):
        """Draw a move's line, and no more."""
        state.starts[uint64(move >> 20)] &= uint32(~((conflict_mask << ((move >> 15) & 31)) >> radius))

    def play(state, move):
        moves = state.moves
        key = move >> 15
        cell = (move >> 5) & 1023
        draw(state, move)
        kept = 0
        for i in range(state.n_moves):
            other = int64(moves[i])
            moves[kept] = uint32(other)
            kept += int64(((other >> 5) & 1023) != cell) & int64(
                uint64((other >> 15) - key + radius) > uint64(2 * radius)
            )
        state.n_moves = place(state, cell, kept)
        state.length += 1

    @inline
    def is_legal(state, move):
        """Tell whether a move that once was is still legal."""
        cell = (move >> 5) & 1023
        may_start = state.starts[(move >> 20) & 255] >> uint32((move >> 15) & 31)
        return may_start & ~(state.dots[cell >> 5] >> uint32(cell & 31)) & uint32(1)

    def playout(state, stream, line, depth):
        # Same games as the protocol's uniform playout, but dead moves stay in the list and are thrown away when
        # drawn: a draw that is accepted is uniform over the legal moves.
        moves = state.moves
        n = int64(state.n_moves)
        begun = depth
        words = open_stream(stream)
        while n > 0:
            i = scale(word_of(words), n)
            words = stepped(words)
            move = int64(moves[i])
            n -= 1
            moves[i] = moves[n]
            cell = (move >> 5) & 1023
            if is_legal(state, move):
                line[uint64(depth)] = move
                depth += 1
                draw(state, move)
                n = place(state, cell, n)
        close_stream(stream, words)
        state.n_moves = 0
        state.length += depth - begun
        return depth

    @inline
    def awaited(state, move):
        """Return the cell of a dot that a move lacks beside its own, or _NONE."""
        first = (move >> 15) & 31
        gap = move & 7
        lacking = ~(int64(state.dots[uint64(move >> 20)]) >> first) & line_mask & ~(int64(1) << gap)
        if lacking == 0:
            return int64(_NONE)
        return ((move >> 5) & 1023) + (trailing_zeros(lacking) - gap) * cell_steps[uint64(move >> 3) & uint64(3)]

    @inline
    def put(state, cell):
        """Put a dot, and no more."""
        dots = state.dots
        x = cell & 31
        y = (cell >> 5) & 31
        dots[y] |= uint32(1 << x)
        dots[32 + x] |= uint32(1 << y)
        dots[64 + x + y] |= uint32(1 << x)
        dots[159 + x - y] |= uint32(1 << x)

    @inline
    def list_moves(state):
        """List the legal moves, whatever the list held; return how many."""
        dots, starts, open_starts, moves = state.dots, state.starts, state.open_starts, state.moves
        for lane in range(_LANES):
            one = uint32(0)  # lacks one dot or more
            two = uint32(0)
            for i in range(points):
                lacks = ~(dots[lane] >> uint32(i))
                two |= one & lacks
                one |= lacks
            open_starts[lane] = one & ~two & starts[lane]
        n = int64(0)
        for lane in range(_LANES):
            found = int64(open_starts[lane])
            while found != 0:
                first = trailing_zeros(found)
                found &= found - 1
                gap = trailing_zeros(~(int64(dots[lane]) >> first))
                at = first + gap
                if lane < 32:
                    direction, cell = 0, (lane << 5) | at
                elif lane < 64:
                    direction, cell = 1, (at << 5) | (lane - 32)
                elif lane < 128:
                    direction, cell = 2, ((lane - 64 - at) << 5) | at
                else:
                    direction, cell = 3, ((159 + at - lane) << 5) | at
                moves[n] = uint32((lane << 20) | (first << 15) | (cell << 5) | (direction << 3) | gap)
                n += 1
        return n

    def wish(state, move):
        return move

    @inline
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

    @inline
    def other_move(state, wanted, n_wanted, stream):
        """Return a random legal move that is not wanted, or _NONE; the list of moves is overwritten."""
        moves = state.moves
        n = list_moves(state)
        while n > 0:
            i = uint64(below(stream, n))
            move = int64(moves[i])
            n -= 1
            moves[i] = moves[uint64(n)]
            is_wanted = False
            for k in range(uint64(n_wanted)):
                is_wanted |= int64(wanted[k]) == move
            if not is_wanted:
                return move
        return int64(_NONE)

    def ordered_playout(state, order, n_wanted, other_at, stream, line):
        # The same chances as the protocol's. No list of legal moves is kept as long as wanted ones can be played. One
        # that cannot waits for a dot that it lacks, and is looked at again when that dot comes.
        moves, wanted, played = state.moves, order.wanted, order.played
        waiting, following, ready = state.waiting, state.following, state.ready
        for cell in range(SIDE * SIDE):
            waiting[cell] = 0
        length = uint64(0)
        turn = uint64(0)
        while turn < uint64(other_at):  # nothing stands in the way of these but that they lack a dot
            move = int64(wanted[turn])
            turn += uint64(1)
            if move < 0:
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
        while True:
            if due:
                due = False
                move = other_move(state, wanted, n_wanted, stream)
                if move == _NONE:
                    continue
            elif n_ready > 0:
                n_ready -= 1
                move = int64(wanted[uint64(ready[uint64(n_ready)])])
            elif turn < uint64(n_wanted):
                move = int64(wanted[turn])
                turn += uint64(1)
                if move < 0:
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
                    break
                drawn = below(stream, n)
                n -= 1
                move = int64(moves[uint64(drawn)])
                moves[uint64(drawn)] = moves[uint64(n)]
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
            key = move >> 15
            cell = (move >> 5) & 1023
            draw(state, move)
            n_new = place(state, cell, 0)
            there = here + n
            n = int64(0)
            total = float32(0.0)
            for i in range(here, there):
                number = numbers[uint64(i)]
                other = int64(numbered[number].move)
                legal = int64(((other >> 5) & 1023) != cell) & int64(
                    uint64((other >> 15) - key + radius) > uint64(2 * radius)
                )
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
            state.starts[lane] = 0
        for y in range(SIDE):
            for x in range(SIDE):
                in_x = x + reach < SIDE
                in_y = y + reach < SIDE
                if in_x:
                    state.starts[y] |= uint32(1 << x)
                if in_y:
                    state.starts[32 + x] |= uint32(1 << y)
                if in_x and y - reach >= 0:
                    state.starts[64 + x + y] |= uint32(1 << x)
                if in_x and in_y:
                    state.starts[159 + x - y] |= uint32(1 << x)
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
            playout,
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


def truncated(state):
    # A line that leaves the board by one point has its other points on the board, and so one on the border.
    return (state.dots[0] | state.dots[SIDE - 1] | state.dots[32] | state.dots[32 + SIDE - 1]) != 0


def load(puzzle: Variant) -> tuple[Game, NDArray[np.int64]]:
    """Return the engine of a variant, which needs no more to start."""
    return make(puzzle), np.zeros(0, np.int64)


def grid_move(puzzle: Variant, move: int) -> Move:
    """Return an engine's move in the frame of the grid files."""
    offset = board_offset(puzzle.points)
    cell = (move >> 5) & 1023
    return Move((cell & 31) - offset, (cell >> 5) - offset, _DIRECTIONS[(move >> 3) & 3], move & 7)
