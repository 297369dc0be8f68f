"""What every algorithm must do, on every game."""

import subprocess
import sys

import pytest

from morpion_cli.algorithms.catalog import ALGORITHMS
from morpion_cli.algorithms.options import (
    BeamOptions,
    BeamTreeOptions,
    DepthFirstOptions,
    FlatOptions,
    NestedOptions,
    NrpaOptions,
    PriorityOptions,
    ReflexiveOptions,
    SamplingOptions,
    TreeOptions,
)
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.verify import verify
from morpion_cli.kernel.random import task_stream
from tests.algorithms.stopping import seconds_to_stop

# A task of a few milliseconds, and one that no test waits for.
SHORT = {
    "sampling": SamplingOptions(task_playouts=200),
    "depth-first": DepthFirstOptions(task_playouts=200),
    "flat-mc": FlatOptions(playouts=2),
    "reflexive": ReflexiveOptions(games=(2, 3)),
    "nmcs": NestedOptions(level=1),
    "mcbs": BeamOptions(beam=(3,)),
    "nrpa": NrpaOptions(level=2, iterations=15),
    "priority": PriorityOptions(task_children=600, maintenance=100, ends_every=50, end_failures=5),
    "uct": TreeOptions(task_playouts=300, max_nodes=100_000),
    "bmcts": BeamTreeOptions(task_playouts=300, max_nodes=100_000, simulation_limit=20, beam_width=3),
}
LONG = {
    "sampling": SamplingOptions(task_playouts=10**12),
    "depth-first": DepthFirstOptions(task_playouts=10**12),
    "flat-mc": FlatOptions(playouts=10**9),
    "reflexive": ReflexiveOptions(games=(1000, 1000, 1000)),
    "nmcs": NestedOptions(level=4),
    "mcbs": BeamOptions(beam=(1, 8, 8)),
    "nrpa": NrpaOptions(level=5),
    "priority": PriorityOptions(task_children=10**12, patience=0),
    "uct": TreeOptions(task_playouts=10**12, max_nodes=100_000),
    "bmcts": BeamTreeOptions(task_playouts=10**12, max_nodes=100_000, simulation_limit=10**6),
}


# Each pair of algorithm and game takes seconds to compile, so most run in the slow tests only.
QUICK = ("4D", "samegame")


@pytest.fixture(params=sorted(ALGORITHMS))
def algorithm(request):
    return request.param


@pytest.fixture(
    params=[name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in sorted(GAMES)]
)
def loaded(request):
    return GAMES[request.param].load()


def searcher(algorithm, loaded, options):
    return ALGORITHMS[algorithm].load()(loaded, options)


def test_returns_a_finished_game_that_the_referee_confirms(algorithm, loaded):
    search = searcher(algorithm, loaded, SHORT[algorithm])
    for task in range(5):
        search.forget_best()
        result = search.run(task_stream(1, task))
        verdict = verify(loaded.record(result.best_moves, {}))
        assert verdict.legal and verdict.terminal
        assert verdict.score == result.best_score >= result.score >= loaded.puzzle.bounds[0]
        assert result.playouts > 0


def test_the_same_stream_gives_the_same_result_whatever_ran_before(algorithm, loaded):
    first, second = (searcher(algorithm, loaded, SHORT[algorithm]) for _ in range(2))
    results = []
    for search, tasks in ((first, (0, 1, 2)), (second, (2, 0, 1))):
        found = {}
        for task in tasks:
            search.forget_best()
            result = search.run(task_stream(4, task))
            found[task] = (result.score, result.best_score, result.playouts, list(result.best_moves))
        results.append(found)
    assert results[0] == results[1]
    # Tasks differ; but in the leftmost path most searches find the one best game.
    assert loaded.entry.name == "leftmost-path" or len({tuple(found[3]) for found in results[0].values()}) > 1


def test_the_flag_stops_it_within_50_ms(algorithm):
    search = searcher(algorithm, GAMES["5D"].load(), LONG[algorithm])
    search.warm_up()
    assert seconds_to_stop(search) < 0.05
    assert search.snapshot()[0] > 40  # what it had found is not lost


@pytest.mark.parametrize("limit", [1, 1000])
def test_a_limit_of_playouts_is_kept_exactly(algorithm, limit):
    search = searcher(algorithm, GAMES["5D"].load(), LONG[algorithm])
    search.limit_playouts(limit)
    search.forget_best()
    assert search.run(task_stream(1, 0)) is None
    assert search.playouts == limit
    assert search.snapshot()[0] >= 20


def test_a_position_without_legal_moves(algorithm):
    loaded = GAMES["5D"].load()
    search = searcher(algorithm, loaded, SHORT[algorithm])
    # Play the root to its end.
    call = loaded.game.functions
    while call["n_moves"](search.root) > 0:
        call["play"](search.root, call["move"](search.root, 0))
    search.forget_best()
    result = search.run(task_stream(1, 0))
    assert result.score == result.best_score == call["score"](search.root)
    assert len(result.best_moves) == 0


def test_code_from_the_cache_gives_the_same(algorithm):
    # Some ways to write a kernel compile and run, and crash once they are loaded from the cache by another process.
    options = SHORT[algorithm]
    here = searcher(algorithm, GAMES["4D"].load(), options)
    here.forget_best()
    result = here.run(task_stream(1, 0))
    code = (
        "from morpion_cli.algorithms.catalog import ALGORITHMS\n"
        "from morpion_cli.games.catalog import GAMES\n"
        "from morpion_cli.kernel.random import task_stream\n"
        f"entry = ALGORITHMS[{algorithm!r}]\n"
        f"options = entry.options.model_validate({options.model_dump()!r})\n"
        "search = entry.load()(GAMES['4D'].load(), options)\n"
        "result = search.run(task_stream(1, 0))\n"
        "print(result.score, result.best_score, result.playouts)\n"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert there.returncode == 0, there.stderr
    assert there.stdout.split() == [str(n) for n in (result.score, result.best_score, result.playouts)]
