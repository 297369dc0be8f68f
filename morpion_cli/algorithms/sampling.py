"""Iterative sampling, also called flat Monte-Carlo search: playouts from the start, the best one kept."""

import numpy as np
from numpy.typing import NDArray

from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.kernel.compiling import entry
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import Game, copy, playout


@entry
def _sample(game, root, state, stream, line, board, best_line, playouts):
    best = NO_SCORE
    for _ in range(playouts):
        if should_stop(board):
            return NO_SCORE
        copy(game, state, root)
        length = playout(game, state, stream, line, 0)
        best = max(best, count_playout(game, state, board, best_line, line, length))
    return best


class Sampling(Searcher):
    """A task is `task_playouts` playouts; its score is the best of them."""

    def __init__(self, game: Game, instance: NDArray[np.int64], options: SamplingOptions) -> None:
        super().__init__(game, instance)
        self._playouts = options.task_playouts
        self._state = game.new_states(1)[0]
        self._line = np.zeros(game.max_length, np.int64)

    def _search(self, stream: NDArray[np.uint64]) -> int:
        return int(
            _sample(self.game, self.root, self._state, stream, self._line, self.control, self.best_line, self._playouts)
        )
