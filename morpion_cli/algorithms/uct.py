"""Monte-Carlo tree search for one player (UCT), and beam Monte-Carlo tree search over the same tree.

The tree is flat arrays. A node's children stand together, in random order, and are reserved when the node is expanded:
at the first playout that reaches it with `threshold` visits behind it. Every playout tries one child that had none
before; where all have been tried, the bandit chooses. The best game of all playouts is kept, wherever it was found.

Beam MCTS (Baier and Winands, CIG 2012): a counter for each depth rises as a playout passes it in the tree. When one
reaches the simulation limit, the beam-width most visited nodes of that depth and their ancestors stay, everything else
goes, and no nodes are added at or above that depth from then on.
"""

from typing import NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import BeamTreeOptions, TreeOptions
from morpion_cli.algorithms.rollout import RolloutPolicy, rollout
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import copy, move, n_moves, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below

ROOT = 0
NO_NODE = -1
NOT_EXPANDED = -1
NO_LIMIT = 0

BANDITS = ("ucb1", "ucb1-tuned", "reflexive", "sp-mcts")
UCB1, UCB1_TUNED, REFLEXIVE, SP_MCTS = range(4)


class Tree(NamedTuple):
    """The nodes of a search, node i in row i; `size[0]` rows are in use."""

    size: NDArray[np.int64]  # (1,)
    parents: NDArray[np.int32]  # NO_NODE for the root
    moves: NDArray[np.int32]  # the move that leads to the node
    visits: NDArray[np.int32]
    totals: NDArray[np.float64]  # sum of the scores
    squares: NDArray[np.float64]  # sum of their squares
    bests: NDArray[np.float64]  # the greatest
    first_child: NDArray[np.int32]  # NOT_EXPANDED, or the row of the first child
    n_children: NDArray[np.int32]
    n_tried: NDArray[np.int32]  # the first so many children have been visited


class Bandit(NamedTuple):
    """How a child is chosen; scores are normalised as (score - low) * scale."""

    kind: int
    c: float
    d: float
    max_weight: float
    low: float
    scale: float


def bandit_value(kind, visits, total, squares, best, parent_visits, c, d, max_weight):
    """Return the value of a child with at least one visit; scores are normalised already.

    ucb1 (Auer et al. 2002; Kocsis and Szepesvari 2006), ucb1-tuned (Auer et al. 2002), reflexive (RMC 2007),
    sp-mcts (Schadd et al. 2008). With a `max_weight` w the mean becomes (1 - w) mean + w maximum.
    """
    mean = total / visits
    value = mean + max_weight * (best - mean)
    log = np.log(parent_visits)
    if kind == UCB1:
        return value + c * np.sqrt(log / visits)
    if kind == REFLEXIVE:
        return value + np.sqrt(log / (c * visits)) if c > 0.0 else np.inf
    variance = max(squares - visits * mean * mean, 0.0)
    if kind == UCB1_TUNED:
        bound = variance / visits + np.sqrt(2.0 * log / visits)
        return value + c * np.sqrt(log / visits * min(0.25, bound))
    return value + c * np.sqrt(log / visits) + np.sqrt((variance + d) / visits)


_bandit_value = inner(bandit_value)


@inner
def _select(tree, node, bandit):
    """Return the child with the greatest value; all have been visited."""
    chosen = int64(tree.first_child[node])
    greatest = -np.inf
    parent_visits = float(tree.visits[node])
    for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
        value = _bandit_value(
            bandit.kind,
            float(tree.visits[child]),
            tree.totals[child],
            tree.squares[child],
            tree.bests[child],
            parent_visits,
            bandit.c,
            bandit.d,
            bandit.max_weight,
        )
        if value > greatest:
            greatest = value
            chosen = int64(child)
    return chosen


@inner
def _reset_node(tree, node, parent):
    """Make a node unvisited and without children."""
    tree.parents[node] = parent
    tree.visits[node] = 0
    tree.totals[node] = 0.0
    tree.squares[node] = 0.0
    tree.bests[node] = -np.inf
    tree.first_child[node] = NOT_EXPANDED
    tree.n_children[node] = 0
    tree.n_tried[node] = 0


@inner
def _expand(game, tree, node, state, stream):
    """Reserve a node's children, in random order; does nothing if the tree is full."""
    n = n_moves(game, state)
    first = tree.size[0]
    if n == 0 or first + n > len(tree.moves):
        return
    for i in range(n):
        j = below(stream, i + 1)
        tree.moves[first + i] = tree.moves[first + j]
        tree.moves[first + j] = move(game, state, i)
    for child in range(first, first + n):
        _reset_node(tree, child, node)
    tree.first_child[node] = first
    tree.n_children[node] = n
    tree.size[0] = first + n


