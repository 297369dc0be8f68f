"""Monte-Carlo tree search for one player (UCT), and beam Monte-Carlo tree search over the same tree.

A node is expanded at the first playout that reaches it with `threshold` visits behind it. Every playout tries one child
that had none before; where all have been tried, the bandit chooses. The best game of all playouts is kept, wherever it
was found. Puct weighs the next untried child like the others, with its parent's mean. Progressive widening lets only
the first k t^alpha children be tried after t visits (Coulom 2007; Chaslot et al. 2008).

Beam MCTS (Baier and Winands, CIG 2012): a counter for each depth rises as a playout passes it in the tree. When one
reaches the simulation limit, the beam-width most visited nodes of that depth and their ancestors stay, everything else
goes, and no nodes are added at or above that depth from then on. A width of 1 is search move by move with the robust
child (Chaslot et al. 2008); it ends when the game does.

Parallel forms (Chaslot, Winands and van den Herik 2008): `root`, a tree for each thread; `leaf`, one playout from each
leaf on every thread; `tree`, threads that share one tree. There a thread counts its visit on the way down, and the
score on the way back: until then the visit is a virtual loss.
"""

import threading
from typing import NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.algorithms.bandit import BANDITS, PUCT, Bandit, child_values, greatest
from morpion_cli.algorithms.options import BeamTreeOptions, TreeOptions
from morpion_cli.algorithms.policy import read_policy
from morpion_cli.algorithms.rollout import RolloutPolicy, forget, new_knowledge, rollout
from morpion_cli.algorithms.searcher import Searcher, count_playout, split_stream
from morpion_cli.algorithms.tree import BEST, ROOT, SQUARES, TOTAL, VISITS, WORDS, Tree, clear, expand, new_tree, prune
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel import atomic
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import LIMIT, NO_SCORE, PLAYOUTS, should_stop
from morpion_cli.kernel.game import code, copy, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import STATE_WORDS
from morpion_cli.values import shares

NO_LIMIT = 0
NO_WIDENING = 0.0
STATE, SCRATCH = range(2)  # indices of a lane's states
STRIDE = 16  # words; two cache lines
_END = -1  # told to a helper


class Plan(NamedTuple):
    """What does not change during a search."""

    threshold: int
    widening_k: float  # NO_WIDENING, or k of k t^alpha
    widening_alpha: float
    simulation_limit: int  # NO_LIMIT, or L
    beam_width: int


class Lane(NamedTuple):
    """The buffers of one thread."""

    states: NDArray[np.void]  # (2,)
    line: NDArray[np.int64]  # (max_length,)
    path: NDArray[np.int64]  # (max_length + 2,) the nodes of a descent
    passed: NDArray[np.int64]  # (max_length + 2,) playouts that have passed a depth in the tree
    values: NDArray[np.float64]  # (max_moves,) of the children
    played: NDArray[np.int64]  # (n_codes,) with amaf: playout << 20 | step at which the code was played last
    weights: NDArray[np.float32]  # (n_codes,) of a learned policy, or (0,)
    knowledge: NDArray[np.float64]  # of the rollout policy
    stream: NDArray[np.uint64]
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]


class Mail(NamedTuple):
    """How a leaf-parallel search and its helpers talk; helper h owns row h, and STRIDE words from h * STRIDE."""

    tasks: NDArray[np.int64]  # a number that grows with each leaf, or _END
    answers: NDArray[np.int64]  # the number of the leaf that is done, and then the whole line's length
    depth: NDArray[np.int64]  # (1,) of the leaf
    states: NDArray[np.void]  # (helpers, 2)
    lines: NDArray[np.int64]  # (helpers, max_length)
    knowledge: NDArray[np.float64]  # (helpers, KNOWLEDGE_WORDS)
    streams: NDArray[np.uint64]  # (helpers, 4)


class Spare(NamedTuple):
    """What pruning overwrites."""

    tree: Tree
    nodes: NDArray[np.int32]
    others: NDArray[np.int32]


