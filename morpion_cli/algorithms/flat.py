"""Flat Monte-Carlo search: playouts without a tree.

Iterative sampling keeps the best of many playouts from the start. Flat Monte-Carlo search plays a game in which each
move is the one whose playouts were best.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from morpion_cli.algorithms.options import FlatOptions, SamplingOptions
from morpion_cli.algorithms.rollout import RolloutPolicy, forget, new_knowledge, rollout
from morpion_cli.algorithms.searcher import Searcher, count_playout, end_game
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import copy, move, n_moves, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below

GAME, PLAYOUT, SCRATCH = range(3)  # indices of the states


@entry
def _sample(game, policy, root, states, knowledge, stream, line, control, best_line, playouts):
    best = NO_SCORE
    for _ in range(playouts):
        if should_stop(control):
            return NO_SCORE
        copy(game, states[PLAYOUT], root)
        length = rollout(policy, game, states[PLAYOUT], states[SCRATCH], knowledge, stream, line, 0)
        best = max(best, count_playout(game, states[PLAYOUT], control, best_line, line, length))
    return best


@entry
def _play(game, policy, root, states, knowledge, stream, line, control, best_line, playouts, by_max):
    copy(game, states[GAME], root)
    depth = 0
    n = n_moves(game, states[GAME])
    while n > 0:
        best_value = float(NO_SCORE)
        ties = 0
        chosen = move(game, states[GAME], 0)
        for i in range(n):
            candidate = move(game, states[GAME], i)
            total = 0
            most = NO_SCORE
            for _ in range(playouts):
                if should_stop(control):
                    return NO_SCORE
                copy(game, states[PLAYOUT], states[GAME])
                play(game, states[PLAYOUT], candidate)
                line[depth] = candidate
                length = rollout(policy, game, states[PLAYOUT], states[SCRATCH], knowledge, stream, line, depth + 1)
                value = count_playout(game, states[PLAYOUT], control, best_line, line, length)
                total += value
                most = max(most, value)
            result = float(most) if by_max else total / playouts
            if result > best_value:
                best_value = result
                ties = 1
                chosen = candidate
            elif result == best_value:
                ties += 1
                if below(stream, ties) == 0:
                    chosen = candidate
        line[depth] = chosen
        depth += 1
        play(game, states[GAME], chosen)
        n = n_moves(game, states[GAME])
    return end_game(game, states[GAME], control, best_line, line, depth)


class _Flat(Searcher):
    def __init__(self, loaded: LoadedGame, options: SamplingOptions | FlatOptions) -> None:
        super().__init__(loaded)
        self._policy = RolloutPolicy(options.rollout)
        self._states = self.game.new_states(3)
        self._knowledge = new_knowledge(options)[0]
        self._line = private_zeros(self.game.max_length, np.int64)

    def _arguments(self, stream: NDArray[np.uint64]) -> tuple[Any, ...]:
        forget(self._knowledge)
        return (
            self.game,
            self._policy,
            self.root,
            self._states,
            self._knowledge,
            stream,
            self._line,
            self.control,
            self.best_line,
        )


class Sampling(_Flat):
    """A task is `task_playouts` playouts; its score is the best of them."""

    def __init__(self, loaded: LoadedGame, options: SamplingOptions) -> None:
        super().__init__(loaded, options)
        self._playouts = options.task_playouts

    def _search(self, stream: NDArray[np.uint64]) -> int:
        return int(_sample(*self._arguments(stream), self._playouts))


class FlatMonteCarlo(_Flat):
    """A task is one game, in which each move is the one whose playouts were best."""

    def __init__(self, loaded: LoadedGame, options: FlatOptions) -> None:
        super().__init__(loaded, options)
        self._playouts = options.playouts
        self._by_max = options.by == "max"

    def _search(self, stream: NDArray[np.uint64]) -> int:
        return int(_play(*self._arguments(stream), self._playouts, self._by_max))
