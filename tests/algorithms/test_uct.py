import math

import numpy as np
import pytest

from morpion_cli.algorithms import uct
from morpion_cli.algorithms.options import BeamTreeOptions, TreeOptions
from morpion_cli.algorithms.uct import BANDITS, NOT_EXPANDED, TreeSearch
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel import control
from morpion_cli.kernel.random import task_stream


def searcher(options, game="5D"):
    return TreeSearch(GAMES[game].load(), options)


def run(search, tasks=1, seed=6):
    results = []
    for task in range(tasks):
        search.forget_best()
        results.append(search.run(task_stream(seed, task)))
    return results


# A child with the scores 2, 4 and 9 under a node with 20 visits: mean 5, sum of squares 101, variance 26/3.
@pytest.mark.parametrize(
    ("kind", "c", "d", "max_weight", "expected"),
    [
        ("ucb1", 0.5, 0, 0, 5 + 0.5 * math.sqrt(math.log(20) / 3)),
        ("ucb1", 0.0, 0, 0, 5),
        ("ucb1", 0.5, 0, 0.25, 0.75 * 5 + 0.25 * 9 + 0.5 * math.sqrt(math.log(20) / 3)),
        ("ucb1-tuned", 2.0, 0, 0, 5 + 2 * math.sqrt(math.log(20) / 3 * 0.25)),
        ("reflexive", 0.1, 0, 0, 5 + math.sqrt(math.log(20) / 0.3)),
        ("sp-mcts", 0.5, 32, 0.02, 5.08 + 0.5 * math.sqrt(math.log(20) / 3) + math.sqrt((101 - 75 + 32) / 3)),
    ],
)
def test_bandits_by_hand(kind, c, d, max_weight, expected):
    value = uct.bandit_value(BANDITS.index(kind), 3, 15.0, 101.0, 9.0, 20.0, c, d, max_weight)
    assert value == pytest.approx(expected)


def test_ucb1_tuned_uses_the_variance_when_it_is_small():
    # Scores 0.5, 0.5, 0.6 of 10,000 visits of the parent: 0.0022 + sqrt(2 ln t / n) is above 1/4 only for small n.
    visits, total, squares = 3000, 1600.0, 3000 * (1600 / 3000) ** 2 + 3000 * 0.0022
    value = uct.bandit_value(1, visits, total, squares, 0.6, 10_000.0, 1.0, 0.0, 0.0)
    bound = 0.0022 + math.sqrt(2 * math.log(10_000) / visits)
    assert bound < 0.25
    assert value == pytest.approx(1600 / 3000 + math.sqrt(math.log(10_000) / visits * bound))


def stored_tree():
    """A root with the children 1, 2, 3; 1 has 4 and 5, 3 has 6 and the untried 7; 5 has 8."""
    tree = uct._new_tree(20)
    tree.size[0] = 9
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
        tree.parents[row], tree.visits[row], tree.first_child[row] = parent, visits, first
        tree.n_children[row], tree.n_tried[row] = n_children, n_tried
        tree.moves[row], tree.totals[row] = 100 + row, 1000 + row
    return tree


def shape(tree, row=0):
    """Return the tree below a row as (move, visits, children)."""
    first = tree.first_child[row]
    children = [shape(tree, child) for child in range(first, first + tree.n_children[row])]
    assert all(tree.parents[child] == row for child in range(first, first + tree.n_children[row]))
    assert tree.n_tried[row] == tree.n_children[row]
    assert tree.totals[row] == 1000 + tree.moves[row] - 100
    return int(tree.moves[row]), int(tree.visits[row]), children


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
    tree = stored_tree()
    nodes, others = np.zeros(20, np.int32), np.zeros(20, np.int32)
    uct.prune(tree, uct._new_tree(20), depth, width, nodes, others)
    assert shape(tree) == expected


def test_the_tree_counts_every_playout_once():
    search = searcher(TreeOptions(task_playouts=5000, max_nodes=200_000))
    run(search)
    tree = search._tree
    used = int(tree.size[0])
    assert tree.visits[0] == 5000
    for row in range(used):
        first, n = tree.first_child[row], tree.n_children[row]
        children = range(first, first + n) if first != NOT_EXPANDED else range(0)
        below = sum(int(tree.visits[child]) for child in children)
        # The playout that made a node ended there; every other one went to a child, or ended the game here.
        assert below <= tree.visits[row]
        if children:
            assert tree.visits[row] - below in (0, 1)
            assert sum(tree.visits[child] > 0 for child in children) == tree.n_tried[row]
            assert sum(tree.totals[child] for child in children) == pytest.approx(
                tree.totals[row], abs=tree.visits[row] - below + 1e-6
            )


def test_a_full_tree_stops_growing_and_goes_on():
    search = searcher(TreeOptions(task_playouts=5000, max_nodes=1000))
    (result,) = run(search)
    assert result.playouts == 5000
    assert 900 < search._tree.size[0] <= 1000


def test_exploiting_beats_sampling():
    trees = run(searcher(TreeOptions(bandit="reflexive", c=0.1, task_playouts=10_000)), 10)
    assert 61 <= np.mean([result.score for result in trees]) <= 67  # RMC 2007: 64 with 10^4 games, with mobility


def test_beam_goes_deeper_than_the_tree():
    plain = searcher(TreeOptions(task_playouts=20_000))
    beam = searcher(BeamTreeOptions(task_playouts=20_000, simulation_limit=400, beam_width=1))
    run(plain)
    run(beam)
    assert np.count_nonzero(beam._passed) > np.count_nonzero(plain._passed) + 3
    # Move by move: where the tree has been pruned, each depth has one node.
    tree, node, depth = beam._tree, 0, 0
    while tree.n_children[node] == 1:
        node = tree.first_child[node]
        depth += 1
    assert depth >= 10


def test_threshold_keeps_young_nodes_out_of_the_tree():
    search = searcher(TreeOptions(task_playouts=3000, threshold=10, bandit="sp-mcts", c=0.5, max_weight=0.02))
    run(search)
    tree = search._tree
    expanded = [row for row in range(int(tree.size[0])) if tree.n_children[row]]
    assert expanded and all(tree.visits[row] > 10 for row in expanded)
    assert search.control[control.PLAYOUTS] == 3000