@inner
def _credit(tree, path, depth, value):
    """Add a score to the nodes of a path, whose visits are counted already."""
    counts = tree.counts
    for step in range(depth + 1):
        node = path[step] * WORDS
        atomic.add(counts, node + TOTAL, value)
        atomic.add(counts, node + SQUARES, value * value)
        if value > counts[node + BEST]:
            atomic.raise_to(counts, node + BEST, value)


@inner
def _add_amaf(game, tree, lane, root, line, depth, length, value, number):
    """Count a playout for every child along its path whose move it played there or later."""
    state, played, path = lane.states[SCRATCH], lane.played, lane.path
    codes, visits, totals = tree.codes, tree.amaf_visits, tree.amaf_totals
    copy(game, state, root)
    for step in range(length):
        played[code(game, state, line[step])] = (number << 20) | step
        play(game, state, line[step])
    for step in range(depth + 1):
        first = int64(atomic.load(tree.first_child, path[step]))
        if first < 0:
            break
        for child in range(first, first + tree.n_children[path[step]]):
            if played[codes[child]] >= (number << 20) | step:
                atomic.add(visits, child, np.int32(1))
                atomic.add(totals, child, value)


@entry
def _help(game, policy, mail, helper):
    """Play out one leaf after another until told to end."""
    done = looks = int64(0)
    while True:
        looks = atomic.looked(looks)
        task = atomic.load(mail.tasks, helper * STRIDE)
        if task == _END:
            return
        if task != done:
            done = task
            mail.answers[helper * STRIDE + 1] = rollout(
                policy, game, mail.states[helper, 0], mail.states[helper, 1], mail.knowledge[helper],
                mail.streams[helper], mail.lines[helper], mail.depth[0],
            )  # fmt: skip
            atomic.store(mail.answers, helper * STRIDE, done)


