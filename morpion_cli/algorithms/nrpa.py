"""Nested rollout policy adaptation (Rosin, IJCAI 2011), with the stabilized form (Cazenave, Sevestre, Toulemont 2020).

A policy has a weight for each move code; a level-0 search plays each legal move with probability proportional to the
exponential of its weight. A level-n search starts from its caller's policy and, N times, calls level n - 1, keeps the
best line (a new one on a tie) and moves its policy towards it: along the line, the weight of each move played rises by
alpha, and the weights of all moves legal there fall by alpha times their probability.

While a line is played, the moves that are legal at each step are written down, its *trace*; so that adapting needs no
replay. With a tabu colour its moves are not chosen from, nor count as legal (selective policies, Cazenave 2016).
Beside each weight its exponential is kept, so that playing needs no exponential.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import float32, float64, int64, uint64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import NrpaOptions
from morpion_cli.algorithms.policy import read_policy
from morpion_cli.algorithms.rollout import most_frequent_color
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.arithmetic import exponential
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, restore_best, should_stop
from morpion_cli.kernel.game import copy, softmax_playout, trace_dtype
from morpion_cli.kernel.memory import private_zeros

_KEPT_LEVEL = 3  # from here up a search takes seconds, and is kept between two iterations


class Workspace(NamedTuple):
    """The buffers of one search.

    Policies: row n belongs to level n. Traces: level n has the row `rows[n]`, and level 0 is the line being played.
    """

    weights: NDArray[np.float32]  # (levels + 1, n_codes)
    exponentials: NDArray[np.float32]  # (levels + 1, n_codes) those of the weights
    scores: NDArray[np.int64]  # (levels + 1,) of each level's best line
    rows: NDArray[np.int64]  # (levels + 1,)
    traces: NDArray[np.void]  # (levels + 1,) of trace_dtype
    running: NDArray[np.float64]  # (max_length + 1,) for adapting: running sums over the steps
    values: NDArray[np.float32]  # (numbers,) for adapting: one of each numbered move
    deaths: NDArray[np.uint32]  # (numbers,) for adapting: the first step at which it is not legal
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def copy_policy(w, target, source):
    """Make the policy of level `target` that of `source`."""
    for name in range(w.weights.shape[1]):
        w.weights[target, name] = w.weights[source, name]
        w.exponentials[target, name] = w.exponentials[source, name]


@inner
def keep(w, level, source):
    """Make the line of level `source` that of `level`, by exchanging their rows."""
    w.rows[level], w.rows[source] = w.rows[source], w.rows[level]
    w.scores[level] = w.scores[source]


@inner
def adapt(w, level, alpha):
    """Move the policy of `level` towards the level's best line."""
    trace = w.traces[w.rows[level]]
    numbers, numbered, births = trace.numbers, trace.numbered, trace.births
    weights, exponentials = w.weights[level], w.exponentials[level]
    running, values, deaths = w.running, w.values, w.deaths
    # All probabilities are those before the adaptation, so a code falls by its exponential times the sum, over the
    # steps at which it was legal, of alpha over the step's total: a difference of two running sums for each number.
    n_numbered = int64(trace.n_numbered)
    for number in range(n_numbered):
        values[number] = exponentials[numbered[number].code]
    at = int64(0)
    running[0] = 0.0
    for step in range(trace.length):
        end = at + trace.counts[step]
        even = float32(0.0)  # two sums, as an addition has to wait for the one before it
        odd = float32(0.0)
        if (end - at) & 1:
            even = values[numbers[uint64(at)]]
            deaths[numbers[uint64(at)]] = step + 1
            at += 1
        while at < end:
            first, second = numbers[uint64(at)], numbers[uint64(at + 1)]
            even += values[first]
            odd += values[second]
            deaths[first] = step + 1
            deaths[second] = step + 1
            at += 2
        weights[numbered[trace.chosen[step]].code] += alpha
        running[step + 1] = running[step] + float64(alpha / (even + odd))
    for number in range(n_numbered):
        fall = running[deaths[number]] - running[births[number]]
        weights[numbered[number].code] -= values[number] * float32(fall)
    for number in range(n_numbered):
        values[number] = weights[numbered[number].code]
    for number in range(n_numbered):
        values[number] = exponential(values[number])
    for number in range(n_numbered):
        exponentials[numbered[number].code] = values[number]


