"""What every algorithm looks like to a hunt: a worker's searcher, which runs one task after another."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel import control
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import BEST, MOVES, NO_SCORE, PLAYOUTS, TRUNCATED, publish
from morpion_cli.kernel.game import init, score, truncated
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import STATE_WORDS


@entry
def _start(game, state, instance):
    init(game, state, instance)


@inner
def end_game(game, state, board, best_line, line, length):
    """Publish a game that has ended in `state` if it is the best so far, and return its score.

    `board` is the control block.
    """
    value = score(game, state)
    if value > board[BEST]:
        publish(board, best_line, line, length, value)
    return value


@inner
def count_playout(game, state, board, best_line, line, length):
    """Count a playout that has ended in `state`, and then do as `end_game`."""
    board[PLAYOUTS] += 1
    board[MOVES] += length
    if truncated(game, state):
        board[TRUNCATED] += 1
    return end_game(game, state, board, best_line, line, length)


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
    """One worker's search: its buffers, made once, and its control block. Not to be shared between threads."""

    def __init__(self, loaded: LoadedGame) -> None:
        self.game = game = loaded.game
        self.root = game.new_states(1)[0]
        self.control = control.new_control()
        self.best_line = private_zeros(game.max_length, np.int64)
        self._stream = private_zeros(STATE_WORDS, np.uint64)
        _start(game, self.root, loaded.instance)

    @abstractmethod
    def _search(self, stream: NDArray[np.uint64]) -> int:
        """Search once with this random stream; return the score, or NO_SCORE if stopped on the way."""

    def warm_up(self) -> None:
        """Compile or load everything that `run` needs, without playing a game."""
        limit = self.control[control.LIMIT]
        self.control[control.LIMIT] = 0
        self._search(private_zeros(4, np.uint64))
        self.control[control.LIMIT] = limit

    def run(self, stream: NDArray[np.uint64]) -> TaskResult | None:
        """Run one task, after `forget_best`; None if it was stopped before its end (`snapshot` still has its best)."""
        before = int(self.control[PLAYOUTS])
        self._stream[:] = stream
        score = self._search(self._stream)
        if score == NO_SCORE:
            return None
        best_score, best_moves = self.snapshot()
        return TaskResult(score, best_score, best_moves, int(self.control[PLAYOUTS]) - before)

    def forget_best(self) -> None:
        """Make ready for the next task."""
        control.forget_best(self.control)

    def snapshot(self) -> tuple[int, NDArray[np.int64]]:
        """Return (score, moves) of the best game of the task that runs or ran last; from any thread."""
        return control.snapshot(self.control, self.best_line)

    def stop(self) -> None:
        """Make the running search return at once; from any thread."""
        self.control[control.STOP] = 1
