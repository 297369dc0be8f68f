"""A search that a master plays is the compiled search, on any number of threads, and from any checkpoint."""

import threading
import time

import numpy as np
import pytest

from morpion_cli.algorithms.nested import Nested, SplitNested
from morpion_cli.algorithms.options import BeamOptions, NestedOptions, ReflexiveOptions
from morpion_cli.algorithms.reflexive import Reflexive, SplitReflexive
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream

CASES = {
    "memory": (Nested, SplitNested, NestedOptions, {"level": 2}),
    "no memory": (Nested, SplitNested, NestedOptions, {"level": 2, "memory": False}),
    "beam": (Nested, SplitNested, BeamOptions, {"beam": (2, 4)}),
    "unique": (Nested, SplitNested, BeamOptions, {"beam": (1, 4), "unique": True}),
    "reflexive": (Reflexive, SplitReflexive, ReflexiveOptions, {"games": (5, 3, 2)}),
}


def outcome(result):
    return result.score, result.best_score, result.best_moves.tolist(), result.playouts


# Those that differ in one option only take as long again.
@pytest.mark.parametrize(
    "name",
    [name if name in ("beam", "reflexive") else pytest.param(name, marks=pytest.mark.slow) for name in CASES],
)
def test_the_master_changes_nothing_on_any_number_of_threads(name):
    compiled, split, options, given = CASES[name]
    loaded = GAMES["4D"].load()
    whole = compiled(loaded, options(**given))
    for threads in (1, 3):
        search = split(loaded, options(threads=threads, **given))
        for task in range(2):
            whole.forget_best()
            search.forget_best()
            assert outcome(search.run(task_stream(5, task))) == outcome(whole.run(task_stream(5, task)))


@pytest.mark.parametrize("name", CASES)
def test_goes_on_from_every_checkpoint(name):
    _, split, options, given = CASES[name]
    loaded = GAMES["4D"].load()
    search = split(loaded, options(**given))
    kept = []
    keep = search._keep
    search._keep = lambda **arrays: (keep(**arrays), kept.append(search.checkpoint()))[0]
    expected = outcome(search.run(task_stream(1, 0)))
    assert len(kept) > 10
    for start in kept[:: len(kept) // 6]:
        other = split(loaded, options(threads=2, **given))
        other.resume(start)
        assert outcome(other.run(task_stream(1, 0)))[:3] == expected[:3]


@pytest.mark.parametrize("threads", [1, 2])
def test_stops_at_once_and_has_the_best(threads):
    search = SplitNested(GAMES["4D"].load(), NestedOptions(level=4, threads=threads))
    thread = threading.Thread(target=lambda: results.append(search.run(task_stream(1, 0))))
    results = []
    thread.start()
    time.sleep(0.5)
    search.stop()
    begun = time.perf_counter()
    thread.join()
    assert time.perf_counter() - begun < 0.5 and results == [None]
    score, moves = search.snapshot()
    assert score == len(moves) > 28


def test_a_target_ends_it_with_the_first_game_that_reaches_it():
    found = []
    for threads in (1, 2, 3):
        search = SplitNested(GAMES["4D"].load(), NestedOptions(level=3, threads=threads))
        search.set_target(33)
        result = search.run(task_stream(1, 0))
        assert result.best_score >= 33
        found.append(result.best_moves)
    assert all(np.array_equal(found[0], other) for other in found)


@pytest.mark.slow
def test_two_threads_are_nearly_twice_as_fast():
    """At level 3, on two idle cores: 1.9 and more."""
    seconds = {}
    for threads in (1, 2):
        search = SplitNested(GAMES["5D"].load(), NestedOptions(level=3, threads=threads))
        search.warm_up()
        begun = time.perf_counter()
        for task in range(2):
            search.forget_best()
            search.run(task_stream(1, task))
        seconds[threads] = time.perf_counter() - begun
    assert seconds[1] / seconds[2] >= 1.9