@inner
def search(game, w, root, state, level, iterations, alpha, stabilize, tabu, stream):
    """Search on level >= 1 with the policy that stands in the level's row; False if it had to stop."""
    w.scores[level] = NO_SCORE
    for _ in range(iterations):
        if level == 1:
            for _ in range(stabilize):
                if should_stop(w.control):
                    return False
                copy(game, state, root)
                trace = w.traces[w.rows[0]]
                softmax_playout(game, state, w.exponentials[1], trace, tabu, stream)
                w.scores[0] = count_playout(game, state, w.control, w.best_line, trace.line, trace.length)
                if w.scores[0] >= w.scores[1]:
                    keep(w, 1, 0)
        else:
            copy_policy(w, level - 1, level)
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
        w.weights[level, name] = weights[name]
        w.exponentials[level, name] = exponential(weights[name])


@entry
def _iterate(game, root, state, w, iterations, alpha, stabilize, tabu, stream):
    """Do one of the iterations of the highest level, at least 2; return False if it had to stop."""
    level = len(w.scores) - 1
    copy_policy(w, level - 1, level)
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
        self._tabu = 0 if options.rollout == "uniform" else int(_tabu_color(self.game, self.root))
        rows = options.level + 1
        trace = trace_dtype(self.game)
        most = trace["numbered"].shape[0]
        self._workspace = Workspace(
            weights=private_zeros((rows, self.game.n_codes), np.float32),
            exponentials=private_zeros((rows, self.game.n_codes), np.float32),
            scores=private_zeros(rows, np.int64),
            rows=private_zeros(rows, np.int64),
            traces=private_zeros(rows, trace),
            running=private_zeros(self.game.max_length + 1, np.float64),
            values=private_zeros(most, np.float32),
            deaths=private_zeros(most, np.uint32),
            control=self.control,
            best_line=self.best_line,
        )

        self._workspace.rows[:] = np.arange(rows)

    def learned_policy(self) -> NDArray[np.float32]:
        """Return the weights of the highest level."""
        return self._workspace.weights[self._options.level].copy()

    def _search(self, stream: NDArray[np.uint64]) -> int:
        options, w = self._options, self._workspace
        start = self._start
        tabu = 0 if options.rollout == "either" and int(stream[0]) & 1 else self._tabu
        begin = 0 if start is None else self._restore(start, stream)
        if start is None:
            _set_policy(w, options.level, self._weights)
        arguments = (
            self.game, self.root, self._state, w, options.iterations, np.float32(options.alpha), options.stabilize,
            tabu, stream,
        )  # fmt: skip
        if options.level < _KEPT_LEVEL:
            return int(_run(*arguments))
        if start is None:
            w.scores[options.level] = NO_SCORE
        for iteration in range(begin, options.iterations):
            if not _iterate(*arguments):
                return NO_SCORE
            self._checkpoint = self._keep(iteration + 1, stream)
        return int(w.scores[options.level])

    def _keep(self, iteration: int, stream: NDArray[np.uint64]) -> Mapping[str, NDArray[Any]]:
        """Return the highest level's policy and best line with its trace, and the best game of all."""
        w, level = self._workspace, self._options.level
        trace = w.traces[w.rows[level]]
        length = int(trace["length"])
        counts = trace["counts"][:length].copy()
        best_score, best_line = self.snapshot()
        return {
            "iteration": np.array(iteration),
            "stream": stream.copy(),
            "weights": w.weights[level].copy(),
            "exponentials": w.exponentials[level].copy(),
            "score": np.array(w.scores[level]),
            "line": trace["line"][:length].copy(),
            "chosen": trace["chosen"][:length].copy(),
            "counts": counts,
            "numbers": trace["numbers"][: int(counts.sum())].copy(),
            "codes": trace["numbered"]["code"][: int(trace["n_numbered"])].copy(),
            "births": trace["births"][: int(trace["n_numbered"])].copy(),
            "best_score": np.array(best_score),
            "best_line": best_line,
        }

    def _restore(self, start: Mapping[str, NDArray[Any]], stream: NDArray[np.uint64]) -> int:
        """Take up what `_keep` has kept; return how many iterations are done."""
        w, level = self._workspace, self._options.level
        trace, length = w.traces[w.rows[level]], len(start["line"])
        stream[:] = start["stream"]
        w.weights[level] = start["weights"]
        w.exponentials[level] = start["exponentials"]
        w.scores[level] = start["score"]
        trace["length"] = length
        trace["n_numbered"] = len(start["codes"])
        for name in ("line", "chosen", "counts"):
            trace[name][:length] = start[name]
        trace["numbers"][: len(start["numbers"])] = start["numbers"]
        trace["numbered"]["code"][: len(start["codes"])] = start["codes"]
        trace["births"][: len(start["births"])] = start["births"]
        restore_best(self.control, self.best_line, int(start["best_score"]), start["best_line"])
        return int(start["iteration"])
