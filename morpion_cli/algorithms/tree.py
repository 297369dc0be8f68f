"""The tree of a Monte-Carlo tree search, in flat arrays.

A node's children stand together in consecutive rows, and are reserved when the node is expanded. They stand in the
order in which they will be tried: at random, or by falling prior where a learned policy gives one. Scores are kept as
they are, in integers, so that several threads can add to them without a lock (Enzenberger and Mueller 2009) and no sum
depends on an order.
"""

from typing import NamedTuple

import numpy as np
from numba import float32, int32, int64
from numpy.typing import NDArray

from morpion_cli.kernel import atomic
from morpion_cli.kernel.arithmetic import exponential
from morpion_cli.kernel.compiling import inner
from morpion_cli.kernel.control import NO_SCORE
from morpion_cli.kernel.game import code, move, n_moves
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below

ROOT = 0
NO_NODE = -1
NOT_EXPANDED = -1
_BEING_EXPANDED = -2
# Where a node's counts stand in its words. They share a cache line, as threads that share a tree pass it to and fro.
VISITS, TOTAL, SQUARES, BEST = range(4)
WORDS = 4


class Tree(NamedTuple):
    """The nodes of a search, node i in row i; `size[0]` rows are in use.

    A column that a search does not need has one row.
    """

    size: NDArray[np.int64]  # (1,)
    parents: NDArray[np.int32]  # NO_NODE for the root
    moves: NDArray[np.int32]  # the move that leads to the node
    counts: NDArray[np.int64]  # WORDS to a node: visits, sum of the scores, sum of their squares, the greatest
    first_child: NDArray[np.int32]  # NOT_EXPANDED, or the row of the first child
    n_children: NDArray[np.int32]
    n_tried: NDArray[np.int32]  # the first so many children have been visited
    codes: NDArray[np.int32]  # with amaf: the code of the move
    amaf_visits: NDArray[np.int32]  # with amaf: playouts through the parent that played the move, then or later
    amaf_totals: NDArray[np.int64]  # with amaf: sum of their scores
    priors: NDArray[np.float32]  # with a policy: probability among the siblings


def new_tree(nodes: int, amaf: bool = False, priors: bool = False) -> Tree:
    """Return a tree with room for so many nodes, blank: `clear` it before use."""
    return Tree(
        size=private_zeros(1, np.int64),
        parents=private_zeros(nodes, np.int32),
        moves=private_zeros(nodes, np.int32),
        counts=private_zeros(nodes * WORDS, np.int64),
        first_child=private_zeros(nodes, np.int32),
        n_children=private_zeros(nodes, np.int32),
        n_tried=private_zeros(nodes, np.int32),
        codes=private_zeros(nodes if amaf else 1, np.int32),
        amaf_visits=private_zeros(nodes if amaf else 1, np.int32),
        amaf_totals=private_zeros(nodes if amaf else 1, np.int64),
        priors=private_zeros(nodes if priors else 1, np.float32),
    )


def clear(tree: Tree) -> None:
    """Make the tree an unvisited root without children."""
    tree.size[0] = 1
    for column in tree[1:]:
        column[ROOT] = 0
    tree.parents[ROOT] = NO_NODE
    tree.counts[:WORDS] = 0, 0, 0, NO_SCORE
    tree.first_child[ROOT] = NOT_EXPANDED


@inner
def expand(game, tree, node, state, weights, stream):
    """Reserve a node's children; does nothing if the tree is full, or another thread is at it.

    weights: of a learned policy, shape (n_codes,), which orders the children; or of length 0.
    """
    n = n_moves(game, state)
    if n == 0 or tree.size[0] + n > len(tree.moves):
        return
    if not atomic.replace(tree.first_child, node, int32(NOT_EXPANDED), int32(_BEING_EXPANDED)):
        return
    first = atomic.add(tree.size, 0, int64(n))
    if first + n > len(tree.moves):
        atomic.add(tree.size, 0, int64(-n))
        atomic.store(tree.first_child, node, int32(NOT_EXPANDED))
        return
    moves = tree.moves
    for i in range(n):
        j = below(stream, i + 1)
        moves[first + i] = moves[first + j]
        moves[first + j] = move(game, state, i)
    if len(weights) > 0:
        _order_by_prior(game, tree, first, n, state, weights)
    if len(tree.codes) > 1:
        for child in range(first, first + n):
            tree.codes[child] = code(game, state, int64(moves[child]))
            tree.amaf_visits[child] = 0
            tree.amaf_totals[child] = 0
    tree.parents[first : first + n] = node
    counts = tree.counts
    for child in range(first, first + n):
        counts[child * WORDS + VISITS] = 0
        counts[child * WORDS + TOTAL] = 0
        counts[child * WORDS + SQUARES] = 0
        counts[child * WORDS + BEST] = NO_SCORE
    tree.first_child[first : first + n] = NOT_EXPANDED
    tree.n_children[first : first + n] = 0
    tree.n_tried[first : first + n] = 0
    tree.n_children[node] = n
    tree.n_tried[node] = 0
    atomic.store(tree.first_child, node, int32(first))


