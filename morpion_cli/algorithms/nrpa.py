"""Nested rollout policy adaptation (Rosin, IJCAI 2011), with the stabilized form (Cazenave, Sevestre, Toulemont 2020).

A policy has a weight for each move code; a level-0 search plays each legal move with probability proportional to the
exponential of its weight. A level-n search starts from its caller's policy and, N times, calls level n - 1, keeps the
best line (a new one on a tie) and moves its policy towards it: along the line, the weight of each move played rises by
alpha, and the weights of all moves legal there fall by alpha times their probability.

While a line is played, the codes of all legal moves of each step are written down, its *trace*; so that adapting needs
no replay. With a tabu colour its moves are not chosen from, nor count as legal (selective policies, Cazenave 2016).
Beside each weight its exponential is kept, so that playing needs no exponential.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import NrpaOptions
from morpion_cli.algorithms.policy import read_policy
from morpion_cli.algorithms.rollout import most_frequent_color
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.arithmetic import exponential
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, restore_best, should_stop
from morpion_cli.kernel.game import allowed_moves, code, copy, move, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import uniform

WEIGHT = np.dtype([("weight", "f4"), ("exponential", "f4")])
_KEPT_LEVEL = 3  # from here up a search takes seconds, and is kept between two iterations

SPAN = np.dtype([("before", "f8"), ("start", "i4"), ("end", "i4")])  # steps [start, end), and the sum over earlier ones


class Workspace(NamedTuple):
    """The buffers of one search.

    Policies: row n belongs to level n. Lines with their traces: level n has the row `rows[n]`, and level 0 is the line
    being played.
    """

    policies: NDArray[np.void]  # (levels + 1, n_codes) of WEIGHT
    scores: NDArray[np.int64]  # (levels + 1,) of each level's best line
    rows: NDArray[np.int64]  # (levels + 1,)
    lengths: NDArray[np.int64]  # (levels + 1,)
    lines: NDArray[np.int64]  # (levels + 1, max_length)
    chosen: NDArray[np.int32]  # (levels + 1, max_length) index of the played move in its step's codes
    counts: NDArray[np.int32]  # (levels + 1, max_length) how many codes each step has
    codes: NDArray[np.int32]  # (levels + 1, trace) the codes of all steps, one after another
    sums: NDArray[np.float32]  # (max_moves,) running sums of a step
    running: NDArray[np.float64]  # (max_length + 1,) for adapting: running sums over the steps
    spans: NDArray[np.void]  # (n_codes,) of SPAN, for adapting; all zero between two adaptations
    touched: NDArray[np.int32]  # (n_codes + 1,) the codes whose spans are not
    fresh: NDArray[np.float32]  # (n_codes,) for adapting: the new weights of the touched codes
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def play_softmax(game, w, level, state, tabu, stream):
    """Play a line by the policy of `level`, with its trace, as that of level 0; return its score."""
    row = w.rows[0]
    policy, codes, counts, chosen = w.policies[level], w.codes[row], w.counts[row], w.chosen[row]
    line, sums = w.lines[row], w.sums
    at = int64(0)
    length = int64(0)
    n = allowed_moves(game, state, tabu)
    while n > 0:
        total = float32(0.0)
        for i in range(n):
            name = code(game, state, move(game, state, i))
            codes[at + i] = name
            total += policy[name].exponential
            sums[i] = total
        target = float32(uniform(stream)) * total
        pick = int64(0)
        for i in range(n - 1):
            pick += int64(sums[i] <= target)
        played = move(game, state, pick)
        line[length] = played
        chosen[length] = pick
        counts[length] = n
        length += 1
        at += n
        play(game, state, played)
        n = allowed_moves(game, state, tabu)
    w.lengths[row] = length
    return count_playout(game, state, w.control, w.best_line, line, length)


@inner
def copy_policy(target, source):
    for name in range(len(source)):
        target[name].weight = source[name].weight
        target[name].exponential = source[name].exponential


@inner
def keep(w, level, source):
    """Make the line of level `source` that of `level`, by exchanging their rows."""
    w.rows[level], w.rows[source] = w.rows[source], w.rows[level]
    w.scores[level] = w.scores[source]


@inner
def adapt(w, level, alpha):
    """Move the policy of `level` towards the level's best line."""
    policy, spans, touched, fresh, running = w.policies[level], w.spans, w.touched, w.fresh, w.running
    row = w.rows[level]
    codes, counts, chosen = w.codes[row], w.counts[row], w.chosen[row]
    # All probabilities are those before the adaptation, so a code falls by its exponential times the sum, over the
    # steps at which it was legal, of alpha over the step's total: a difference of two running sums for each span of
    # steps through which it stayed legal.
    at = int64(0)
    n_touched = int64(0)
    running[0] = 0.0
    for step in range(w.lengths[row]):
        end = at + counts[step]
        total = float32(0.0)
        for i in range(at, end):
            name = codes[i]
            total += policy[name].exponential
            if spans[name].end != step or step == 0:
                if spans[name].end == 0:
                    touched[n_touched] = name
                    n_touched += 1
                else:
                    spans[name].before += running[spans[name].end] - running[spans[name].start]
                spans[name].start = step
            spans[name].end = step + 1
        policy[codes[at + chosen[step]]].weight += alpha
        running[step + 1] = running[step] + float64(alpha / total)
        at = end
    for i in range(n_touched):
        name = touched[i]
        span = spans[name]
        fall = span.before + running[span.end] - running[span.start]
        fresh[i] = policy[name].weight - policy[name].exponential * float32(fall)
        span.before = 0.0
        span.end = 0
        policy[name].weight = fresh[i]
    for i in range(n_touched):
        fresh[i] = exponential(fresh[i])
    for i in range(n_touched):
        policy[touched[i]].exponential = fresh[i]


