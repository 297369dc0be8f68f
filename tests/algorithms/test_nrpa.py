import numpy as np
import pytest

from morpion_cli.algorithms import nrpa
from morpion_cli.algorithms.nrpa import Nrpa
from morpion_cli.algorithms.options import NrpaOptions
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream


def searcher(game="5D", **options):
    loaded = GAMES[game].load()
    return Nrpa(loaded, NrpaOptions(**options))


def run(search, tasks, seed=3):
    results = []
    for task in range(tasks):
        search.forget_best()
        results.append(search.run(task_stream(seed, task)))
    return results


def test_adapt_is_the_formula_of_the_paper():
    workspace = searcher("4D", level=1)._workspace
    rng = np.random.default_rng(5)
    weights = rng.normal(size=workspace.weights.shape[1]).astype(np.float32)
    workspace.weights[1] = weights
    workspace.exponentials[1] = np.exp(weights)
    # Three steps; the code 9 is legal in all of them, 4 goes and comes back, 7 is played.
    steps = [([9, 4, 7], 2), ([9, 5], 0), ([4, 9, 11, 12], 1)]
    trace = workspace.traces[workspace.rows[1]]
    trace["length"], trace["n_numbered"] = 3, 7
    trace["counts"][:3] = [3, 2, 4]
    trace["numbers"][:9] = [0, 1, 2, 0, 3, 4, 0, 5, 6]
    trace["chosen"][:3] = [2, 0, 0]
    trace["numbered"]["code"][:7] = [9, 4, 7, 5, 4, 11, 12]
    trace["births"][:7] = [0, 0, 0, 1, 2, 2, 2]
    expected = weights.astype(float)
    for names, chosen in steps:
        probabilities = np.exp(weights[names].astype(float))
        expected[names[chosen]] += 0.7
        np.subtract.at(expected, names, 0.7 * probabilities / probabilities.sum())
    nrpa.adapt(workspace, 1, np.float32(0.7))
    assert workspace.weights[1] == pytest.approx(expected, abs=1e-5)
    assert workspace.exponentials[1] == pytest.approx(np.exp(expected), rel=1e-4)


def test_counts_its_playouts_and_keeps_its_best():
    for options, playouts in (({"level": 1}, 10), ({"level": 2}, 100), ({"level": 2, "stabilize": 4}, 400)):
        for result in run(searcher("4D", iterations=10, **options), 3):
            assert result.playouts == playouts
            assert result.score == result.best_score == len(result.best_moves)


def test_learning_helps():
    # The same number of playouts, with a rate that learns next to nothing.
    none, some = (
        np.mean([result.score for result in run(searcher(level=2, iterations=40, alpha=alpha), 10)])
        for alpha in (1e-6, 1.0)
    )
    assert some > none + 3


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_published_mean_of_level_3():
    # REFERENCES: 5D mean 76.8 over 8 searches.
    scores = [result.score for result in run(searcher(level=3), 20)]
    assert np.mean(scores) == pytest.approx(76.9, abs=0.6)


def test_iterations_one_by_one_are_the_same_search_and_go_on_from_every_checkpoint(monkeypatch):
    loaded, options = GAMES["4D"].load(), NrpaOptions(level=3, iterations=8)
    search = Nrpa(loaded, options)
    kept = []
    keep = search._keep
    search._keep = lambda *arguments: kept.append(keep(*arguments)) or kept[-1]
    one_by_one = search.run(task_stream(1, 0))
    assert len(kept) == 8
    for start in kept[::3]:
        other = Nrpa(loaded, options)
        other.resume(start)
        again = other.run(task_stream(1, 0))
        assert again.score == one_by_one.score
        assert again.best_moves.tolist() == one_by_one.best_moves.tolist()
        assert other.learned_policy().tobytes() == search.learned_policy().tobytes()
    monkeypatch.setattr("morpion_cli.algorithms.nrpa._KEPT_LEVEL", 9)
    whole = Nrpa(loaded, options)
    result = whole.run(task_stream(1, 0))
    assert (result.score, result.playouts) == (one_by_one.score, one_by_one.playouts)
    assert result.best_moves.tolist() == one_by_one.best_moves.tolist()
    assert whole.learned_policy().tobytes() == search.learned_policy().tobytes()
