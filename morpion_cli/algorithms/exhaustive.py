"""Exhaustive search of the end of a game, each position once.

Depth-first, with a table of the positions that have been met: a 64-bit hash each, in buckets of four, the oldest of
which goes when a bucket is full. Threads share the table, so that what one has met another leaves to it. A position
that was forgotten is only searched again; but two positions with the same hash would be taken for one, which for n
positions happens with a chance of about n^2 / 2^65.
"""

from typing import NamedTuple

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from morpion_cli.algorithms.searcher import end_game, play_opening
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel import control
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import MOVES, PLAYOUTS, TRUNCATED, should_stop
from morpion_cli.kernel.game import copy, move, n_moves, play, position_hash, truncated
from morpion_cli.kernel.memory import private_zeros

_BUCKET = 4
_EMPTY = np.uint64(0)
STOPPED, DONE = 0, 1


@inner
def _met(table, key):
    """Tell whether a position is in the table, and put it there if not."""
    if key == _EMPTY:
        key = uint64(1)
    first = int64(key & uint64(len(table) - 1)) & ~int64(_BUCKET - 1)
    for i in range(first, first + _BUCKET):
        if table[i] == key:
            return True
        if table[i] == _EMPTY:
            table[i] = key
            return False
    for i in range(first + _BUCKET - 1, first, -1):
        table[i] = table[i - 1]
    table[first] = key
    return False


@entry
def _search(game, states, cursors, counts, line, depth, table, block, best_line):
    """Search everything below states[depth], which is `depth` moves into `line`; return DONE or STOPPED.

    Of the control block, PLAYOUTS counts ends of games and MOVES positions.
    """
    start = depth
    cursors[depth] = 0
    counts[depth] = n_moves(game, states[depth])
    if counts[depth] == 0:
        end_game(game, states[depth], block, best_line, line, depth)
    while depth >= start:
        if cursors[depth] == counts[depth]:
            depth -= 1
            continue
        if should_stop(block):
            return STOPPED
        line[depth] = move(game, states[depth], cursors[depth])
        cursors[depth] += 1
        child = states[depth + 1]
        copy(game, child, states[depth])
        play(game, child, line[depth])
        if _met(table, position_hash(game, child)):
            continue
        block[MOVES] += 1
        if truncated(game, child):
            block[TRUNCATED] += 1
            continue
        depth += 1
        cursors[depth] = 0
        counts[depth] = n_moves(game, child)
        if counts[depth] == 0:
            block[PLAYOUTS] += 1
            end_game(game, child, block, best_line, line, depth)
    return DONE


@entry
def _widen(game, states, lines, count, depth, next_lines, keys, done, block, best_line):
    """Write every position that follows `count` lines of `depth` moves, once each; return how many, -1 if too many.

    states[0] is the start; positions whose hash is in `done` are left out.
    """
    found = int64(0)
    for row in range(count):
        copy(game, states[1], states[0])
        for i in range(depth):
            play(game, states[1], lines[row, i])
        n = n_moves(game, states[1])
        if n == 0:
            end_game(game, states[1], block, best_line, lines[row], depth)
        for i in range(n):
            chosen = move(game, states[1], i)
            copy(game, states[2], states[1])
            play(game, states[2], chosen)
            key = position_hash(game, states[2])
            known = False
            for other in range(len(done)):
                known = known or done[other] == key
            for other in range(found):
                known = known or keys[other] == key
            if known:
                continue
            if found == len(keys):
                return int64(-1)
            keys[found] = key
            for i in range(depth):
                next_lines[found, i] = lines[row, i]
            next_lines[found, depth] = chosen
            found += 1
    block[MOVES] += found
    return found


class _Lane(NamedTuple):
    """What belongs to one thread."""

    states: NDArray[np.void]
    cursors: NDArray[np.int64]
    counts: NDArray[np.int64]
    line: NDArray[np.int64]
    block: NDArray[np.int64]
    best_line: NDArray[np.int64]