@inner
def clear(tree):
    """Make the tree a root without children."""
    tree.size[0] = 1
    _reset_node(tree, ROOT, NO_NODE)


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

    `spare` is another tree, `nodes` and `others` hold a row index for every node; all three are overwritten.
    """
    count = _nodes_of_depth(tree, depth, nodes, others)
    # Partial selection sort, most visits first; of equals the first.
    for i in range(min(width, count)):
        most = i
        for j in range(i + 1, count):
            if tree.visits[nodes[j]] > tree.visits[nodes[most]]:
                most = j
        chosen = nodes[most]
        for j in range(most, i, -1):
            nodes[j] = nodes[j - 1]
        nodes[i] = chosen
    # Mark what stays by the sign of its number of visits.
    for i in range(min(width, count)):
        node = int64(nodes[i])
        while node != NO_NODE and tree.visits[node] > 0:
            tree.visits[node] = -tree.visits[node]
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
            if tree.visits[child] < 0:
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
        tree.visits[row] = abs(tree.visits[row])
        tree.parents[row] = spare.parents[row]
        tree.first_child[row] = spare.first_child[row]
        tree.n_children[row] = spare.n_children[row]
        tree.n_tried[row] = spare.n_tried[row]


@inner
def _copy_node(target, row, source, node):
    target.moves[row] = source.moves[node]
    target.visits[row] = source.visits[node]
    target.totals[row] = source.totals[node]
    target.squares[row] = source.squares[node]
    target.bests[row] = source.bests[node]


@entry
def _run(
    game, policy, root, states, stream, tree, spare, nodes, others, passed, path, line, control, best_line,
    bandit, playouts, threshold, simulation_limit, beam_width,
):  # fmt: skip
    state, scratch = states[0], states[1]
    clear(tree)
    for depth in range(len(passed)):
        passed[depth] = 0
    frozen = int64(0)  # no nodes are added at this depth or above
    best = NO_SCORE
    for _ in range(playouts):
        if should_stop(control):
            return NO_SCORE
        copy(game, state, root)
        node = int64(ROOT)
        depth = int64(0)
        path[0] = ROOT
        while True:
            if tree.first_child[node] == NOT_EXPANDED:
                if depth < frozen or tree.visits[node] < threshold:
                    break
                _expand(game, tree, node, state, stream)
                if tree.first_child[node] == NOT_EXPANDED:
                    break
            fresh = tree.n_tried[node] < tree.n_children[node]
            if fresh:
                tree.n_tried[node] += 1
                node = int64(tree.first_child[node] + tree.n_tried[node] - 1)
            else:
                node = _select(tree, node, bandit)
            chosen = int64(tree.moves[node])
            line[depth] = chosen
            play(game, state, chosen)
            depth += 1
            path[depth] = node
            passed[depth] += 1
            if fresh:
                break
        length = rollout(policy, game, state, scratch, stream, line, depth)
        value = count_playout(game, state, control, best_line, line, length)
        best = max(best, value)
        reward = (float(value) - bandit.low) * bandit.scale
        for i in range(depth + 1):
            tree.visits[path[i]] += 1
            tree.totals[path[i]] += reward
            tree.squares[path[i]] += reward * reward
            tree.bests[path[i]] = max(tree.bests[path[i]], reward)
        if simulation_limit != NO_LIMIT:
            while frozen < depth and passed[frozen + 1] >= simulation_limit:
                frozen += 1
                prune(tree, spare, frozen, beam_width, nodes, others)
                depth = frozen  # deeper nodes are gone
    return best


class TreeSearch(Searcher):
    """A task is `task_playouts` playouts in one tree; its score is the best of them."""

    def __init__(self, loaded: LoadedGame, options: TreeOptions | BeamTreeOptions) -> None:
        super().__init__(loaded)
        self._options = options
        self._policy = RolloutPolicy(options.rollout)
        self._states = self.game.new_states(2)
        low, high = loaded.entry.bounds
        normalised = options.normalised
        self._bandit = Bandit(
            kind=BANDITS.index(options.bandit),
            c=options.c,
            d=options.d,
            max_weight=options.max_weight,
            low=float(low) if normalised else 0.0,
            scale=1.0 / (high - low) if normalised else 1.0,
        )
        self._limit, self._width = NO_LIMIT, 0
        if isinstance(options, BeamTreeOptions):
            self._limit, self._width = options.simulation_limit, options.beam_width
        beam = self._limit != NO_LIMIT
        self._tree = _new_tree(options.max_nodes)
        # What a pruning keeps: a path to each node of the beam.
        self._spare = _new_tree(min(options.max_nodes, self._width * self.game.max_length + 1) if beam else 1)
        self._nodes, self._others = (private_zeros(options.max_nodes if beam else 1, np.int32) for _ in range(2))
        self._passed = private_zeros(self.game.max_length + 2, np.int64)
        self._path = private_zeros(self.game.max_length + 2, np.int64)
        self._line = private_zeros(self.game.max_length, np.int64)

    def _search(self, stream: NDArray[np.uint64]) -> int:
        options = self._options
        return int(
            _run(
                self.game,
                self._policy,
                self.root,
                self._states,
                stream,
                self._tree,
                self._spare,
                self._nodes,
                self._others,
                self._passed,
                self._path,
                self._line,
                self.control,
                self.best_line,
                self._bandit,
                options.task_playouts,
                options.threshold,
                self._limit,
                self._width,
            )
        )


def _new_tree(nodes: int) -> Tree:
    return Tree(
        size=private_zeros(1, np.int64),
        parents=private_zeros(nodes, np.int32),
        moves=private_zeros(nodes, np.int32),
        visits=private_zeros(nodes, np.int32),
        totals=private_zeros(nodes, np.float64),
        squares=private_zeros(nodes, np.float64),
        bests=private_zeros(nodes, np.float64),
        first_child=private_zeros(nodes, np.int32),
        n_children=private_zeros(nodes, np.int32),
        n_tried=private_zeros(nodes, np.int32),
    )