@inner
def _order_by_prior(game, tree, first, n, state, weights):
    """Set the priors of n children from `first`, a softmax of their weights, and sort them so that they fall."""
    moves, priors = tree.moves, tree.priors
    greatest = float32(-np.inf)
    for child in range(first, first + n):
        priors[child] = weights[code(game, state, int64(moves[child]))]
        greatest = max(greatest, priors[child])
    total = float32(0.0)
    for child in range(first, first + n):
        priors[child] = exponential(priors[child] - greatest)
        total += priors[child]
    for i in range(first, first + n):
        chosen, prior = moves[i], priors[i] / total
        j = i
        while j > first and priors[j - 1] < prior:
            moves[j], priors[j] = moves[j - 1], priors[j - 1]
            j -= 1
        moves[j], priors[j] = chosen, prior


@inner
def _nodes_of_depth(tree, depth, nodes, others):
    """Fill `nodes` with the visited nodes of a depth; return how many."""
    nodes[0] = ROOT
    count = int64(1)
    for _ in range(depth):
        n_others = count
        for i in range(n_others):
            others[i] = nodes[i]
        count = int64(0)
        for i in range(n_others):
            first = tree.first_child[others[i]]
            for child in range(first, first + tree.n_tried[others[i]]):
                nodes[count] = child
                count += 1
    return count


@inner
def prune(tree, spare, depth, width, nodes, others):
    """Keep the `width` most visited nodes of a depth and their ancestors, and drop everything else.

    Of equally many visits the greatest mean stays: with a small simulation limit most nodes have one visit.

    `spare` is another tree, `nodes` and `others` hold a row index for every node; all three are overwritten.
    """
    counts = tree.counts
    count = _nodes_of_depth(tree, depth, nodes, others)
    # Partial selection sort, most visits first.
    for i in range(min(width, count)):
        most = i
        for j in range(i + 1, count):
            new, old = nodes[j] * WORDS, nodes[most] * WORDS
            visits = counts[new + VISITS] - counts[old + VISITS]
            if visits > 0 or (visits == 0 and counts[new + TOTAL] > counts[old + TOTAL]):
                most = j
        chosen = nodes[most]
        for j in range(most, i, -1):
            nodes[j] = nodes[j - 1]
        nodes[i] = chosen
    # Mark what stays by the sign of its number of visits.
    for i in range(min(width, count)):
        node = int64(nodes[i])
        while node != NO_NODE and tree.counts[node * WORDS + VISITS] > 0:
            tree.counts[node * WORDS + VISITS] = -tree.counts[node * WORDS + VISITS]
            node = int64(tree.parents[node])
    spare.size[0] = 1
    spare.parents[ROOT] = NO_NODE
    _copy_node(spare, ROOT, tree, ROOT)
    others[0] = ROOT  # row i of the spare tree is a copy of node others[i]
    for row in range(len(spare.moves)):
        if row >= spare.size[0]:
            break
        node = others[row]
        first = spare.size[0]
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_tried[node]):
            if tree.counts[child * WORDS + VISITS] < 0:
                others[spare.size[0]] = child
                _copy_node(spare, spare.size[0], tree, child)
                spare.parents[spare.size[0]] = row
                spare.size[0] += 1
        kept = spare.size[0] - first
        spare.first_child[row] = first if kept > 0 else NOT_EXPANDED
        spare.n_children[row] = kept
        spare.n_tried[row] = kept
    tree.size[0] = spare.size[0]
    for row in range(spare.size[0]):
        _copy_node(tree, row, spare, row)
        tree.counts[row * WORDS + VISITS] = abs(tree.counts[row * WORDS + VISITS])
        tree.parents[row] = spare.parents[row]
        tree.first_child[row] = spare.first_child[row]
        tree.n_children[row] = spare.n_children[row]
        tree.n_tried[row] = spare.n_tried[row]


@inner
def _copy_node(target, row, source, node):
    target.moves[row] = source.moves[node]
    for i in range(WORDS):
        target.counts[row * WORDS + i] = source.counts[node * WORDS + i]
    if len(source.codes) > 1:
        target.codes[row] = source.codes[node]
        target.amaf_visits[row] = source.amaf_visits[node]
        target.amaf_totals[row] = source.amaf_totals[node]
    if len(source.priors) > 1:
        target.priors[row] = source.priors[node]
