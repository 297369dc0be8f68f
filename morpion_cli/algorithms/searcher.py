"""What every algorithm looks like to a hunt: a worker's searcher, which runs one task after another."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.errors import UserError
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel import control
from morpion_cli.kernel.cache import first_call_lock
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import BEST, MOVES, NO_SCORE, PLAYOUTS, TRUNCATED, publish
from morpion_cli.kernel.game import init, move, n_moves, play, score, truncated
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import STATE_WORDS, fork
from morpion_cli.values import shares


@entry
def _start(game, state, instance):
    init(game, state, instance)


@entry
def _list_moves(game, state, moves):
    n = n_moves(game, state)
    for i in range(n):
        moves[i] = move(game, state, i)
    return n


@entry
def _play(game, state, chosen):
    play(game, state, chosen)
    return not truncated(game, state)


def play_opening(loaded: LoadedGame, state: Any) -> None:
    """Set `state`, one record of the game's dtype, to the position that the game is searched from.

    Raises UserError if the engine cannot hold it.
    """
    _start(loaded.game, state, loaded.instance)
    moves = private_zeros(loaded.game.max_moves, np.int64)
    position = loaded.puzzle.start()
    for step in loaded.opening:
        wanted = position.canonical(step)
        n = _list_moves(loaded.game, state, moves)
        shown = loaded.grid_moves(moves[:n], position.moves)
        found = (int(move) for move, step in zip(moves, shown, strict=False) if position.canonical(step) == wanted)
        if not _play(loaded.game, state, next(found)):
            raise UserError(f"move {len(position.moves) + 1}: the game is too wide or too high for the engine's board")
        position.play(step)


@inner
def end_game(game, state, board, best_line, line, length):
    """Publish a game that has ended in `state` if it is the best so far, and return its score.

    One that the engine cannot hold is thrown away: it counts, and scores 0. `board` is the control block.
    """
    if truncated(game, state):
        board[TRUNCATED] += 1
        return int64(0)
    value = score(game, state)
    if value > board[BEST]:
        publish(board, best_line, line, length, value)
    return value


@inner
def count_playout(game, state, board, best_line, line, length):
    """Count a playout that has ended in `state`, and then do as `end_game`."""
    board[PLAYOUTS] += 1
    board[MOVES] += length
    return end_game(game, state, board, best_line, line, length)


@entry
def split_stream(child, parent, step, index):
    """Set `child` to a stream of its own for part `index` of step `step` of a task."""
    fork(child, parent, step, index)


S = TypeVar("S", bound="Searcher")


def ready(make: Callable[[], S]) -> S:
    """Return a searcher that `make` makes, with everything compiled or loaded."""
    with first_call_lock():
        searcher = make()
        searcher.warm_up()
    return searcher


@dataclass(frozen=True)
class TaskResult:
    """What one finished task gave.

    score: what the search itself returned.
    best_score, best_moves: the best game seen on the way; moves have shape (length,), dtype int64.
    playouts: how many games were played.
    """

    score: int
    best_score: int
    best_moves: NDArray[np.int64]
    playouts: int


class Searcher(ABC):
    """One worker's search: its buffers, made once, and a control block for each of its threads.

    Nearly all searches have one thread. Not to be shared between workers.
    """

    def __init__(self, loaded: LoadedGame, threads: int = 1) -> None:
        self.loaded = loaded
        self.game = game = loaded.game
        self.root = game.new_states(1)[0]
        self.controls = [control.new_control() for _ in range(threads)]
        self.best_lines = [private_zeros(game.max_length, np.int64) for _ in range(threads)]
        self.control, self.best_line = self.controls[0], self.best_lines[0]
        self._stream = private_zeros(STATE_WORDS, np.uint64)
        self._checkpoint: Mapping[str, NDArray[Any]] | None = None
        self._start: Mapping[str, NDArray[Any]] | None = None
        play_opening(loaded, self.root)

    @abstractmethod
    def _search(self, stream: NDArray[np.uint64]) -> int:
        """Search once with this random stream; return the score, or NO_SCORE if stopped on the way."""

    def learned_policy(self) -> NDArray[np.float32] | None:
        """Return the weights, shape (n_codes,), that the last task has learned; None if it is not of that kind."""
        return None

    def checkpoint(self) -> Mapping[str, NDArray[Any]] | None:
        """Return arrays from which another searcher can go on with the task that runs; None if there are none yet.

        From any thread; the arrays do not change.
        """
        return self._checkpoint

    def resume(self, start: Mapping[str, NDArray[Any]]) -> None:
        """Have the next task go on from a checkpoint of it; after `forget_best`."""
        self._start = self._checkpoint = start

    def warm_up(self) -> None:
        """Compile or load everything that `run` needs, without playing a game."""
        limits = [int(block[control.LIMIT]) for block in self.controls]
        for block in self.controls:
            block[control.LIMIT] = 0
        self._search(private_zeros(STATE_WORDS, np.uint64))
        for block, limit in zip(self.controls, limits, strict=True):
            block[control.LIMIT] = limit

    def run(self, stream: NDArray[np.uint64]) -> TaskResult | None:
        """Run one task, after `forget_best`; None if it was stopped before its end (`snapshot` still has its best)."""
        before = self.playouts
        self._stream[:] = stream
        score = self._search(self._stream)
        best_score, best_moves = self.snapshot()
        if score == NO_SCORE:
            if best_score < self.control[control.TARGET]:
                return None
            score = best_score
        return TaskResult(score, best_score, best_moves, self.playouts - before)

    def forget_best(self) -> None:
        """Make ready for the next task."""
        self._checkpoint = self._start = None
        for block in self.controls:
            control.forget_best(block)

    def limit_playouts(self, count: int) -> None:
        """Play that many games in all and no more."""
        for block, share in zip(self.controls, shares(count, len(self.controls)), strict=True):
            block[control.LIMIT] = share

    def set_target(self, score: int) -> None:
        """End a task as soon as it has a game of that score."""
        for block in self.controls:
            block[control.TARGET] = score

    def snapshot(self) -> tuple[int, NDArray[np.int64]]:
        """Return (score, moves) of the best game of the task that runs or ran last; from any thread."""
        found = [control.snapshot(*pair) for pair in zip(self.controls, self.best_lines, strict=True)]
        return max(found, key=lambda pair: pair[0])  # of equals the first

    def stop(self) -> None:
        """Make the running search return at once; from any thread."""
        for block in self.controls:
            block[control.STOP] = 1

    @property
    def stopped(self) -> bool:
        """Tell whether `stop` has been called."""
        return bool(self.control[control.STOP])

    @property
    def out_of_playouts(self) -> bool:
        """Tell whether all games that may be played have been played."""
        return self.playouts >= sum(int(block[control.LIMIT]) for block in self.controls)

    @property
    def playouts(self) -> int:
        """Return how many games have been played since the searcher was made; from any thread."""
        return sum(int(block[PLAYOUTS]) for block in self.controls)

    @property
    def moves(self) -> int:
        """Return the length of all those games together."""
        return sum(int(block[MOVES]) for block in self.controls)

    @property
    def truncated(self) -> int:
        """Return how many of them have reached the edge of what the engine can hold."""
        return sum(int(block[TRUNCATED]) for block in self.controls)
