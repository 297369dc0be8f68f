"""What runs on a worker of a cluster: whole tasks, and evaluations of a search that the client's master plays."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from morpion_cli import __version__
from morpion_cli.algorithms.options import SearchOptions
from morpion_cli.algorithms.searcher import Searcher, TaskResult, ready
from morpion_cli.algorithms.split import Answer, Evaluation, SplitSearcher
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.puzzle import Puzzle
from morpion_cli.kernel.cache import source_digest
from morpion_cli.kernel.random import task_stream

_LOOK_EVERY = 0.5  # seconds between two looks whether anybody still wants the answer
_local = threading.local()


@dataclass(frozen=True)
class Search:
    """All that a worker needs to know of a hunt; small, and sent with each request.

    version: of the program and its engines; different engines would play different games.
    """

    game: str
    puzzle: Puzzle
    opening: tuple[Any, ...]
    algorithm: str
    options: SearchOptions
    seed: int
    target: int | None
    version: str


class VersionError(Exception):
    """The worker has another version of the program than the client."""


def version() -> str:
    """Return the version of the program and of everything that is compiled."""
    return f"{__version__} {source_digest()}"


def run_tasks(search: Search, tasks: list[int], key: str) -> tuple[list[tuple[int, TaskResult]], float]:
    """Run whole tasks, and return them with the seconds it took; fewer if nobody wants them any more."""
    searcher = _searcher(search)
    results = []
    begun = time.perf_counter()
    with _stopped_with(searcher, key):
        for task in tasks:
            searcher.forget_best()
            result = searcher.run(task_stream(search.seed, task))
            if result is None:
                break
            results.append((task, result))
    return results, time.perf_counter() - begun


def evaluate(search: Search, evaluation: Evaluation, key: str) -> tuple[Answer | None, int]:
    """Answer a master's evaluation; None if nobody wants it any more. Also return how many games were played."""
    searcher = _searcher(search)
    assert isinstance(searcher, SplitSearcher)
    before = searcher.playouts
    with _stopped_with(searcher, key):
        searcher.forget_best()
        (answer,) = searcher.ask_here([evaluation])
    return answer, searcher.playouts - before


def _searcher(search: Search) -> Searcher:
    """Return this thread's searcher, made at the first request of a hunt."""
    if search.version != version():
        raise VersionError(f"a worker has version {version()}, this is {search.version}")
    if getattr(_local, "search", None) != search:
        from morpion_cli.algorithms.catalog import ALGORITHMS

        make = ALGORITHMS[search.algorithm].load()
        loaded = GAMES[search.game].load(search.puzzle, search.opening)
        fresh = ready(lambda: make(loaded, search.options))
        if search.target is not None:
            fresh.set_target(search.target)
        _local.search, _local.searcher = search, fresh
    searcher: Searcher = _local.searcher
    _go_on(searcher)
    return searcher


def _go_on(searcher: Searcher) -> None:
    """Take back an earlier stop."""
    from morpion_cli.kernel.control import STOP

    for block in searcher.controls:
        block[STOP] = 0


@contextmanager
def _stopped_with(searcher: Searcher, key: str) -> Iterator[None]:
    """Stop the searcher as soon as the cluster has cancelled the request."""
    from distributed import get_worker

    try:
        tasks = get_worker().state.tasks
    except (ValueError, AttributeError):  # not on a worker
        yield
        return
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_EVERY):
            task = tasks.get(key)
            if task is None or task.state in ("cancelled", "resumed"):
                searcher.stop()
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