@inner
def search(game, w, root, state, level, iterations, alpha, stabilize, tabu, stream):
    """Search on level >= 1 with the policy that stands in the level's row; False if it had to stop."""
    w.scores[level] = NO_SCORE
    w.lengths[w.rows[level]] = 0
    for _ in range(iterations):
        if level == 1:
            for _ in range(stabilize):
                if should_stop(w.control):
                    return False
                copy(game, state, root)
                w.scores[0] = play_softmax(game, w, 1, state, tabu, stream)
                if w.scores[0] >= w.scores[1]:
                    keep(w, 1, 0)
        else:
            copy_policy(w.policies[level - 1], w.policies[level])
            if not search(game, w, root, state, level - 1, iterations, alpha, stabilize, tabu, stream):
                return False
            if w.scores[level - 1] >= w.scores[level]:
                keep(w, level, level - 1)
        adapt(w, level, alpha)
    return True


@entry
def _tabu_color(game, root):
    return most_frequent_color(game, root)


@entry
def _run(game, root, state, w, iterations, alpha, stabilize, tabu, stream):
    level = len(w.scores) - 1
    if search(game, w, root, state, level, iterations, alpha, stabilize, tabu, stream):
        return w.scores[level]
    return NO_SCORE


@entry
def _set_policy(w, level, weights):
    for name in range(len(weights)):
        w.policies[level, name].weight = weights[name]
        w.policies[level, name].exponential = exponential(weights[name])


@entry
def _iterate(game, root, state, w, iterations, alpha, stabilize, tabu, stream):
    """Do one of the iterations of the highest level, at least 2; return False if it had to stop."""
    level = len(w.scores) - 1
    copy_policy(w.policies[level - 1], w.policies[level])
    if not search(game, w, root, state, level - 1, iterations, alpha, stabilize, tabu, stream):
        return False
    if w.scores[level - 1] >= w.scores[level]:
        keep(w, level, level - 1)
    adapt(w, level, alpha)
    return True


