"""Nested rollout policy adaptation (Rosin, IJCAI 2011), with the stabilized form (Cazenave, Sevestre, Toulemont 2020).

A policy has a weight for each move code; a level-0 search plays each legal move with probability proportional to the
exponential of its weight. A level-n search starts from its caller's policy and, N times, calls level n - 1, keeps the
best line (a new one on a tie) and moves its policy towards it: along the line, the weight of each move played rises by
alpha, and the weights of all moves legal there fall by alpha times their probability.

While a line is played, the codes of all legal moves of each step are written down, its *trace*; so that adapting needs
no replay. Beside each weight its exponential is kept, so that playing needs no exponential.
"""

from typing import NamedTuple

import numpy as np
from numba import float32, int64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import NrpaOptions
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import code, copy, move, n_moves, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import uniform


class Workspace(NamedTuple):
    """The buffers of one search.

    Policies: row n belongs to level n. Lines with their traces: level n has the row `rows[n]`, and level 0 is the line
    being played.
    """

    weights: NDArray[np.float32]  # (levels + 1, n_codes)
    exponentials: NDArray[np.float32]  # (levels + 1, n_codes)
    scores: NDArray[np.int64]  # (levels + 1,) of each level's best line
    rows: NDArray[np.int64]  # (levels + 1,)
    lengths: NDArray[np.int64]  # (levels + 1,)
    lines: NDArray[np.int64]  # (levels + 1, max_length)
    chosen: NDArray[np.int32]  # (levels + 1, max_length) index of the played move in its step's codes
    counts: NDArray[np.int32]  # (levels + 1, max_length) how many codes each step has
    codes: NDArray[np.int32]  # (levels + 1, trace) the codes of all steps, one after another
    sums: NDArray[np.float32]  # (max_moves,) running sums of a step
    falls: NDArray[np.float32]  # (n_codes,) for adapting; all zero between two adaptations
    touched: NDArray[np.int32]  # (n_codes + 1,) the codes that are not
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def play_softmax(game, w, level, state, stream):
    """Play a line by the policy of `level`, with its trace, as that of level 0; return its score."""
    row = w.rows[0]
    exponentials, codes, counts, chosen = w.exponentials[level], w.codes[row], w.counts[row], w.chosen[row]
    line, sums = w.lines[row], w.sums
    at = int64(0)
    length = int64(0)
    n = n_moves(game, state)
    while n > 0:
        total = float32(0.0)
        for i in range(n):
            name = code(game, state, move(game, state, i))
            codes[at + i] = name
            total += exponentials[name]
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
        n = n_moves(game, state)
    w.lengths[row] = length
    return count_playout(game, state, w.control, w.best_line, line, length)


@inner
def keep(w, level, source):
    """Make the line of level `source` that of `level`, by exchanging their rows."""
    w.rows[level], w.rows[source] = w.rows[source], w.rows[level]
    w.scores[level] = w.scores[source]


@inner
def adapt(w, level, alpha):
    """Move the policy of `level` towards the level's best line."""
    weights, exponentials, falls, touched = w.weights[level], w.exponentials[level], w.falls, w.touched
    row = w.rows[level]
    codes, counts, chosen = w.codes[row], w.counts[row], w.chosen[row]
    # All probabilities are those before the adaptation, so a code falls by its exponential times a sum over the steps
    # at which it was legal, and each exponential is renewed once.
    at = int64(0)
    n_touched = int64(0)
    for step in range(w.lengths[row]):
        end = at + counts[step]
        even = float32(0.0)  # two sums, so that one addition need not wait for the other
        odd = float32(0.0)
        for i in range(at, end - 1, 2):
            even += exponentials[codes[i]]
            odd += exponentials[codes[i + 1]]
        if (end - at) % 2 == 1:
            even += exponentials[codes[end - 1]]
        weights[codes[at + chosen[step]]] += alpha
        scale = alpha / (even + odd)
        for i in range(at, end):
            name = codes[i]
            touched[n_touched] = name
            n_touched += int64(falls[name] == float32(0.0))
            falls[name] += scale
        at = end
    for i in range(n_touched):
        name = touched[i]
        weights[name] -= falls[name] * exponentials[name]
        exponentials[name] = np.exp(weights[name])
        falls[name] = float32(0.0)


@inner
def search(game, w, root, state, level, iterations, alpha, stabilize, stream):
    """Search on level >= 1 with the policy that stands in the level's row; False if it had to stop."""
    w.scores[level] = NO_SCORE
    w.lengths[w.rows[level]] = 0
    for _ in range(iterations):
        if level == 1:
            for _ in range(stabilize):
                if should_stop(w.control):
                    return False
                copy(game, state, root)
                w.scores[0] = play_softmax(game, w, 1, state, stream)
                if w.scores[0] >= w.scores[1]:
                    keep(w, 1, 0)
        else:
            w.weights[level - 1] = w.weights[level]
            w.exponentials[level - 1] = w.exponentials[level]
            if not search(game, w, root, state, level - 1, iterations, alpha, stabilize, stream):
                return False
            if w.scores[level - 1] >= w.scores[level]:
                keep(w, level, level - 1)
        adapt(w, level, alpha)
    return True


@entry
def _run(game, root, state, w, iterations, alpha, stabilize, stream):
    level = len(w.scores) - 1
    w.weights[level] = float32(0.0)
    w.exponentials[level] = float32(1.0)
    if search(game, w, root, state, level, iterations, alpha, stabilize, stream):
        return w.scores[level]
    return NO_SCORE


class Nrpa(Searcher):
    """A task is one search of the highest level, from the uniform policy."""

    def __init__(self, loaded: LoadedGame, options: NrpaOptions) -> None:
        super().__init__(loaded)
        self._options = options
        self._state = self.game.new_states(1)[0]
        rows = options.level + 1
        self._workspace = Workspace(
            weights=private_zeros((rows, self.game.n_codes), np.float32),
            exponentials=private_zeros((rows, self.game.n_codes), np.float32),
            scores=private_zeros(rows, np.int64),
            rows=private_zeros(rows, np.int64),
            lengths=private_zeros(rows, np.int64),
            lines=private_zeros((rows, self.game.max_length), np.int64),
            chosen=private_zeros((rows, self.game.max_length), np.int32),
            counts=private_zeros((rows, self.game.max_length), np.int32),
            codes=private_zeros((rows, self.game.max_length * self.game.max_moves), np.int32),
            sums=private_zeros(self.game.max_moves, np.float32),
            falls=private_zeros(self.game.n_codes, np.float32),
            touched=private_zeros(self.game.n_codes + 1, np.int32),
            control=self.control,
            best_line=self.best_line,
        )

        self._workspace.rows[:] = np.arange(rows)

    def _search(self, stream: NDArray[np.uint64]) -> int:
        options = self._options
        return int(
            _run(
                self.game,
                self.root,
                self._state,
                self._workspace,
                options.iterations,
                np.float32(options.alpha),
                options.stabilize,
                stream,
            )
        )