class Exhaustive:
    """The end of one game after another, with one table for all of them.

    table_bytes: rounded down to a power of two.
    """

    def __init__(self, loaded: LoadedGame, threads: int, table_bytes: int) -> None:
        self.loaded = loaded
        game = loaded.game
        depths = game.max_length + 1
        self._table = private_zeros(1 << max(2, (table_bytes // 8).bit_length() - 1), np.uint64)
        self._root = game.new_states(3)
        self._done: list[int] = []
        self._lanes = [
            _Lane(
                game.new_states(depths),
                private_zeros(depths, np.int64),
                private_zeros(depths, np.int64),
                private_zeros(game.max_length, np.int64),
                control.new_control(),
                private_zeros(game.max_length, np.int64),
            )
            for _ in range(threads)
        ]

    def start_at(self, loaded: LoadedGame, score: int) -> None:
        """Search from the position after another opening of the same game, for ends better than a score."""
        self.loaded = loaded
        play_opening(loaded, self._root[0])
        for lane in self._lanes:
            lane.block[control.BEST] = score

    def warm_up(self) -> None:
        """Compile or load everything, without searching."""
        self.parts(1)
        for lane in self._lanes:
            lane.block[control.LIMIT] = 0
        self.search(0, private_zeros(0, np.int64))

    def mark_done(self) -> None:
        """Remember that everything after this opening has been searched, and leave it out from now on."""
        self._done.append(int(_mark(self.loaded.game, self._root[0], self._table)))

    def parts(self, most: int) -> list[NDArray[np.int64]]:
        """Return the lines, in a fixed order, that lead to every position some moves on, at most so many.

        Games that end earlier than that are in no line, but count for `best`; what is done is left out.
        """
        game = self.loaded.game
        done, lane = np.array(self._done, np.uint64), self._lanes[0]
        lines = private_zeros((1, game.max_length), np.int64)
        depth = 0
        while len(lines) > 0:
            wider, keys = private_zeros((most, game.max_length), np.int64), private_zeros(most, np.uint64)
            arguments = self._root, lines, len(lines), depth, wider, keys, done, lane.block, lane.best_line
            count = int(_widen(game, *arguments))
            if count < 0:
                break
            lines, depth = wider[:count], depth + 1
        return [line[:depth] for line in lines]

    def search(self, thread: int, part: NDArray[np.int64]) -> bool:
        """Search everything that follows one part; tell whether it was not stopped on the way."""
        lane, game = self._lanes[thread], self.loaded.game
        _copy_and_play(game, lane.states[len(part)], self._root[0], part)
        lane.line[: len(part)] = part
        arguments = lane.states, lane.cursors, lane.counts, lane.line, len(part), self._table, lane.block
        return bool(_search(game, *arguments, lane.best_line) == DONE)

    def best(self) -> tuple[int, NDArray[np.int64]]:
        """Return (score, moves after the opening) of the best end found, from any thread."""
        found = [control.snapshot(lane.block, lane.best_line) for lane in self._lanes]
        return max(found, key=lambda pair: pair[0])

    def stop(self) -> None:
        """Make running searches return at once; from any thread."""
        for lane in self._lanes:
            lane.block[control.STOP] = 1

    @property
    def positions(self) -> int:
        """Return how many positions have been searched."""
        return sum(int(lane.block[MOVES]) for lane in self._lanes)

    @property
    def truncated(self) -> bool:
        """Tell whether a game went beyond what the engine can hold, so that nothing is proven."""
        return any(lane.block[TRUNCATED] > 0 for lane in self._lanes)


@entry
def _mark(game, state, table):
    key = position_hash(game, state)
    _met(table, key)
    return key


@entry
def _copy_and_play(game, state, root, part):
    copy(game, state, root)
    for i in range(len(part)):
        play(game, state, part[i])
