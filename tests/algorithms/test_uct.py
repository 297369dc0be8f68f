import math
import os
import time

import numpy as np
import pytest

from morpion_cli.algorithms import bandit, tree
from morpion_cli.algorithms.bandit import BANDITS
from morpion_cli.algorithms.options import BeamTreeOptions, TreeOptions
from morpion_cli.algorithms.policy import write_policy
from morpion_cli.algorithms.tree import NOT_EXPANDED, TOTAL, VISITS, WORDS
from morpion_cli.algorithms.uct import TreeSearch
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel import control
from morpion_cli.kernel.random import task_stream
from tests.algorithms.stopping import seconds_to_stop


def searcher(options, game="5D"):
    return TreeSearch(GAMES[game].load(), options)


def run(search, tasks=1, seed=6):
    results = []
    for task in range(tasks):
        search.forget_best()
        results.append(search.run(task_stream(seed, task)))
    return results


def value_of(kind, scores, parent_visits, c=0.0, d=0.0, max_weight=0.0, amaf=0.0, amaf_scores=(), prior=0.0, scale=1.0):
    """Return the value of one child, computed by the compiled code, as the second of two."""
    counts = np.zeros(3 * WORDS, np.int64)
    counts[WORDS : 2 * WORDS] = 1, 0, 0, 0  # the first child; the child asked about is in row 2
    counts[2 * WORDS :] = len(scores), sum(scores), sum(score**2 for score in scores), max(scores)
    amaf_visits = np.array([0, 1, len(amaf_scores)], np.int32)
    amaf_totals = np.array([0, 0, sum(amaf_scores)], np.int64)
    out = np.zeros(2)
    rule = bandit.Bandit(BANDITS.index(kind), c, d, max_weight, amaf, 0.0, scale)
    priors = np.array([0, 0, prior], np.float32)
    bandit.child_values(rule, float(parent_visits), 1, 2, counts, amaf_visits, amaf_totals, priors, out)
    return out[1]


LOG = math.log(20)


# A child with the scores 2, 4 and 9 under a node with 20 visits: mean 5, sum of squares 101, variance 26/3.
@pytest.mark.parametrize(
    ("kind", "rule", "expected"),
    [
        ("ucb1", {"c": 0.5}, 5 + 0.5 * math.sqrt(LOG / 3)),
        ("ucb1", {"c": 0.0}, 5),
        ("ucb1", {"c": 0.5, "scale": 0.1}, 0.5 + 0.5 * math.sqrt(LOG / 3)),
        ("ucb1", {"c": 0.5, "max_weight": 0.25}, 0.75 * 5 + 0.25 * 9 + 0.5 * math.sqrt(LOG / 3)),
        ("ucb1-tuned", {"c": 2.0}, 5 + 2 * math.sqrt(LOG / 3 * 0.25)),
        ("reflexive", {"c": 0.1}, 5 + math.sqrt(LOG / 0.3)),
        ("sp-mcts", {"c": 0.5, "d": 32}, 5 + 0.5 * math.sqrt(LOG / 3) + math.sqrt((101 - 75 + 32) / 3)),
        ("puct", {"c": 1.5, "prior": 0.25}, 5 + 1.5 * 0.25 * math.sqrt(20) / 4),
        # RAVE: b = sqrt(7 / (9 + 7)), amaf mean 8.
        ("ucb1", {"amaf": 7.0, "amaf_scores": (7, 9)}, 5 + math.sqrt(7 / 16) * (8 - 5)),
        ("ucb1", {"amaf": 7.0}, 5),  # without amaf playouts the mean stays
    ],
)
def test_bandits_by_hand(kind, rule, expected):
    assert value_of(kind, (2, 4, 9), 20, **rule) == pytest.approx(expected, rel=1e-6)


def test_ucb1_tuned_uses_the_variance_when_it_is_small():
    scores = [49, 50, 51] * 1000  # normalised by 1/100: variance 2/3 / 10,000
    bound = 2 / 3 / 10_000 + math.sqrt(2 * math.log(10_000) / 3000)
    assert bound < 0.25
    value = value_of("ucb1-tuned", scores, 10_000, c=1.0, scale=0.01)
    assert value == pytest.approx(0.5 + math.sqrt(math.log(10_000) / 3000 * bound))


def stored_tree():
    """A root with the children 1, 2, 3; 1 has 4 and 5, 3 has 6 and the untried 7; 5 has 8."""
    stored = tree.new_tree(20)
    stored.size[0] = 9
    rows = {
        0: (-1, 60, 1, 3, 3),
        1: (0, 30, 4, 2, 2),
        2: (0, 5, NOT_EXPANDED, 0, 0),
        3: (0, 25, 6, 2, 1),
        4: (1, 10, NOT_EXPANDED, 0, 0),
        5: (1, 19, 8, 1, 1),
        6: (3, 24, NOT_EXPANDED, 0, 0),
        7: (3, 0, NOT_EXPANDED, 0, 0),
        8: (5, 18, NOT_EXPANDED, 0, 0),
    }
    for row, (parent, visits, first, n_children, n_tried) in rows.items():
        stored.parents[row], stored.first_child[row] = parent, first
        stored.n_children[row], stored.n_tried[row] = n_children, n_tried
        stored.moves[row] = 100 + row
        stored.counts[row * WORDS : row * WORDS + 2] = visits, 1000 + row
    return stored


