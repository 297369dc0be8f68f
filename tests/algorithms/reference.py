"""Nested Monte-Carlo search in plain Python, from the paper's pseudo-code, to hold the engine's against.

It shares the random streams with the engine, and nothing of the search.
"""

import numpy as np

from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.random import below, fork


def playout(call, state, stream) -> list[int]:
    """Play uniformly random moves to the end; return them."""
    line: list[int] = []
    while (n := call["n_moves"](state)) > 0:
        line.append(int(call["move"](state, below(stream, n))))
        call["play"](state, line[-1])
    return line


class ReferenceNested:
    """NMCS (IJCAI 2009, figure 2), with or without memory of the best sequence."""

    def __init__(self, loaded: LoadedGame, memory: bool = True) -> None:
        self.game = loaded.game
        self.call = loaded.game.functions
        self.memory = memory
        self.root = self.game.new_states(1)[0]
        self.call["init"](self.root, loaded.instance)

    def search(self, level: int, stream) -> tuple[int, list[int]]:
        """Return (score, moves) of one search from the start."""
        return self._nested(self.root, level, stream)

    def _copy(self, state):
        target = self.game.new_states(1)[0]
        self.call["copy"](target, state)
        return target

    def _nested(self, state, level: int, stream) -> tuple[int, list[int]]:
        state = self._copy(state)
        if level == 0:
            line = playout(self.call, state, stream)
            return self.call["score"](state), line
        played: list[int] = []
        best_score, best_line = -(1 << 62), []
        step = 0
        while (n := self.call["n_moves"](state)) > 0:
            if not self.memory:
                best_score = -(1 << 62)
            shuffler = np.zeros(4, np.uint64)
            fork(shuffler, stream, step, -1)
            order: list[int] = []
            for i in range(n):
                j = below(shuffler, i + 1)
                order.append(0)
                order[i] = order[j]
                order[j] = i
            for index, i in enumerate(order):
                move = int(self.call["move"](state, i))
                child = self._copy(state)
                self.call["play"](child, move)
                child_stream = np.zeros(4, np.uint64)
                fork(child_stream, stream, step, index)
                score, line = self._nested(child, level - 1, child_stream)
                if score > best_score:
                    best_score, best_line = score, [*played, move, *line]
            move = best_line[step]
            self.call["play"](state, move)
            played.append(move)
            step += 1
        return int(self.call["score"](state)), played