class Nrpa(Searcher):
    """A task is one search of the highest level, from the uniform policy or a saved one."""

    def __init__(self, loaded: LoadedGame, options: NrpaOptions) -> None:
        super().__init__(loaded)
        self._options = options
        self._state = self.game.new_states(1)[0]
        self._weights = np.zeros(self.game.n_codes, np.float32)
        if options.policy_in is not None:
            self._weights = read_policy(options.policy_in, loaded.entry, self.game.n_codes)
        self._tabu = int(_tabu_color(self.game, self.root)) if options.rollout == "tabu-color" else 0
        rows = options.level + 1
        trace = self.game.max_length * self.game.max_moves
        self._workspace = Workspace(
            policies=private_zeros((rows, self.game.n_codes), WEIGHT),
            scores=private_zeros(rows, np.int64),
            rows=private_zeros(rows, np.int64),
            lengths=private_zeros(rows, np.int64),
            lines=private_zeros((rows, self.game.max_length), np.int64),
            chosen=private_zeros((rows, self.game.max_length), np.int32),
            counts=private_zeros((rows, self.game.max_length), np.int32),
            codes=private_zeros((rows, trace), np.int32),
            sums=private_zeros(self.game.max_moves, np.float32),
            running=private_zeros(self.game.max_length + 1, np.float64),
            spans=private_zeros(self.game.n_codes, SPAN),
            touched=private_zeros(self.game.n_codes + 1, np.int32),
            fresh=private_zeros(self.game.n_codes, np.float32),
            control=self.control,
            best_line=self.best_line,
        )

        self._workspace.rows[:] = np.arange(rows)

    def learned_policy(self) -> NDArray[np.float32]:
        """Return the weights of the highest level."""
        return self._workspace.policies["weight"][self._options.level].copy()

    def _search(self, stream: NDArray[np.uint64]) -> int:
        options, w = self._options, self._workspace
        start = self._start
        begin = 0 if start is None else self._restore(start, stream)
        if start is None:
            _set_policy(w, options.level, self._weights)
        arguments = (
            self.game, self.root, self._state, w, options.iterations, np.float32(options.alpha), options.stabilize,
            self._tabu, stream,
        )  # fmt: skip
        if options.level < _KEPT_LEVEL:
            return int(_run(*arguments))
        if start is None:
            w.scores[options.level] = NO_SCORE
            w.lengths[w.rows[options.level]] = 0
        for iteration in range(begin, options.iterations):
            if not _iterate(*arguments):
                return NO_SCORE
            self._checkpoint = self._keep(iteration + 1, stream)
        return int(w.scores[options.level])

    def _keep(self, iteration: int, stream: NDArray[np.uint64]) -> Mapping[str, NDArray[Any]]:
        """Return the highest level's policy and best line with its trace, and the best game of all."""
        w, level = self._workspace, self._options.level
        row = int(w.rows[level])
        length = int(w.lengths[row])
        best_score, best_line = self.snapshot()
        return {
            "iteration": np.array(iteration),
            "stream": stream.copy(),
            "weights": w.policies["weight"][level].copy(),
            "exponentials": w.policies["exponential"][level].copy(),
            "score": np.array(w.scores[level]),
            "line": w.lines[row, :length].copy(),
            "chosen": w.chosen[row, :length].copy(),
            "counts": w.counts[row, :length].copy(),
            "codes": w.codes[row, : int(w.counts[row, :length].sum())].copy(),
            "best_score": np.array(best_score),
            "best_line": best_line,
        }

    def _restore(self, start: Mapping[str, NDArray[Any]], stream: NDArray[np.uint64]) -> int:
        """Take up what `_keep` has kept; return how many iterations are done."""
        w, level = self._workspace, self._options.level
        row, length = int(w.rows[level]), len(start["line"])
        stream[:] = start["stream"]
        w.policies["weight"][level] = start["weights"]
        w.policies["exponential"][level] = start["exponentials"]
        w.scores[level] = start["score"]
        w.lengths[row] = length
        w.lines[row, :length] = start["line"]
        w.chosen[row, :length] = start["chosen"]
        w.counts[row, :length] = start["counts"]
        w.codes[row, : len(start["codes"])] = start["codes"]
        restore_best(self.control, self.best_line, int(start["best_score"]), start["best_line"])
        return int(start["iteration"])
