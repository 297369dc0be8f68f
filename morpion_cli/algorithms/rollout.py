"""Rollout policies: how a playout chooses its moves.

- uniform: every legal move alike.
- mobility: uniform among the moves after which most moves are legal (RMC 2007, section 4).
- tabu-color: uniform, without the most frequent colour while others can be played (Schadd et al. 2008; NMCS 2009).
- tabu-bandit: without a colour that UCB1-TUNED chooses from the playouts of the search so far, one pull a playout
  (Beam MCTS 2012). Scores are normalised by the least and the greatest that the search has seen.

What a policy knows beside the position is `knowledge`, a float64 array of KNOWLEDGE_WORDS that belongs to one thread's
search: `new_knowledge` makes it, `forget` empties it.
"""

from dataclasses import dataclass

import numpy as np
from numba import int64
from numba.extending import overload
from numpy.typing import NDArray

from morpion_cli.algorithms.options import RolloutOptions
from morpion_cli.kernel.compiling import OPTIONS, inner
from morpion_cli.kernel.game import COLORS, copy, move, n_moves, play, playout, score, tabu_playout, tiles_of_color
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below
from morpion_cli.kernel.token import Token

_EPSILON, _PULLS, _LEAST, _GREATEST = range(4)
# Then of each colour: pulls, sum of the scores, sum of their squares.
_ARMS = 4
_ARM = 3
KNOWLEDGE_WORDS = _ARMS + _ARM * COLORS


@dataclass(frozen=True)
class RolloutPolicy(Token):
    """One rollout policy, compiled into the kernels that it is passed to."""

    name: str


def new_knowledge(options: RolloutOptions, count: int = 1) -> NDArray[np.float64]:
    """Return what a rollout policy knows at the start, for `count` threads, shape (count, KNOWLEDGE_WORDS)."""
    knowledge = private_zeros((count, KNOWLEDGE_WORDS), np.float64)
    knowledge[:, _EPSILON] = options.epsilon
    return knowledge


def forget(knowledge: NDArray[np.float64]) -> None:
    """Make ready for another search."""
    knowledge[..., _PULLS:] = 0.0


def rollout(policy, game, state, scratch, knowledge, stream, line, depth):
    """Play out a position, writing the moves to line[depth:]; return the whole line's length.

    `scratch` is another state, to be overwritten.
    """
    raise NotImplementedError


def _uniform(policy, game, state, scratch, knowledge, stream, line, depth):
    return playout(game, state, stream, line, depth)


@inner
def most_frequent_color(game, state):
    """Return the colour with the most tiles, of equals the first; in games with tabu_playout."""
    most = int64(1)
    for color in range(2, COLORS):
        if tiles_of_color(game, state, color) > tiles_of_color(game, state, most):
            most = int64(color)
    return most


def _tabu_color(policy, game, state, scratch, knowledge, stream, line, depth):
    tabu = most_frequent_color(game, state)
    return tabu_playout(game, state, stream, line, depth, tabu, knowledge[_EPSILON])


@inner
def _value_of_arm(knowledge, color):
    """Return the UCB1-TUNED value of a colour (Auer et al. 2002)."""
    arm = _ARMS + _ARM * color
    pulls = knowledge[arm]
    if pulls == 0.0:
        return np.inf
    width = max(knowledge[_GREATEST] - knowledge[_LEAST], 1.0)
    mean = knowledge[arm + 1] / pulls
    variance = max(knowledge[arm + 2] / pulls - mean * mean, 0.0) / (width * width)
    log = np.log(knowledge[_PULLS])
    spread = min(0.25, variance + np.sqrt(2.0 * log / pulls))
    return (mean - knowledge[_LEAST]) / width + np.sqrt(log / pulls * spread)


def _tabu_bandit(policy, game, state, scratch, knowledge, stream, line, depth):
    tabu = int64(1)
    best = -np.inf
    for color in range(1, COLORS):
        if tiles_of_color(game, state, color) > 0:
            value = _value_of_arm(knowledge, color)
            if value > best:
                best = value
                tabu = int64(color)
    length = tabu_playout(game, state, stream, line, depth, tabu, knowledge[_EPSILON])
    value = float(score(game, state))
    first = knowledge[_PULLS] == 0.0
    knowledge[_LEAST] = value if first else min(value, knowledge[_LEAST])
    knowledge[_GREATEST] = value if first else max(value, knowledge[_GREATEST])
    knowledge[_PULLS] += 1.0
    arm = _ARMS + _ARM * tabu
    knowledge[arm] += 1.0
    knowledge[arm + 1] += value
    knowledge[arm + 2] += value * value
    return length


def _mobility(policy, game, state, scratch, knowledge, stream, line, depth):
    n = n_moves(game, state)
    while n > 0:
        most = -1
        ties = 0
        chosen = move(game, state, 0)
        for i in range(n):
            candidate = move(game, state, i)
            copy(game, scratch, state)
            play(game, scratch, candidate)
            mobility = n_moves(game, scratch)
            if mobility > most:
                most = mobility
                ties = 1
                chosen = candidate
            elif mobility == most:
                ties += 1
                if below(stream, ties) == 0:  # so that in the end each of the best has the same chance
                    chosen = candidate
        line[depth] = chosen
        depth += 1
        play(game, state, chosen)
        n = n_moves(game, state)
    return depth


_POLICIES = {"uniform": _uniform, "mobility": _mobility, "tabu-color": _tabu_color, "tabu-bandit": _tabu_bandit}


@overload(rollout, jit_options=OPTIONS)
def _rollout(policy, game, state, scratch, knowledge, stream, line, depth):
    return _POLICIES[policy.token]
