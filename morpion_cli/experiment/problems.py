"""Making problems that have a solution."""

import random
from functools import cache

from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.options import NestedOptions
from morpion_cli.algorithms.searcher import ready
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.sudoku import BLANK, Sudoku
from morpion_cli.kernel.random import task_stream

_TRIES = 1000


@cache
def _solver(size: int) -> tuple[Sudoku, Nested]:
    blank = Sudoku("sudoku", ((BLANK,) * size,) * size)
    solver = ready(lambda: Nested(GAMES["sudoku"].load(blank), NestedOptions(level=1)))
    solver.set_target(size**2)
    return blank, solver


def make_sudoku(size: int, empty: int, seed: int, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the clues of problem `number` of those that a seed makes, with so many empty cells.

    A blank grid is filled by nested search of level 1, and then cells at random are emptied.
    """
    blank, solver = _solver(size)
    for task in range(_TRIES):
        solver.forget_best()
        result = solver.run(task_stream(seed, number * _TRIES + task))
        if result is not None and result.score == size**2:
            break
    else:
        raise RuntimeError(f"no filled Sudoku of size {size} found in {_TRIES} searches")
    record = solver.loaded.record(result.best_moves, {})
    cells = replay(blank, record.moves).cells
    rng = random.Random(f"sudoku {size} {seed} {number}")
    for cell in rng.sample(range(size**2), empty):
        cells[cell // size][cell % size] = BLANK
    return tuple(tuple(row) for row in cells)
