"""A worker: one thread that runs one task after another."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morpion_cli.algorithms.searcher import Searcher, TaskResult
from morpion_cli.kernel import control
from morpion_cli.kernel.random import task_stream

_NO_TASK = -1


@dataclass(frozen=True)
class LearnedPolicy:
    """The weights, shape (n_codes,), that a task has learned, and the score of its best game."""

    score: int
    task: int
    weights: NDArray[np.float32]

    @property
    def rank(self) -> tuple[int, int]:
        """Return what is least for the policy of the best game, and of equals of the earliest task."""
        return -self.score, self.task


class Worker:
    """Runs tasks until there are none left, its playouts are used up, or it is told to stop.

    take_task: gives the next task's number, or None.
    on_end: called in the thread when it ends.
    keep_policy: whether `policy` is wanted.
    starts: checkpoints of tasks that are not to be begun anew.
    """

    def __init__(
        self,
        searcher: Searcher,
        seed: int,
        take_task: Callable[[], int | None],
        on_end: Callable[[], None],
        keep_policy: bool = False,
        starts: Mapping[int, Mapping[str, NDArray[Any]]] | None = None,
    ) -> None:
        self._searcher = searcher
        self._seed = seed
        self._take_task = take_task
        self._on_end = on_end
        self._keep_policy = keep_policy
        self._starts = starts or {}
        self._task = _NO_TASK
        self._stopping = False
        # Appended here, popped by the main thread; a deque needs no lock for that.
        self.finished: deque[tuple[int, TaskResult]] = deque()
        # What the task with this worker's best game has learned by its end.
        self.policy: LearnedPolicy | None = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self) -> None:
        """Start working."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the worker to end at once."""
        self._stopping = True
        self._searcher.stop()

    def join(self, seconds: float) -> None:
        """Wait for the worker's end."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """Tell whether the worker works."""
        return self._thread.is_alive()

    @property
    def playouts(self) -> int:
        """Return how many games have been played so far."""
        return self._searcher.playouts

    @property
    def truncated(self) -> int:
        """Return how many of them went beyond what the engine can hold, and were thrown away."""
        return self._searcher.truncated

    def limit_playouts(self, count: int) -> None:
        """Let the worker play that many games and no more."""
        self._searcher.limit_playouts(count)

    def look(self) -> tuple[int, int, NDArray[np.int64]] | None:
        """Return (task, score, moves) of the best game of the task that runs; None if there is none yet."""
        task = self._task
        score, moves = self._searcher.snapshot()
        if task == _NO_TASK or task != self._task or score == control.NO_SCORE:
            return None
        return task, score, moves

    def checkpoint(self) -> tuple[int, Mapping[str, NDArray[Any]]] | None:
        """Return the task that runs and how far it has come; None if it cannot be gone on with."""
        task = self._task
        arrays = self._searcher.checkpoint()
        return None if task == _NO_TASK or task != self._task or arrays is None else (task, arrays)

    def _take_policy(self, task: int) -> None:
        score, weights = self._searcher.snapshot()[0], self._searcher.learned_policy()
        if weights is not None and score != control.NO_SCORE:
            learned = LearnedPolicy(score, task, weights)
            if self.policy is None or learned.rank < self.policy.rank:
                self.policy = learned

    def _run(self) -> None:
        try:
            while not self._stopping:
                task = self._take_task()
                if task is None:
                    break
                self._searcher.forget_best()
                if task in self._starts:
                    self._searcher.resume(self._starts[task])
                self._task = task
                result = self._searcher.run(task_stream(self._seed, task))
                if self._keep_policy:
                    self._take_policy(task)
                if result is None:
                    break  # stopped on the way; what it had found stays visible to `look`
                self._task = _NO_TASK
                self.finished.append((task, result))
        except BaseException as error:  # the main thread raises it again
            self.error = error
        self._on_end()
