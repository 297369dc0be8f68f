"""Rollout policies: how a playout chooses its moves.

- uniform: every legal move alike.
- mobility: uniform among the moves after which most moves are legal (RMC 2007, section 4).
- tabu-color: uniform, without the most frequent colour while others can be played (Schadd et al. 2008; NMCS 2009).
"""

from dataclasses import dataclass

from numba.extending import overload

from morpion_cli.kernel.compiling import OPTIONS
from morpion_cli.kernel.game import copy, move, n_moves, play, playout, tabu_playout
from morpion_cli.kernel.random import below
from morpion_cli.kernel.token import Token


@dataclass(frozen=True)
class RolloutPolicy(Token):
    """One rollout policy, compiled into the kernels that it is passed to."""

    name: str


def rollout(policy, game, state, scratch, stream, line, depth):
    """Play out a position, writing the moves to line[depth:]; return the whole line's length.

    `scratch` is another state, to be overwritten.
    """
    raise NotImplementedError


def _uniform(policy, game, state, scratch, stream, line, depth):
    return playout(game, state, stream, line, depth)


def _tabu_color(policy, game, state, scratch, stream, line, depth):
    return tabu_playout(game, state, stream, line, depth)


def _mobility(policy, game, state, scratch, stream, line, depth):
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


_POLICIES = {"uniform": _uniform, "mobility": _mobility, "tabu-color": _tabu_color}


@overload(rollout, jit_options=OPTIONS)
def _rollout(policy, game, state, scratch, stream, line, depth):
    return _POLICIES[policy.token]