def count(nodes, row, word):
    return int(nodes.counts[row * WORDS + word])


def shape(nodes, row=0):
    """Return the tree below a row as (move, visits, children)."""
    first = nodes.first_child[row]
    children = [shape(nodes, child) for child in range(first, first + nodes.n_children[row])]
    assert all(nodes.parents[child] == row for child in range(first, first + nodes.n_children[row]))
    assert nodes.n_tried[row] == nodes.n_children[row]
    assert count(nodes, row, TOTAL) == 1000 + nodes.moves[row] - 100
    return int(nodes.moves[row]), count(nodes, row, VISITS), children


@pytest.mark.parametrize(
    ("depth", "width", "expected"),
    [
        (1, 1, (100, 60, [(101, 30, [])])),
        (1, 2, (100, 60, [(101, 30, []), (103, 25, [])])),
        (2, 1, (100, 60, [(103, 25, [(106, 24, [])])])),
        (2, 2, (100, 60, [(101, 30, [(105, 19, [])]), (103, 25, [(106, 24, [])])])),
        (2, 9, (100, 60, [(101, 30, [(104, 10, []), (105, 19, [])]), (103, 25, [(106, 24, [])])])),
        (3, 1, (100, 60, [(101, 30, [(105, 19, [(108, 18, [])])])])),
    ],
)
def test_pruning_keeps_the_most_visited_and_their_ancestors(depth, width, expected):
    stored = stored_tree()
    nodes, others = np.zeros(20, np.int32), np.zeros(20, np.int32)
    tree.prune(stored, tree.new_tree(20), depth, width, nodes, others)
    assert shape(stored) == expected


def check_counts(search, playouts):
    (nodes,) = search._trees
    assert count(nodes, 0, VISITS) == playouts
    for row in range(int(nodes.size[0])):
        first, n = nodes.first_child[row], nodes.n_children[row]
        children = range(first, first + n) if first != NOT_EXPANDED else range(0)
        below = sum(count(nodes, child, VISITS) for child in children)
        # The playouts that ended here either made the node, or were the end of a game.
        ended = count(nodes, row, VISITS) - below
        assert ended >= 0
        if children:
            assert ended >= 1 or row == 0
            assert sum(count(nodes, child, VISITS) > 0 for child in children) == min(n, nodes.n_tried[row])
            totals = sum(count(nodes, child, TOTAL) for child in children)
            assert ended <= count(nodes, row, TOTAL) - totals <= 84 * ended or ended == 0
            if ended == 0:
                assert totals == count(nodes, row, TOTAL)


@pytest.mark.parametrize("parallel", ["none", "leaf", "tree"])
def test_the_tree_counts_every_playout_once(parallel):
    search = searcher(TreeOptions(task_playouts=5001, max_nodes=200_000, parallel=parallel, threads=3))
    (result,) = run(search)
    assert result.playouts == 5001
    if parallel == "leaf":  # three playouts end at each new node
        assert count(search._trees[0], 0, VISITS) == 5001
    else:
        check_counts(search, 5001)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no such call")
def test_threads_that_share_a_core_let_each_other_run():
    # Who only looks and never gives way keeps the core for milliseconds: 250 playouts a second.
    search = searcher(TreeOptions(task_playouts=6000, parallel="leaf", threads=3, max_nodes=100_000))
    search.warm_up()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        begun = time.perf_counter()
        run(search)
        assert time.perf_counter() - begun < 3
    finally:
        os.sched_setaffinity(0, cores)


@pytest.mark.parametrize("parallel", ["root", "leaf"])
def test_parallel_forms_that_do_not_share_are_reproducible(parallel):
    options = TreeOptions(task_playouts=2001, max_nodes=100_000, parallel=parallel, threads=3)
    one, other = run(searcher(options))[0], run(searcher(options))[0]
    assert (one.score, list(one.best_moves), one.playouts) == (other.score, list(other.best_moves), 2001)


def test_parallel_root_is_the_best_of_its_trees():
    search = searcher(TreeOptions(task_playouts=4000, max_nodes=100_000, parallel="root", threads=2))
    (result,) = run(search)
    assert [count(nodes, 0, VISITS) for nodes in search._trees] == [2000, 2000]
    assert result.score == max(int(block[control.BEST]) for block in search.controls)


@pytest.mark.parametrize("parallel", ["root", "leaf", "tree"])
def test_parallel_forms_stop_and_keep_limits(parallel):
    search = searcher(TreeOptions(task_playouts=10**12, max_nodes=100_000, parallel=parallel, threads=2))
    search.limit_playouts(3001)
    search.forget_best()
    assert search.run(task_stream(1, 0)) is None
    assert search.playouts == 3001
    search.limit_playouts(control.NO_LIMIT)
    assert seconds_to_stop(search) < 0.05


