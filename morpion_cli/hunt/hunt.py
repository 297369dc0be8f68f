"""A hunt: a stream of numbered tasks, run by worker threads, watched by the main thread.

Kernels release the GIL, so the workers search at full speed while the main thread, ten times a second, collects what
they have finished, looks at the best game of what they have not, writes every improvement, and decides when to stop.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morpion_cli import __version__
from morpion_cli.errors import UserError
from morpion_cli.files import check_folder
from morpion_cli.formats import ms1
from morpion_cli.hunt.ledger import Ledger
from morpion_cli.hunt.run_folder import RunFolder, start_of
from morpion_cli.hunt.settings import Settings
from morpion_cli.hunt.store import Store, StoredGrid, now, provenance
from morpion_cli.values import shares

if TYPE_CHECKING:
    import numpy as np
    from distributed import Client
    from numpy.typing import NDArray

    from morpion_cli.algorithms.searcher import Searcher, TaskResult
    from morpion_cli.games.catalog import LoadedGame
    from morpion_cli.hunt.worker import Worker

TICK = 0.1  # seconds between two looks at the workers
_GRACE = 0.8  # seconds that a worker has to stop; only a kernel that is still compiling takes longer
_RETRY = 5.0  # seconds between two tries to write what could not be written
_SAVE_EVERY = 2.0  # seconds between two states of a run on disk


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
    truncated: int = 0  # games that were too large for the engine's board
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

    def ended(self, status: Status) -> None:
        """Look at the last status: nothing comes after it."""


class Hunt:
    """One hunt, to be run once. Raises UserError at once if grids could not be written.

    run: the folder in which its state is kept; None keeps none.
    state: of the same run by an earlier process, to go on from.
    cluster: what runs the tasks, or the parts of one whose search is shared; None is this process.
    """

    def __init__(
        self,
        settings: Settings,
        listener: Listener,
        run: RunFolder | None = None,
        state: dict[str, Any] | None = None,
        cluster: "Client | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.status = Status(settings)
        self._run = run
        self._cluster = cluster
        self._listener = listener
        self._clock = clock
        self._store = Store(settings.out)
        self._store.check_writable()
        if settings.policy_out is not None:
            check_folder(settings.policy_out.parent)
        self._wake = threading.Event()
        self._interrupted_by: str | None = None
        self._ledger = Ledger((), settings.budget.tasks, settings.shard)
        self._starts: dict[int, dict[str, NDArray[Any]]] = {}
        self._earlier_playouts = self._earlier_truncated = 0
        self._earlier_elapsed = 0.0
        self._goes_on = state is not None
        self._saved_at = float("-inf")
        self._best: Best | None = None  # checked, but perhaps not written yet
        self._policy_rank: tuple[int, int] | None = None  # of the one on disk
        self._last_failure = float("-inf")  # when a write last failed
        self._loaded: LoadedGame | None = None
        self._loader = threading.Thread(target=self._load, name="loader", daemon=True)
        self._loading_error: BaseException | None = None
        self._workers: list[Worker] = []
        if state is not None:
            self._go_on(state)

    def _go_on(self, state: dict[str, Any]) -> None:
        """Take up what an earlier process has done. Raises UserError if it was another run."""
        status, folder = self.status, self._run
        assert folder is not None
        if state.get("start") != start_of(self.settings):
            raise UserError(f"{folder.path}: the board, grid or policy that this run began with has changed since")
        try:
            done = ((int(first), int(last)) for first, last in state["done"])
            self._ledger = Ledger(done, self.settings.budget.tasks, self.settings.shard)
            status.task_scores = Counter({int(score): int(count) for score, count in state["scores"].items()})
            status.tasks_done = sum(status.task_scores.values())
            self._earlier_playouts, self._earlier_truncated = int(state["playouts"]), int(state["truncated"])
            self._earlier_elapsed = float(state["elapsed"])
            if state["policy"] is not None:
                score, status.policy_of = map(int, state["policy"])
                self._policy_rank = -score, status.policy_of
            best = state["best"]
            if best is not None:
                grid = self._store.check(ms1.parse(best["record"]), int(best["score"]))
                self._best = Best(grid, int(best["task"]), float(best["elapsed"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{folder.path / 'state.json'}: not the state of a run ({error!r})") from None
        if self._best is not None:
            self._store.write(self._best.grid)
            status.best = self._best
        status.elapsed = self._earlier_elapsed
        self._starts = folder.checkpoints()

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
        if self._run is not None:
            self._run.event("resumed" if self._goes_on else "started", seed=self.settings.seed)
            self._save()  # compiling takes seconds, and who is killed meanwhile can be resumed too
        self._loader.start()
        while self._loader.is_alive() and self._interrupted_by is None:
            self._listener.tick(self.status)
            self._wake.wait(TICK)
        if self._loading_error is not None:
            raise self._loading_error
        if self._interrupted_by is None:
            self._wake.clear()
            try:
                self._search()
            except UserError:
                self._save(last=True)
                raise
        self.status.phase = "done"
        self.status.stopped_by = self._interrupted_by or self.status.stopped_by
        self._save(last=True)
        self._listener.tick(self.status)
        self._listener.ended(self.status)
        if self._run is not None:
            self._run.event("stopped", by=self.status.stopped_by)
        return self.status

    def _load(self) -> None:
        # Compiling takes seconds; in a thread of its own it holds up neither the display nor Ctrl-C.
        try:
            from morpion_cli.kernel.cache import first_call_lock

            searcher_class = self.settings.algorithm.load()
            loaded = self._loaded = self.settings.game.load(self.settings.puzzle, self.settings.opening)
            if self._cluster is not None:
                self._hire(searcher_class, loaded)
                return
            with first_call_lock():
                for _ in range(self.settings.workers):
                    searcher = searcher_class(loaded, self.settings.options)
                    searcher.warm_up()
                    self._give_work(searcher)
        except BaseException as error:  # the main thread raises it again
            self._loading_error = error
        self._wake.set()

    def _hire(self, searcher_class: "Callable[..., Searcher]", loaded: "LoadedGame") -> None:
        """Have the cluster run whole tasks, or, where threads are to share a search, its evaluations."""
        from morpion_cli.cluster.crew import ClusterCrew, answer_elsewhere

        assert self._cluster is not None
        settings = self.settings
        if settings.options.threads_per_task == 1:
            crew: Any = ClusterCrew(self._cluster, settings, self._ledger.take, self._wake.set)
            self._workers.append(crew)
        else:
            searcher: Any = searcher_class(loaded, settings.options)
            answer_elsewhere(searcher, self._cluster, settings)
            self._give_work(searcher)
        self._wake.set()

    def _give_work(self, searcher: "Searcher") -> None:
        """Make a searcher one of the workers."""
        from morpion_cli.hunt.worker import Worker

        settings = self.settings
        if settings.budget.target is not None:
            searcher.set_target(settings.budget.target)
        keep_policy = settings.policy_out is not None
        self._workers.append(
            Worker(searcher, settings.seed, self._ledger.take, self._wake.set, keep_policy, self._starts)
        )

    def _search(self) -> None:
        budget, status, workers = self.settings.budget, self.status, self._workers
        if budget.playouts is not None:
            unplayed = max(budget.playouts - self._earlier_playouts, 0)
            for worker, share in zip(workers, shares(unplayed, len(workers)), strict=True):
                worker.limit_playouts(share)
        status.phase = "searching"
        begun = self._clock() - self._earlier_elapsed
        # (seconds, playouts) at the last ticks
        history = deque([(self._earlier_elapsed, self._earlier_playouts)], maxlen=30)
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
            self._save()
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
        if self._run is not None and self._run.stop_asked:
            return "the file stop"
        if not running:
            return "playouts" if budget.playouts is not None and status.playouts >= budget.playouts else "tasks"
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
                self._ledger.finish(task)
                self._keep_if_good(worker, task, result)
                if self._is_better(result.best_score, task, finished=True):
                    self._take_over(worker, task, result.best_score, result.best_moves)
            found = worker.look()
            if found is not None and self._is_better(found[1], found[0], finished=False):
                self._take_over(worker, *found)
        status.playouts = self._earlier_playouts + sum(worker.playouts for worker in self._workers)
        status.truncated = self._earlier_truncated + sum(worker.truncated for worker in self._workers)
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
        self._best = Best(self._checked(worker, task, score, moves), task, self.status.elapsed)

    def _keep_if_good(self, worker: "Worker", task: int, result: "TaskResult") -> None:
        """Write the best game of a task if games of its score are all kept."""
        if self.settings.keep_all is not None and result.best_score >= self.settings.keep_all:
            try:
                self._store.write(self._checked(worker, task, result.best_score, result.best_moves))
            except UserError as error:
                self._listener.problem(str(error))

    def _checked(self, worker: "Worker", task: int, score: int, moves: "NDArray[np.int64]") -> StoredGrid:
        """Return a game that the referee has replayed."""
        assert self._loaded is not None
        origin = provenance(
            method=self.settings.method,
            seed=self.settings.seed,
            task=task,
            nodes_explored=worker.playouts,
            elapsed_secs=round(self.status.elapsed, 3),
        )
        return self._store.check(self._loaded.record(moves, origin), score)

    def _write_policy(self, path: Path) -> None:
        """Write the policy of the task with the best game, of those that have ended."""
        from morpion_cli.algorithms.policy import write_policy

        learned = [worker.policy for worker in self._workers if worker.policy is not None]
        best = min(learned, key=lambda policy: policy.rank, default=None)
        if best is not None and (self._policy_rank is None or best.rank < self._policy_rank):
            self._policy_rank, settings = best.rank, self.settings
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
            if self._run is not None:
                grid = self._best.grid
                self._run.event("improved", score=grid.score, task=self._best.task, path=str(grid.path), id=grid.id)
                self._saved_at = float("-inf")

    def _save(self, last: bool = False) -> None:
        """Write the run's state, now and then; if that fails, say so and try again later."""
        if self._run is None or (not last and self._clock() - self._saved_at < _SAVE_EVERY):
            return
        self._saved_at = self._clock()
        checkpoints = dict(found for worker in self._workers if (found := worker.checkpoint()) is not None)
        # What was kept of tasks that no worker has taken up yet stays.
        waiting = {task: arrays for task, arrays in self._starts.items() if not self._ledger.has(task)}
        try:
            self._run.save(self._state(), {**waiting, **checkpoints})
        except UserError as error:
            if last:
                raise
            self._listener.problem(f"{error} (trying again)")

    def _state(self) -> dict[str, Any]:
        status, settings, best = self.status, self.settings, self.status.best
        return {
            "program": f"morpion-cli/{__version__}",
            "start": start_of(settings),
            "game": settings.game.name,
            "method": settings.method,
            "seed": settings.seed,
            "workers": settings.workers,
            "done": list(self._ledger.ranges()),
            "scores": {str(score): count for score, count in sorted(status.task_scores.items())},
            "playouts": status.playouts,
            "truncated": status.truncated,
            "elapsed": status.elapsed,
            "best": None
            if best is None
            else {
                "score": best.grid.score,
                "id": best.grid.id,
                "path": str(best.grid.path.absolute()),
                "task": best.task,
                "elapsed": best.elapsed,
                "record": ms1.dump(best.grid.record),
            },
            "policy": None if self._policy_rank is None else [-self._policy_rank[0], self._policy_rank[1]],
            "phase": status.phase,
            "stopped_by": status.stopped_by,
            "budget": asdict(settings.budget),
            "saved_at": now(),
        }
