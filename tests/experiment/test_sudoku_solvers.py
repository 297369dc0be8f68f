"""Sudoku 16x16 with 169 empty cells (NMCS 2009, table 2), beside a constraint solver that shares nothing with us."""

import time

import pytest

from morpion_cli.algorithms.nested import Nested
from morpion_cli.algorithms.options import NestedOptions
from morpion_cli.algorithms.searcher import ready
from morpion_cli.experiment.problems import make_sudoku
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.sudoku import BLANK, Sudoku
from morpion_cli.kernel.random import task_stream

SIZE, BOX, EMPTY, COUNT = 16, 4, 169, 100


def solved_by_cp_sat(rows):
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    cells = [[model.new_int_var(1, SIZE, "") for _ in range(SIZE)] for _ in range(SIZE)]
    for y, row in enumerate(rows):
        for x, clue in enumerate(row):
            if clue != BLANK:
                model.add(cells[y][x] == clue)
    for i in range(SIZE):
        top, left = divmod(i, BOX)
        model.add_all_different(cells[i])
        model.add_all_different([row[i] for row in cells])
        model.add_all_different([cells[top * BOX + a][left * BOX + b] for a in range(BOX) for b in range(BOX)])
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    return solver.solve(model) == cp_model.OPTIMAL


@pytest.mark.slow
def test_a_hundred_problems_are_all_solved(capsys):
    problems = [make_sudoku(SIZE, EMPTY, seed=1, number=number) for number in range(1, COUNT + 1)]
    seconds = {}
    for level in (1, 2):
        ready(lambda n=level: Nested(GAMES["sudoku"].load(Sudoku("sudoku", problems[0])), NestedOptions(level=n)))
        start = time.process_time()
        for number, rows in enumerate(problems):
            search = Nested(GAMES["sudoku"].load(Sudoku("sudoku", rows)), NestedOptions(level=level))
            search.set_target(SIZE**2)
            task = 0
            while search.run(task_stream(number, task)).best_score < SIZE**2:
                search.forget_best()
                task += 1
        seconds[f"NMCS level {level}"] = time.process_time() - start
    start = time.process_time()
    assert all(solved_by_cp_sat(rows) for rows in problems)
    seconds["CP-SAT"] = time.process_time() - start
    with capsys.disabled():
        print("\nseconds of CPU for all:", ", ".join(f"{name} {value:.2f}" for name, value in seconds.items()))
