"""A hunt: a stream of numbered tasks, run by worker threads, watched by the main thread.

Kernels release the GIL, so the workers search at full speed while the main thread, ten times a second, collects what
they have finished, looks at the best game of what they have not, writes every improvement, and decides when to stop.
"""

import datetime
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from morpion_cli import __version__
from morpion_cli.errors import UserError
from morpion_cli.hunt.settings import Settings
from morpion_cli.hunt.store import Store, StoredGrid
from morpion_cli.values import shares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from morpion_cli.games.catalog import LoadedGame
    from morpion_cli.hunt.worker import LearnedPolicy, Worker

TICK = 0.1  # seconds between two looks at the workers
_GRACE = 0.8  # seconds that a worker has to stop; only a kernel that is still compiling takes longer
_RETRY = 5.0  # seconds between two tries to write a grid that could not be written


@dataclass(frozen=True)
class Best:
    """The best grid so far, who found it and when (seconds of search)."""

    grid: StoredGrid
    task: int
    elapsed: float


@dataclass
class Status:
    """A hunt as the main thread sees it; changed in place at every tick."""

    settings: Settings
    phase: str = "compiling"  # then "searching", then "done"
    elapsed: float = 0.0
    tasks_done: int = 0
    task_scores: Counter[int] = field(default_factory=Counter)
    playouts: int = 0
    rate: float = 0.0  # playouts a second over the last few seconds
    best: Best | None = None
    stopped_by: str = ""
    truncated: int = 0  # games that reached the edge of the engine's board
    write_error: str | None = None  # why the best grid is not on disk yet
    policy_of: int | None = None  # the task whose policy is on disk

    @property
    def overall_rate(self) -> float:
        """Return playouts a second since the search began."""
        return self.playouts / self.elapsed if self.elapsed > 0 else 0.0

    @property
    def mean_score(self) -> float | None:
        """Return the mean score of the finished tasks; None if there are none."""
        if not self.tasks_done:
            return None
        return sum(score * count for score, count in self.task_scores.items()) / self.tasks_done


class Listener:
    """Told what happens in a hunt, always from the main thread."""

    def tick(self, status: Status) -> None:
        """Look at the status: called ten times a second."""

    def improved(self, status: Status) -> None:
        """Announce `status.best`, which is on disk."""

    def problem(self, text: str) -> None:
        """Say what has gone wrong, once."""


