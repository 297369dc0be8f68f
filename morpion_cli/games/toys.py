"""The left-move and leftmost-path problems (Cazenave 2009, section 4) as an engine.

Move: 1 is left, 0 is right. A move's code is 2 x the number of moves played so far, plus the move.
"""

import functools
from collections.abc import Iterable

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from morpion_cli.grid.toys import MAX_DEPTH, Toy, Turn
from morpion_cli.kernel.game import Game, named

_DTYPE = np.dtype([("depth", "i8"), ("played", "i8"), ("score", "i8")])


def load(puzzle: Toy) -> tuple[Game, NDArray[np.int64]]:
    """Return the engine of a toy problem, and its depth."""
    return make(puzzle.name), np.array([puzzle.depth], np.int64)


def grid_moves(puzzle: Toy, line: Iterable[int], _before: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return engine moves in the frame of the grid files."""
    return tuple(Turn(int(move) == 1) for move in line)


@functools.cache  # two games of one name would be compiled twice
def make(name: str) -> Game:
    """Return the engine of one of the two problems."""
    leftmost_path = name == "leftmost-path"

    def play(state, move):
        # On the leftmost path a move counts only if all before it were to the left.
        if move == 1 and (not leftmost_path or state.score == state.played):
            state.score += 1
        state.played += 1

    functions = named(init, n_moves, move, play, score, copy, code, position_hash)
    return Game(name, _DTYPE, MAX_DEPTH, 2, 2 * MAX_DEPTH, functions)


def init(state, instance):
    state.depth = instance[0]
    state.played = 0
    state.score = 0


def n_moves(state):
    return int64(2) if state.played < state.depth else int64(0)


def move(state, i):
    return int64(1 - i)


def score(state):
    return state.score


def copy(target, source):
    target.depth = source.depth
    target.played = source.played
    target.score = source.score


def code(state, move):
    return 2 * state.played + move


def position_hash(state):
    # Positions that differ in what was played, but not in what can still come of it, are the same.
    return (uint64(state.played) * uint64(MAX_DEPTH + 1) + uint64(state.score)) * uint64(0x9E3779B97F4A7C15)
