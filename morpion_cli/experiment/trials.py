"""Running the searches of an experiment: threads that search, and one that watches the clock.

Times are CPU times of the searching threads, so that a busy machine does not decide a comparison.
"""

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from morpion_cli.algorithms.searcher import Searcher, ready
from morpion_cli.experiment.plan import Cell
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.control import NO_SCORE
from morpion_cli.kernel.random import task_stream

_SLICE = 1.0  # seconds that a thread stays with one cell
_LOOK = 0.004  # seconds between two looks at a search that the clock ends


@dataclass(frozen=True)
class Found:
    """A game that a search has found: its score, and its engine moves, shape (length,)."""

    loaded: LoadedGame
    score: int
    moves: NDArray[np.int64]


@dataclass(frozen=True)
class Trial:
    """One finished search of a cell.

    score: what the search returned; of one that the clock ends, the best game of all its tasks.
    cpu: seconds of the searching thread.
    curve: of one that the clock ends, (CPU seconds, score) of each improvement.
    found: its best game; None of one that has been read from a file.
    """

    cell: str
    search: int
    score: int
    playouts: int
    cpu: float
    curve: tuple[tuple[float, int], ...] = ()
    found: Found | None = field(default=None, compare=False, repr=False)


class _Deck:
    """Gives out searches, so that all cells get the same time; safe to be used by several threads.

    So what a run has to show when it is stopped is cheap cells with all their searches and expensive ones with a few.
    """

    def __init__(self, cells: Collection[Cell], done: Collection[tuple[str, int]]) -> None:
        self._lock = threading.Lock()
        self._left = {
            cell.name: [search for search in reversed(range(cell.searches)) if (cell.name, search) not in done]
            for cell in cells
        }
        self._spent = {cell.name: 0.0 for cell in cells}  # seconds
        self._running = Counter[str]()
        self._cells = list(cells)

    def take(self, current: Cell | None) -> tuple[Cell, int] | None:
        """Return a cell and a search of it, of the current cell if there is one and it has any left."""
        with self._lock:
            if current is None or not self._left[current.name]:
                waiting = [cell for cell in self._cells if self._left[cell.name]]
                if not waiting:
                    return None
                current = min(waiting, key=lambda cell: (self._running[cell.name], self._spent[cell.name]))
            self._running[current.name] += 1
            return current, self._left[current.name].pop()

    def give_back(self, cell: Cell, seconds: float) -> None:
        """Say that a search that was taken has ended, and how long it took."""
        with self._lock:
            self._running[cell.name] -= 1
            self._spent[cell.name] += seconds


@dataclass
class _Watch:
    """A search that the clock ends, as the watching thread sees it."""

    searcher: Searcher
    clock: int
    begun: float
    limit: float
    curve: list[tuple[float, int]] = field(default_factory=list)

    def look(self) -> None:
        cpu = time.clock_gettime(self.clock) - self.begun
        self.note(cpu, self.searcher.snapshot()[0])
        if cpu >= self.limit:
            self.searcher.stop()

    def note(self, cpu: float, score: int) -> None:
        if score != NO_SCORE and (not self.curve or score > self.curve[-1][1]):
            self.curve.append((round(min(cpu, self.limit), 4), score))


class _Runner(threading.Thread):
    """One thread that searches."""

    def __init__(self, seed: int, deck: _Deck, finished: "queue.SimpleQueue[Trial]") -> None:
        super().__init__(name="runner", daemon=True)
        self._seed = seed
        self._deck = deck
        self._finished = finished
        self._searcher: Searcher | None = None
        self._stopping = False
        self.watch: _Watch | None = None
        self.error: BaseException | None = None

    def stop(self) -> None:
        """Drop the search that runs."""
        self._stopping = True
        if self._searcher is not None:
            self._searcher.stop()

    def run(self) -> None:
        try:
            cell: Cell | None = None
            since = time.monotonic()
            while not self._stopping and (taken := self._deck.take(cell)) is not None:
                if taken[0] is not cell or cell.boards is not None or cell.time is not None:
                    self._prepare(*taken)
                    if self._stopping:  # it came while there was no searcher to tell
                        break
                if taken[0] is not cell:
                    since = time.monotonic()
                cell, search = taken
                begun = time.monotonic()
                trial = self._try(cell, search)
                self._deck.give_back(cell, time.monotonic() - begun)
                if trial is not None and not self._stopping:
                    self._finished.put(trial)
                if time.monotonic() - since > _SLICE:
                    cell = None
        except BaseException as error:  # the main thread raises it again
            self.error = error

    def _prepare(self, cell: Cell, search: int) -> None:
        loaded = cell.game.load(cell.puzzle(search))
        searcher_class = cell.algorithm.load()
        self._searcher = ready(lambda: searcher_class(loaded, cell.options))
        if cell.target is not None:
            self._searcher.set_target(cell.target)

    def _try(self, cell: Cell, search: int) -> Trial | None:
        searcher = self._searcher
        assert searcher is not None
        clock = _clock_of_this_thread()
        before, begun = searcher.playouts, time.clock_gettime(clock)
        if cell.time is None:
            searcher.forget_best()
            result = searcher.run(task_stream(self._seed, search))
            if result is None:
                return None
            cpu = time.clock_gettime(clock) - begun
            found = Found(searcher.loaded, result.best_score, result.best_moves)
            return Trial(cell.name, search, result.score, result.playouts, cpu, found=found)
        watch = self.watch = _Watch(searcher, clock, begun, cell.time)
        best, moves = NO_SCORE, np.zeros(0, np.int64)
        for task in count():
            searcher.forget_best()
            result = searcher.run(task_stream(self._seed, search, task))
            score, line = searcher.snapshot()
            if score > best:
                best, moves = score, line
            if result is None or (cell.target is not None and best >= cell.target):
                break
        self.watch = None
        cpu = time.clock_gettime(clock) - begun
        watch.note(cpu, best)
        playouts, found = searcher.playouts - before, Found(searcher.loaded, best, moves)
        return Trial(cell.name, search, best, playouts, cpu, tuple(watch.curve), found)


def _clock_of_this_thread() -> int:
    """Return its CPU clock, which other threads can read too; where there is none (macOS), the wall clock."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.pthread_getcpuclockid(threading.get_ident())
    return time.CLOCK_MONOTONIC


def run_trials(
    cells: Collection[Cell],
    seed: int,
    workers: int,
    done: Collection[tuple[str, int]],
    take: Callable[[list[Trial]], None],
    stop: Callable[[], bool],
) -> None:
    """Run every search of the cells that is not done, (cell's name, number), until `stop` says so.

    take: is given what has been finished, several times a second, in this thread.
    """
    deck = _Deck(cells, done)
    finished: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    runners = [_Runner(seed, deck, finished) for _ in range(workers)]
    for runner in runners:
        runner.start()
    next_take = 0.0
    while any(runner.is_alive() for runner in runners):
        for runner in runners:
            if (watch := runner.watch) is not None:
                watch.look()
        if time.monotonic() >= next_take:
            next_take = time.monotonic() + 0.1
            take(_drain(finished))
            if stop():
                break
        time.sleep(_LOOK if any(runner.watch is not None for runner in runners) else 0.05)
    for runner in runners:
        runner.stop()
    for runner in runners:
        runner.join(1.0)
        if runner.error is not None:
            raise runner.error
    take(_drain(finished))


def _drain(finished: "queue.SimpleQueue[Trial]") -> list[Trial]:
    trials = []
    while not finished.empty():
        trials.append(finished.get())
    return trials
