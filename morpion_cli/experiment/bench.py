"""Speed and strength of this machine and this version, in one run. Times are CPU times of the searching thread."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.options import NestedOptions, SamplingOptions
from morpion_cli.games.catalog import GAMES, GameEntry
from morpion_cli.kernel.cache import first_call_lock
from morpion_cli.kernel.random import task_stream

_SEED = 1
_BATCH = 10_000  # playouts in one call


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


def bench_playouts(entry: GameEntry, seconds: float) -> PlayoutBench:
    """Play random games for about that long."""
    loaded = entry.load()
    with first_call_lock():
        searcher = Sampling(loaded, SamplingOptions(task_playouts=_BATCH))
        searcher.warm_up()
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
    with first_call_lock():
        searcher = Nested(loaded, NestedOptions(level=level))
        searcher.warm_up()
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


def run_bench(
    seconds: float, games: Iterable[GameEntry] | None = None, say: Callable[[str], None] = lambda _: None
) -> tuple[list[PlayoutBench], list[NestedBench]]:
    """Measure every game, about `seconds` for each figure; `say` is told what is measured now."""
    entries = list(GAMES.values() if games is None else games)
    playouts, nested = [], []
    for entry in entries:
        say(f"{entry.name}: random games")
        playouts.append(bench_playouts(entry, seconds))
        for level in (1, 2):
            say(f"{entry.name}: nmcs level {level}")
            nested.append(bench_nested(entry, level, seconds))
    return playouts, nested
