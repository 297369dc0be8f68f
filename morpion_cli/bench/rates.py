"""Speed and strength of this machine and this version, in one run.

Times are CPU times of the searching thread; for parallel searches, wall times.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.nrpa import Nrpa
from morpion_cli.algorithms.options import NestedOptions, NrpaOptions, PriorityOptions, SamplingOptions, TreeOptions
from morpion_cli.algorithms.priority import Priority
from morpion_cli.algorithms.searcher import Searcher, ready
from morpion_cli.algorithms.uct import TreeSearch
from morpion_cli.games.catalog import GAMES, GameEntry
from morpion_cli.kernel.random import task_stream

NOISE = 0.07  # two benches of one program on one machine differ by so much now and then
_SEED = 1
_USUAL = ("5D", "5T", "samegame", "sudoku")  # measured unless others are asked for
_BATCH = 10_000  # playouts in one call
_NODES = 20_000_000  # rows of a tree; only those that are used take memory


@dataclass(frozen=True)
class PlayoutBench:
    """Uniform random games from the start, one core."""

    game: str
    playouts_per_sec: float
    ns_per_move: float
    mean_length: float


@dataclass(frozen=True)
class NestedBench:
    """Nested searches with memory from the start, one core."""

    game: str
    level: int
    secs: float  # a search
    mean_score: float
    runs: int


@dataclass(frozen=True)
class SearchBench:
    """One search, stopped by the clock."""

    game: str
    search: str
    playouts_per_sec: float
    speedup: float | None  # of a parallel search, against the same on one thread


def bench_playouts(entry: GameEntry, seconds: float) -> PlayoutBench:
    """Play random games for about that long."""
    loaded = entry.load()
    searcher = ready(lambda: Sampling(loaded, SamplingOptions(task_playouts=_BATCH)))
    begun = time.thread_time()
    batch = 0
    while time.thread_time() - begun < seconds:
        searcher.run(task_stream(_SEED, batch))
        batch += 1
    elapsed = time.thread_time() - begun
    playouts, moves = searcher.playouts, searcher.moves
    return PlayoutBench(entry.name, playouts / elapsed, elapsed / moves * 1e9, moves / playouts)


def bench_nested(entry: GameEntry, level: int, seconds: float) -> NestedBench:
    """Run level-n searches for about that long."""
    loaded = entry.load()
    searcher = ready(lambda: Nested(loaded, NestedOptions(level=level)))
    begun = time.thread_time()
    scores: list[int] = []
    while not scores or time.thread_time() - begun < seconds:
        searcher.forget_best()
        result = searcher.run(task_stream(_SEED, len(scores)))
        assert result is not None
        scores.append(result.score)
    return NestedBench(
        entry.name, level, (time.thread_time() - begun) / len(scores), float(np.mean(scores)), len(scores)
    )


def bench_rate(make: Callable[[], Searcher], seconds: float, clock: Callable[[], float] = time.thread_time) -> float:
    """Return the playouts a second, by this clock, of a search that never ends by itself."""
    searcher = ready(make)
    timer = threading.Timer(seconds, searcher.stop)
    begun = clock()
    timer.start()
    searcher.run(task_stream(_SEED, 0))
    elapsed = clock() - begun
    timer.cancel()
    return searcher.playouts / elapsed


def bench_searches(entry: GameEntry, seconds: float, say: Callable[[str], None]) -> list[SearchBench]:
    """Measure priority search and nrpa, and uct alone and in its parallel forms on every core."""
    loaded = entry.load()
    say(f"{entry.name}: priority, nrpa")
    endless = PriorityOptions(task_children=10**12, patience=0)
    rows = [SearchBench(entry.name, "priority", bench_rate(lambda: Priority(loaded, endless), seconds), None)]
    rows += [SearchBench(entry.name, "nrpa", bench_rate(lambda: Nrpa(loaded, NrpaOptions(level=9)), seconds), None)]
    cores = max(2, len(os.sched_getaffinity(0)))
    alone = None
    for form in ("none", "root", "leaf", "tree"):
        options = TreeOptions(
            bandit="ucb1", c=0.4, max_nodes=_NODES, task_playouts=10**12, parallel=form, threads=cores
        )
        name = "uct" if form == "none" else f"uct {form}-parallel on {cores}"
        say(f"{entry.name}: {name}")
        clock = time.thread_time if form == "none" else time.perf_counter
        rate = bench_rate(lambda options=options: TreeSearch(loaded, options), seconds, clock)  # type: ignore[misc]
        rows.append(SearchBench(entry.name, name, rate, None if alone is None else rate / alone))
        alone = rate if alone is None else alone
    return rows


def figures(
    playouts: Iterable[PlayoutBench], nested: Iterable[NestedBench], searches: Iterable[SearchBench]
) -> dict[str, float]:
    """Return every figure of a bench by name, each as how much is done a second."""
    found = {f"{row.game}: random games": row.playouts_per_sec for row in playouts}
    found |= {f"{row.game}: nmcs level {row.level}": 1 / row.secs for row in nested}
    return found | {f"{row.game}: {row.search}": row.playouts_per_sec for row in searches}


@dataclass(frozen=True)
class Change:
    """A figure of an earlier bench beside the same now; `ratio` is above 1 if it is faster now."""

    figure: str
    earlier: float
    now: float

    @property
    def ratio(self) -> float:
        return self.now / self.earlier

    @property
    def verdict(self) -> str:
        """Return "faster", "slower", or "same" if they differ less than two benches of one program may."""
        return "faster" if self.ratio > 1 + NOISE else "slower" if self.ratio < 1 - NOISE else "same"


def changes(earlier: dict[str, float], now: dict[str, float]) -> list[Change]:
    """Return what both have."""
    return [Change(name, earlier[name], value) for name, value in now.items() if name in earlier]


def run_bench(
    seconds: float, games: Iterable[GameEntry] | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[list[PlayoutBench], list[NestedBench], list[SearchBench]]:
    """Measure these games or the usual ones, about `seconds` for each figure; `say` is told what is measured now."""
    entries = list(games or (GAMES[name] for name in _USUAL))
    playouts, nested, searches = [], [], []
    for entry in entries:
        say(f"{entry.name}: random games")
        playouts.append(bench_playouts(entry, seconds))
        for level in (1, 2):
            say(f"{entry.name}: nmcs level {level}")
            nested.append(bench_nested(entry, level, seconds))
        searches += bench_searches(entry, seconds, say)
    return playouts, nested, searches