class Hunt:
    """One hunt, to be run once. Raises UserError at once if grids could not be written."""

    def __init__(self, settings: Settings, listener: Listener, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.status = Status(settings)
        self._listener = listener
        self._clock = clock
        self._store = Store(settings.out)
        self._store.check_writable()
        self._wake = threading.Event()
        self._interrupted_by: str | None = None
        self._lock = threading.Lock()
        self._next_task = 0
        self._best: Best | None = None  # checked, but perhaps not written yet
        self._policy: LearnedPolicy | None = None  # the one on disk
        self._last_failure = float("-inf")  # when a write last failed
        self._loaded: LoadedGame | None = None
        self._loader = threading.Thread(target=self._load, name="loader", daemon=True)
        self._loading_error: BaseException | None = None
        self._workers: list[Worker] = []

    def interrupt(self, reason: str) -> None:
        """Ask the hunt to end now and save what it has; from a signal handler or any thread."""
        # Only this: setting the event here could deadlock, as a handler may run in the middle of the event's own code.
        self._interrupted_by = reason

    @property
    def abandoned(self) -> bool:
        """Tell whether a thread still compiles after the hunt has ended: the process must not wait for it."""
        return self._loader.is_alive()

    def run(self) -> Status:
        """Hunt until a budget ends or somebody interrupts, and return the final status.

        Raises UserError if grids cannot be written, RefereeError if engine and referee disagree.
        """
        self._loader.start()
        while self._loader.is_alive() and self._interrupted_by is None:
            self._listener.tick(self.status)
            self._wake.wait(TICK)
        if self._loading_error is not None:
            raise self._loading_error
        if self._interrupted_by is None:
            self._wake.clear()
            self._search()
        self.status.phase = "done"
        self.status.stopped_by = self._interrupted_by or self.status.stopped_by
        self._listener.tick(self.status)
        return self.status

    def _load(self) -> None:
        # Compiling takes seconds; in a thread of its own it holds up neither the display nor Ctrl-C.
        try:
            from morpion_cli.hunt.worker import Worker
            from morpion_cli.kernel.cache import first_call_lock

            searcher_class = self.settings.algorithm.load()
            loaded = self.settings.game.load(self.settings.puzzle, self.settings.opening)
            with first_call_lock():
                for _ in range(self.settings.workers):
                    searcher = searcher_class(loaded, self.settings.options)
                    searcher.warm_up()
                    if self.settings.budget.target is not None:
                        searcher.set_target(self.settings.budget.target)
                    keep_policy = self.settings.policy_out is not None
                    self._workers.append(
                        Worker(searcher, self.settings.seed, self._take_task, self._wake.set, keep_policy)
                    )
            self._loaded = loaded
        except BaseException as error:  # the main thread raises it again
            self._loading_error = error
        self._wake.set()

    def _take_task(self) -> int | None:
        with self._lock:
            task = self._next_task
            if self.settings.budget.tasks is not None and task >= self.settings.budget.tasks:
                return None
            self._next_task += 1
            return task

    def _search(self) -> None:
        budget, status, workers = self.settings.budget, self.status, self._workers
        if budget.playouts is not None:
            for worker, share in zip(workers, shares(budget.playouts, len(workers)), strict=True):
                worker.limit_playouts(share)
        status.phase = "searching"
        begun = self._clock()
        history = deque([(0.0, 0)], maxlen=30)  # (seconds, playouts) at the last ticks
        for worker in workers:
            worker.start()
        while True:
            running = any(worker.running for worker in workers)
            status.elapsed = self._clock() - begun
            self._collect()
            history.append((status.elapsed, status.playouts))
            span = history[-1][0] - history[0][0]
            status.rate = (history[-1][1] - history[0][1]) / span if span > 1 else status.overall_rate
            self._listener.tick(status)
            status.stopped_by = self._reason_to_stop(running)
            if status.stopped_by:
                break
            left = TICK if budget.time is None else min(TICK, budget.time - status.elapsed)
            self._wake.wait(max(left, 0.0))
            self._wake.clear()
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.join(_GRACE)
        self._collect(last=True)

    def _reason_to_stop(self, running: bool) -> str:
        budget, status = self.settings.budget, self.status
        if self._interrupted_by is not None:
            return self._interrupted_by
        if budget.target is not None and status.best is not None and status.best.grid.score >= budget.target:
            return "the best score there is" if budget.target == self.settings.puzzle.reaches else "target"
        if not running:
            return "tasks" if budget.tasks is not None and status.tasks_done >= budget.tasks else "playouts"
        if budget.time is not None and status.elapsed >= budget.time:
            return "time"
        return ""

    def _collect(self, last: bool = False) -> None:
        """Take over what the workers have, and write the best of it."""
        status = self.status
        for worker in self._workers:
            if worker.error is not None:
                raise worker.error
            while worker.finished:
                task, result = worker.finished.popleft()
                status.tasks_done += 1
                status.task_scores[result.score] += 1
                if self._is_better(result.best_score, task, finished=True):
                    self._take_over(worker, task, result.best_score, result.best_moves)
            found = worker.look()
            if found is not None and self._is_better(found[1], found[0], finished=False):
                self._take_over(worker, *found)
        status.playouts = sum(worker.playouts for worker in self._workers)
        status.truncated = sum(worker.truncated for worker in self._workers)
        if self._best is not status.best and (last or self._clock() - self._last_failure >= _RETRY):
            self._write_best(last)
        if self.settings.policy_out is not None:
            self._write_policy(self.settings.policy_out)

    def _is_better(self, score: int, task: int, finished: bool) -> bool:
        # Of equal games that of the earliest task counts, so that the best of a finished hunt is the same whatever the
        # number of workers.
        if self._best is None:
            return True
        return score > self._best.grid.score or (finished and score == self._best.grid.score and task < self._best.task)

    def _take_over(self, worker: "Worker", task: int, score: int, moves: "NDArray[np.int64]") -> None:
        """Make a game the best, once the referee has replayed it."""
        assert self._loaded is not None
        provenance = {
            "producer": f"morpion-cli/{__version__}",
            "saved_at": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "solver": {
                "tool": "morpion-cli",
                "method": self.settings.method,
                "seed": self.settings.seed,
                "task": task,
                "nodes_explored": worker.playouts,
                "elapsed_secs": round(self.status.elapsed, 3),
            },
        }
        grid = self._store.check(self._loaded.record(moves, provenance), score)
        self._best = Best(grid, task, self.status.elapsed)

    def _write_policy(self, path: Path) -> None:
        """Write the policy of the task with the best game, of those that have ended."""
        from morpion_cli.algorithms.policy import write_policy

        learned = [worker.policy for worker in self._workers if worker.policy is not None]
        best = min(learned, key=lambda policy: policy.rank, default=None)
        if best is not None and best is not self._policy:
            self._policy, settings = best, self.settings
            origin = {"method": settings.method, "seed": settings.seed, "task": best.task, "score": best.score}
            write_policy(path, settings.game, best.weights, origin)
            self.status.policy_of = best.task

    def _write_best(self, last: bool) -> None:
        """Write the best grid and announce it; if that fails, say so once and try again later."""
        assert self._best is not None
        try:
            self._store.write(self._best.grid)
        except UserError as error:
            if last:
                raise
            if self.status.write_error is None:
                self._listener.problem(f"{error} (trying again every {_RETRY:.0f} s)")
            self.status.write_error = str(error)
            self._last_failure = self._clock()
            return
        self.status.write_error = None
        improved = self.status.best is None or self._best.grid.score > self.status.best.grid.score
        self.status.best = self._best
        if improved:
            self._listener.improved(self.status)