def test_restarts_share_the_playouts():
    search = searcher(TreeOptions(task_playouts=3001, restarts=3, max_nodes=100_000))
    (result,) = run(search)
    assert result.playouts == 3001
    assert count(search._trees[0], 0, VISITS) == 1000  # the last tree


def test_move_by_move_is_a_beam_of_one_and_ends_with_its_game():
    moves = run(searcher(TreeOptions(task_playouts=10**6, move_by_move=200)))
    beam = run(searcher(BeamTreeOptions(task_playouts=10**6, simulation_limit=200, beam_width=1)))
    assert [list(result.best_moves) for result in moves] == [list(result.best_moves) for result in beam]
    assert moves[0].playouts == beam[0].playouts < 70 * 200


def test_widening_opens_children_slowly():
    search = searcher(TreeOptions(task_playouts=400, max_nodes=100_000, widening={"k": 1, "alpha": 0.5}))
    run(search)
    (nodes,) = search._trees
    assert nodes.n_tried[0] == 19  # the 400th playout saw 399 visits
    assert all(nodes.n_tried[row] <= max(1, math.sqrt(count(nodes, row, VISITS))) for row in range(int(nodes.size[0])))


def test_puct_follows_its_prior(tmp_path):
    search = searcher(TreeOptions(task_playouts=1))
    call = search.game.functions
    codes = [call["code"](search.root, call["move"](search.root, i)) for i in range(28)]
    weights = np.zeros(search.game.n_codes, np.float32)
    weights[codes[5]], weights[codes[7]] = 3.0, 2.0
    write_policy(tmp_path / "p.json", GAMES["5D"], weights, {})
    puct = searcher(
        TreeOptions(bandit="puct", c=3.0, task_playouts=300, policy_in=str(tmp_path / "p.json"), max_nodes=100_000)
    )
    run(puct)
    (nodes,) = puct._trees
    first = nodes.first_child[0]
    priors = nodes.priors[first : first + 28]
    assert priors[0] == pytest.approx(math.exp(3) / (math.exp(3) + math.exp(2) + 26), rel=1e-5)
    assert sum(priors) == pytest.approx(1, rel=1e-5)
    assert list(priors) == sorted(priors, reverse=True)
    visits = [count(nodes, child, VISITS) for child in range(first, first + 28)]
    assert visits[0] > visits[1] > max(visits[2:])
    assert sum(visits) == 300


def test_amaf_counts_moves_played_later():
    search = searcher(TreeOptions(task_playouts=1, amaf=100, max_nodes=10_000))
    (result,) = run(search)
    (nodes,) = search._trees
    first = nodes.first_child[0]
    call = search.game.functions
    played = {call["code"](search.root, int(move)) for move in result.best_moves}
    for child in range(first, first + 28):
        assert nodes.amaf_visits[child] == (nodes.codes[child] in played)
        assert nodes.amaf_totals[child] == nodes.amaf_visits[child] * result.score
    assert 1 < nodes.amaf_visits[first : first + 28].sum() < 28


def test_a_full_tree_stops_growing_and_goes_on():
    search = searcher(TreeOptions(task_playouts=5000, max_nodes=1000))
    (result,) = run(search)
    assert result.playouts == 5000
    assert 900 < search._trees[0].size[0] <= 1000


def test_exploiting_beats_sampling():
    trees = run(searcher(TreeOptions(bandit="reflexive", c=0.1, task_playouts=10_000)), 10)
    assert 61 <= np.mean([result.score for result in trees]) <= 67  # RMC 2007: 64 with 10^4 games, with mobility


def test_beam_goes_deeper_than_the_tree():
    plain = searcher(TreeOptions(task_playouts=20_000))
    beam = searcher(BeamTreeOptions(task_playouts=20_000, simulation_limit=400, beam_width=1))
    run(plain)
    run(beam)
    assert np.count_nonzero(beam._lanes[0].passed) > np.count_nonzero(plain._lanes[0].passed) + 3
    # Move by move: where the tree has been pruned, each depth has one node.
    nodes, node, depth = beam._trees[0], 0, 0
    while nodes.n_children[node] == 1:
        node = nodes.first_child[node]
        depth += 1
    assert depth >= 10


def test_threshold_keeps_young_nodes_out_of_the_tree():
    search = searcher(TreeOptions(task_playouts=3000, threshold=10, bandit="sp-mcts", c=0.5, max_weight=0.02))
    run(search)
    nodes = search._trees[0]
    expanded = [row for row in range(int(nodes.size[0])) if nodes.n_children[row]]
    assert expanded and all(count(nodes, row, VISITS) > 10 for row in expanded)
    assert search.control[control.PLAYOUTS] == 3000


@pytest.mark.parametrize("parallel", ["none", "root", "leaf", "tree"])
def test_a_task_of_fewer_playouts_than_trees_and_threads(parallel):
    options = TreeOptions(task_playouts=2, restarts=3, parallel=parallel, threads=3, max_nodes=10_000)
    (result,) = run(searcher(options))
    assert result.playouts == 2 and result.score >= 20
