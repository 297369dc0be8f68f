import numpy as np
import pytest

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.options import NestedOptions, SamplingOptions
from morpion_cli.experiment.left_move import distribution
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.toys import Toy
from morpion_cli.kernel.random import task_stream


def measured(toy, level, memory, searches):
    loaded = GAMES[toy.name].load(toy)
    search = (
        Nested(loaded, NestedOptions(level=level, memory=memory))
        if level
        else Sampling(loaded, SamplingOptions(task_playouts=1))
    )
    counts = np.zeros(toy.depth + 1)
    for task in range(searches):
        search.forget_best()
        counts[search.run(task_stream(5, task)).score] += 1
    return counts / searches


def test_theory_by_hand():
    assert list(distribution(0, 2)) == [0.25, 0.5, 0.25]
    # Level 1, one move: left always. Two moves: 1 + X against Y with X, Y in {0, 1} alike; left unless X = 0, Y = 1,
    # where either: 7/8. Then the last move is left.
    assert list(distribution(1, 1)) == [0, 1]
    assert list(distribution(1, 2)) == [0, 1 / 8, 7 / 8]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_search_without_memory_follows_the_theory(level):
    searches = 2000
    found, theory = measured(Toy("left-move", 12), level, False, searches), distribution(level, 12)
    noise = np.sqrt(np.maximum(theory * (1 - theory), 1e-4) / searches)
    assert np.all(np.abs(found - theory) < 5 * noise)


def test_leftmost_path_is_always_found_by_level_1():
    # NMCS 2009, section 4: in n (n - 1) steps.
    assert measured(Toy("leftmost-path", 60), 1, True, 20)[-1] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("memory", "published"), [(False, 0.41), (True, 0.80)])
def test_published_probability_of_the_best(memory, published):
    assert measured(Toy("left-move", 9), 3, memory, 20_000)[-1] == pytest.approx(published, abs=0.02)


@pytest.mark.slow
def test_published_depth_60():
    for level, searches in ((0, 100_000), (1, 20_000), (2, 20_000)):
        found = measured(Toy("left-move", 60), level, False, searches)
        assert np.max(np.abs(found - distribution(level, 60))) < 0.01
