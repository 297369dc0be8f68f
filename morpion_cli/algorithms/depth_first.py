"""Depth-first search: every move in turn, in random order, back at the end of each game.

On Sudoku, whose domains are pruned as it goes, this is forward checking, the baseline of NMCS 2009, section 6.
"""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import DepthFirstOptions
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import copy, move, n_moves, play
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below


@entry
def _run(game, root, states, moves, left, line, stream, control, best_line, games):
    """Visit so many ends of games, or all; states[d] and moves[d, :left[d]] are the position and what is untried."""
    best = NO_SCORE
    done = int64(0)
    depth = int64(0)
    copy(game, states[0], root)
    entered = True
    while depth >= 0:
        if entered:
            n = n_moves(game, states[depth])
            for i in range(n):
                j = below(stream, i + 1)
                moves[depth, i] = moves[depth, j]
                moves[depth, j] = move(game, states[depth], i)
            left[depth] = n
            if n == 0:
                if should_stop(control):
                    return NO_SCORE
                best = max(best, count_playout(game, states[depth], control, best_line, line, depth))
                done += 1
                if done == games:
                    break
        if left[depth] == 0:
            depth -= 1
            entered = False
        else:
            left[depth] -= 1
            line[depth] = moves[depth, left[depth]]
            copy(game, states[depth + 1], states[depth])
            play(game, states[depth + 1], line[depth])
            depth += 1
            entered = True
    return best


class DepthFirst(Searcher):
    """A task is `task_playouts` ends of games, in depth-first order from a random first game; or the whole tree."""

    def __init__(self, loaded: LoadedGame, options: DepthFirstOptions) -> None:
        super().__init__(loaded)
        depths = self.game.max_length + 1
        self._games = options.task_playouts
        self._states = self.game.new_states(depths)
        self._moves = private_zeros((depths, self.game.max_moves), np.int64)
        self._left = private_zeros(depths, np.int64)
        self._line = private_zeros(self.game.max_length, np.int64)

    def _search(self, stream: NDArray[np.uint64]) -> int:
        return int(
            _run(
                self.game, self.root, self._states, self._moves, self._left, self._line, stream, self.control,
                self.best_line, self._games,
            )
        )  # fmt: skip