@entry
def _run(game, policy, root, tree, spare, lane, mail, bandit, plan, playouts):
    """Play so many playouts, or fewer if the game is decided; return the best score, or NO_SCORE if stopped."""
    states, line, path, passed, values, weights = (
        lane.states, lane.line, lane.path, lane.passed, lane.values, lane.weights,
    )  # fmt: skip
    knowledge, stream, control, best_line = lane.knowledge, lane.stream, lane.control, lane.best_line
    moves, counts = tree.moves, tree.counts
    first_child, n_children, n_tried = tree.first_child, tree.n_children, tree.n_tried
    amaf_visits, amaf_totals, priors = tree.amaf_visits, tree.amaf_totals, tree.priors
    state, scratch = states[STATE], states[SCRATCH]
    n_helpers = len(mail.tasks) // STRIDE
    passed[:] = 0
    lane.played[:] = -1
    frozen = int64(0)  # no nodes are added at this depth or above
    best = NO_SCORE
    done = int64(0)
    leaf = int64(0)
    while done < playouts:
        if should_stop(control):
            best = NO_SCORE
            break
        copy(game, state, root)
        node = int64(ROOT)
        depth = int64(0)
        path[0] = ROOT
        while True:
            first = int64(atomic.load(first_child, node))
            if first < 0:
                if depth < frozen or counts[node * WORDS + VISITS] < plan.threshold:
                    break
                expand(game, tree, node, state, weights, stream)
                first = int64(atomic.load(first_child, node))
                if first < 0:
                    break
            n = int64(n_children[node])
            tried = min(n, int64(n_tried[node]))
            parent_visits = float(max(counts[node * WORDS + VISITS], 1))
            allowed = n
            if plan.widening_k > NO_WIDENING:
                allowed = min(n, int64(max(1.0, plan.widening_k * parent_visits**plan.widening_alpha)))
            fresh = tried < allowed
            chosen = int64(0)
            if tried > 0 and (bandit.kind == PUCT or not fresh):
                child_values(
                    bandit, parent_visits, first, tried, counts, amaf_visits, amaf_totals, priors, values
                )  # fmt: skip
                chosen = greatest(values, tried)
                if fresh:
                    mean = (counts[node * WORDS + TOTAL] / parent_visits - bandit.low) * bandit.scale
                    fresh = mean + bandit.c * priors[first + tried] * np.sqrt(parent_visits) > values[chosen]
            if fresh:
                chosen = min(n - 1, int64(atomic.add(n_tried, node, np.int32(1))))  # other threads try too
            # A visit counts on the way down, its score on the way back.
            atomic.add(counts, node * WORDS + VISITS, int64(1))
            node = first + chosen
            line[depth] = moves[node]
            play(game, state, line[depth])
            depth += 1
            path[depth] = node
            passed[depth] += 1
            if fresh:
                break
        atomic.add(counts, node * WORDS + VISITS, int64(1))
        leaf += 1
        asked = int64(0)
        if n_helpers > 0:
            asked = min(n_helpers, playouts - done - 1, control[LIMIT] - control[PLAYOUTS] - 1)
            mail.depth[0] = depth
            for helper in range(asked):
                copy(game, mail.states[helper, 0], state)
                for i in range(depth):
                    mail.lines[helper, i] = line[i]
                atomic.store(mail.tasks, helper * STRIDE, leaf)
        length = rollout(policy, game, state, scratch, knowledge, stream, line, depth)
        value = count_playout(game, state, control, best_line, line, length)
        best = max(best, value)
        _credit(tree, path, depth, value)  # here and below; one function for this and amaf cost 9 % of the playouts
        if bandit.amaf > 0.0:
            _add_amaf(game, tree, lane, root, line, depth, length, value, done)
        done += 1
        for helper in range(asked):
            looks = int64(0)
            while atomic.load(mail.answers, helper * STRIDE) != leaf:
                looks = atomic.looked(looks)
            of_helper = mail.answers[helper * STRIDE + 1]
            its_line = mail.lines[helper]
            value = count_playout(game, mail.states[helper, 0], control, best_line, its_line, of_helper)
            best = max(best, value)
            for step in range(depth + 1):
                counts[path[step] * WORDS + VISITS] += 1
                passed[step] += step > 0
            _credit(tree, path, depth, value)
            if bandit.amaf > 0.0:
                _add_amaf(game, tree, lane, root, its_line, depth, of_helper, value, done)
            done += 1
        if plan.simulation_limit != NO_LIMIT:
            if depth == length and depth == frozen and tree.size[0] == frozen + 1:
                break  # one line is left, and its game has ended
            while frozen < depth and passed[frozen + 1] >= plan.simulation_limit:
                frozen += 1
                prune(tree, spare.tree, frozen, plan.beam_width, spare.nodes, spare.others)
                depth = frozen  # deeper nodes are gone
    for helper in range(n_helpers):
        atomic.store(mail.tasks, helper * STRIDE, int64(_END))
    return best


