"""How time and memory grow with the work: levels, beams, trees, workers, collections.

Each row is so much work in so much time; nothing grows faster than the work if the time for one unit stays the same.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from morpion_cli.algorithms.catalog import ALGORITHMS
from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.options import BeamOptions, NestedOptions, SamplingOptions, TreeOptions
from morpion_cli.algorithms.searcher import Searcher, ready
from morpion_cli.algorithms.uct import TreeSearch
from morpion_cli.collection.index import scan
from morpion_cli.experiment.plan import Cell
from morpion_cli.experiment.trials import run_trials
from morpion_cli.formats.msr import dump
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream

_SEED = 1
LEVELS = (1, 2, 3)
BEAMS = (1, 2, 4, 8, 16, 32, 64, 128)
NODES = (10**4, 10**5, 10**6, 10**7)
GRIDS = (10, 100, 1000, 10_000, 100_000)
_BYTES_OF_NODE = 52
_NODES_OF_PLAYOUT = 3  # that its leaf adds, about


@dataclass(frozen=True)
class Growth:
    """One row: how long so much work took.

    size: what grows, such as the level or the number of nodes.
    work: how many units it is; unit: what they are.
    seconds: CPU time, of workers and collections wall time.
    megabytes: memory of what grows; None where nothing does.
    """

    table: str
    size: int
    work: float
    unit: str
    seconds: float
    megabytes: float | None = None

    @property
    def microseconds(self) -> float:
        """Return the time of one unit."""
        return self.seconds / self.work * 1e6


def _of_search(table: str, size: int, searcher: Searcher) -> Growth:
    begun = time.thread_time()
    searcher.forget_best()
    before = searcher.playouts
    searcher.run(task_stream(_SEED, 0))
    return Growth(table, size, searcher.playouts - before, "playouts", time.thread_time() - begun)


def levels(most: int) -> Iterator[Growth]:
    """Yield nested search on 4D by level."""
    loaded = GAMES["4D"].load()
    for level in (level for level in LEVELS if level <= most):
        yield _of_search("nmcs on 4D, by level", level, ready(partial(Nested, loaded, NestedOptions(level=level))))


def beams(most: int) -> Iterator[Growth]:
    """Yield beam search of level 1 on 5D by beam."""
    loaded = GAMES["5D"].load()
    for beam in (beam for beam in BEAMS if beam <= most):
        searcher = ready(partial(Nested, loaded, BeamOptions(beam=(beam,))))
        yield _of_search("mcbs level 1 on 5D, by beam", beam, searcher)


def trees(most: int) -> Iterator[Growth]:
    """Yield one tree of UCT on 5D that grows until it has so many nodes."""
    loaded = GAMES["5D"].load()
    for nodes in (nodes for nodes in NODES if nodes <= most):
        options = TreeOptions(bandit="ucb1", c=0.4, max_nodes=nodes, task_playouts=nodes // _NODES_OF_PLAYOUT)
        searcher = ready(partial(TreeSearch, loaded, options))
        row = _of_search("uct on 5D, by nodes", nodes, searcher)
        yield replace(row, size=searcher.nodes, megabytes=searcher.nodes * _BYTES_OF_NODE / 1e6)


def workers(searches: int) -> Iterator[Growth]:
    """Yield searches of level 1 on 5D by threads."""
    entry, algorithm = GAMES["5D"], ALGORITHMS["nmcs"]
    cell = Cell("", "", "", entry, entry.options(), algorithm, NestedOptions(level=1), searches)
    for count in range(1, len(os.sched_getaffinity(0)) + 1):
        begun = time.perf_counter()
        run_trials([cell], _SEED, count, (), lambda _: None, lambda: False)
        yield Growth("level-1 searches on 5D, by threads", count, searches, "searches", time.perf_counter() - begun)


def collections(most: int) -> Iterator[Growth]:
    """Yield folders of random games of 4D: listing them for the first time, when each is replayed, and again."""
    loaded = GAMES["4D"].load()
    searcher = ready(lambda: Sampling(loaded, SamplingOptions(task_playouts=1)))
    replayed: list[tuple[int, float]] = []
    indexed: list[tuple[int, float]] = []
    for grids in (grids for grids in GRIDS if grids <= most):
        with tempfile.TemporaryDirectory(prefix="morpion-scaling-") as name:
            folder = Path(name)
            for task in range(grids):
                searcher.forget_best()
                result = searcher.run(task_stream(_SEED, task))
                assert result is not None
                (folder / f"{task}.json").write_bytes(dump(loaded.record(result.best_moves, {})))
            for table in (replayed, indexed):
                begun = time.perf_counter()
                scan(folder)
                table.append((grids, time.perf_counter() - begun))
    for name, table in (("a folder of grids, replayed", replayed), ("the same from its index", indexed)):
        for grids, seconds in table:
            yield Growth(name, grids, grids, "grids", seconds)


def run_scaling(quick: bool) -> Iterator[Growth]:
    """Yield every row; `quick` leaves out what takes more than some seconds."""
    yield from levels(2 if quick else 3)
    yield from beams(8 if quick else 128)
    yield from trees(10**5 if quick else 10**7)
    yield from workers(300 if quick else 5000)
    yield from collections(100 if quick else 100_000)
