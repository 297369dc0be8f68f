"""Sudoku as an engine: domains pruned by the values of peers, the smallest domain first (NMCS 2009, section 6).

Move and code: cell * size + value - 1, cell = y * size + x. The moves are the values in the domain of the first of the
cells with the smallest domain. The game ends when a domain is empty, or all cells are filled; its score is the number
of filled cells.
"""

import functools
from collections.abc import Iterable

import numpy as np
from numba import int64, uint8, uint32, uint64
from numpy.typing import NDArray

from morpion_cli.grid.sudoku import BLANK, Entry, Sudoku, peers
from morpion_cli.kernel.bits import trailing_zeros
from morpion_cli.kernel.compiling import inner_of
from morpion_cli.kernel.game import Game, named

_FILLED = 255  # in place of a domain's size


def load(puzzle: Sudoku) -> tuple[Game, NDArray[np.int64]]:
    """Return the engine of this size, and the clues."""
    return make(puzzle.size), np.array(puzzle.rows, np.int64).ravel()


def grid_moves(puzzle: Sudoku, line: Iterable[int], _before: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return engine moves in the frame of the grid files."""
    pairs = (divmod(int(move), puzzle.size) for move in line)
    return tuple(Entry(cell % puzzle.size, cell // puzzle.size, value + 1) for cell, value in pairs)


@functools.cache  # two games of one name would be compiled twice
def make(size: int) -> Game:
    """Return the engine of a size."""
    cells = size * size
    dtype = np.dtype(
        [
            ("domains", "u4", (cells,)),  # bit v: value v + 1 is possible
            ("sizes", "u1", (cells,)),  # of the domains; _FILLED for a cell that has its value
            ("filled", "i8"),
            ("dead", "i8"),  # 1: a domain is empty
            ("cell", "i8"),  # the one to be filled next, once n_moves has been called
        ],
        align=True,
    )
    neighbors = np.array(
        [[j * size + i for i, j in peers(size, cell % size, cell // size)] for cell in range(cells)], np.int64
    )
    n_neighbors = neighbors.shape[1]
    name = f"sudoku-{size}"

    @inner_of(name)
    def fill(state, cell, value):
        """Write a value, 0 for the first, and take it out of the domains of the peers."""
        domains, sizes = state.domains, state.sizes
        bit = uint32(1) << uint32(value)
        domains[cell] = bit
        sizes[cell] = _FILLED
        state.filled += 1
        for k in range(n_neighbors):
            peer = neighbors[cell, k]
            if sizes[peer] != _FILLED and domains[peer] & bit:
                domains[peer] &= ~bit
                sizes[peer] -= uint8(1)
                if sizes[peer] == 0:
                    state.dead = 1

    def init(state, instance):
        for cell in range(cells):
            state.domains[cell] = uint32((1 << size) - 1)
            state.sizes[cell] = size
        state.filled = 0
        state.dead = 0
        state.cell = 0
        for cell in range(cells):
            if instance[cell] != BLANK:
                fill(state, cell, instance[cell] - 1)

    def n_moves(state):
        if state.dead != 0:
            return int64(0)
        sizes = state.sizes
        least = uint8(_FILLED)
        for cell in range(cells):
            least = min(least, sizes[cell])
        if least == _FILLED:
            return int64(0)
        cell = int64(0)
        while sizes[cell] != least:
            cell += 1
        state.cell = cell
        return int64(least)

    def move(state, i):
        domain = int64(state.domains[state.cell])
        while i > 0:
            domain &= domain - 1
            i -= 1
        return state.cell * size + trailing_zeros(domain)

    def play(state, move):
        fill(state, move // size, move % size)

    def copy(target, source):
        for cell in range(cells):
            target.domains[cell] = source.domains[cell]
        for cell in range(cells):
            target.sizes[cell] = source.sizes[cell]
        target.filled = source.filled
        target.dead = source.dead
        target.cell = source.cell

    def position_hash(state):
        value = uint64(0x9E3779B97F4A7C15)
        for cell in range(cells):
            value = (value ^ (uint64(state.domains[cell]) << uint64(8)) ^ uint64(state.sizes[cell])) * uint64(
                0xD6E8FEB86659FD93
            )
            value ^= value >> uint64(32)
        return value

    functions = named(init, n_moves, move, play, score, copy, code, position_hash)
    return Game(name, dtype, cells, size, cells * size, functions)


def score(state):
    return state.filled


def code(state, move):
    return move