class TreeSearch(Searcher):
    """A task is `task_playouts` playouts in one tree, or in several one after another; its score is the best of them.

    With threads that share a tree the result depends on who comes first, and is not reproducible.
    """

    def __init__(self, loaded: LoadedGame, options: TreeOptions | BeamTreeOptions) -> None:
        self._form = options.parallel
        threads = 1 if self._form == "none" else options.threads
        lanes = threads if self._form in ("root", "tree") else 1
        super().__init__(loaded, lanes)
        game = self.game
        self._options = options
        self._policy = RolloutPolicy(options.rollout)
        low, high = loaded.puzzle.bounds if options.normalised else (0, 1)
        self._bandit = Bandit(
            BANDITS.index(options.bandit),
            float(options.c),
            float(options.d),
            float(options.max_weight),
            float(options.amaf),
            float(low),
            1.0 / (high - low),
        )
        widening = options.widening
        self._plan = Plan(
            options.threshold,
            NO_WIDENING if widening is None else widening.k,
            0.0 if widening is None else widening.alpha,
            options.limit_of_depth,
            options.width_of_depth,
        )
        weights = np.zeros(0, np.float32)
        if options.policy_in is not None:
            weights = read_policy(options.policy_in, loaded.entry, game.n_codes)
        amaf, priors = options.amaf > 0, len(weights) > 0
        self._trees = [new_tree(options.max_nodes, amaf, priors) for _ in range(lanes if self._form == "root" else 1)]
        prunes = self._plan.simulation_limit != NO_LIMIT
        # What a pruning keeps: a path to each node of the beam.
        kept = min(options.max_nodes, self._plan.beam_width * game.max_length + 1) if prunes else 1
        self._spare = [
            Spare(
                new_tree(kept, amaf, priors),
                private_zeros(options.max_nodes if prunes else 1, np.int32),
                private_zeros(options.max_nodes if prunes else 1, np.int32),
            )
            for _ in self._trees
        ]
        self._lanes = [
            Lane(
                states=game.new_states(2),
                line=private_zeros(game.max_length, np.int64),
                path=private_zeros(game.max_length + 2, np.int64),
                passed=private_zeros(game.max_length + 2, np.int64),
                values=private_zeros(game.max_moves, np.float64),
                played=private_zeros(game.n_codes if amaf else 1, np.int64),
                weights=weights,
                knowledge=knowledge,
                stream=private_zeros(STATE_WORDS, np.uint64),
                control=control,
                best_line=best_line,
            )
            for control, best_line, knowledge in zip(
                self.controls, self.best_lines, new_knowledge(options, lanes), strict=True
            )
        ]
        helpers = threads - 1 if self._form == "leaf" else 0
        self._mail = Mail(
            tasks=private_zeros(helpers * STRIDE, np.int64),
            answers=private_zeros(helpers * STRIDE, np.int64),
            depth=private_zeros(1, np.int64),
            states=game.new_states(2 * helpers).reshape(helpers, 2),
            knowledge=new_knowledge(options, helpers),
            lines=private_zeros((helpers, game.max_length), np.int64),
            streams=private_zeros((helpers, STATE_WORDS), np.uint64),
        )

    @property
    def nodes(self) -> int:
        """Return how many nodes the trees of the last task have."""
        return sum(int(tree.size[0]) for tree in self._trees)

    def _search(self, stream: NDArray[np.uint64]) -> int:
        for knowledge in (*(lane.knowledge for lane in self._lanes), self._mail.knowledge):
            forget(knowledge)
        best = NO_SCORE
        for restart, playouts in enumerate(shares(self._options.task_playouts, self._options.restarts)):
            if playouts == 0:
                break
            scores = self._grow(stream, restart, playouts)
            if NO_SCORE in scores:
                return NO_SCORE
            best = max(best, *scores)
        return best

    def _grow(self, stream: NDArray[np.uint64], restart: int, playouts: int) -> list[int]:
        """Search once, on all threads; return what each lane returns."""
        for tree in self._trees:
            clear(tree)
        mail = self._mail
        mail.tasks[:] = 0
        mail.answers[:] = 0
        of_lane = [share for share in shares(playouts, len(self._lanes)) if share > 0]
        lanes, helpers = len(of_lane), len(mail.streams)
        streams = [*(lane.stream for lane in self._lanes), *mail.streams]
        for number, child in enumerate(streams):
            split_stream(child, stream, restart, number)
        scores = [NO_SCORE] * lanes

        def run(number: int) -> None:
            tree = number % len(self._trees)
            scores[number] = int(
                _run(
                    self.game,
                    self._policy,
                    self.root,
                    self._trees[tree],
                    self._spare[tree],
                    self._lanes[number],
                    mail,
                    self._bandit,
                    self._plan,
                    of_lane[number],
                )
            )

        threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(1, lanes)]
        threads += [
            threading.Thread(target=_help, args=(self.game, self._policy, mail, helper), daemon=True)
            for helper in range(helpers)
        ]
        for thread in threads:
            thread.start()
        run(0)
        for thread in threads:
            thread.join()
        return scores
