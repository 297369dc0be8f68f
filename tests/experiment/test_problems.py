import pytest

from morpion_cli.algorithms.depth_first import DepthFirst
from morpion_cli.algorithms.options import DepthFirstOptions
from morpion_cli.experiment.problems import make_sudoku
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.sudoku import Sudoku
from morpion_cli.grid.verify import verify
from morpion_cli.kernel.random import task_stream


def test_a_made_sudoku_has_a_solution_and_forward_checking_finds_it():
    rows = make_sudoku(9, 40, seed=1, number=1)
    assert sum(row.count(0) for row in rows) == 40
    assert rows == make_sudoku(9, 40, seed=1, number=1) != make_sudoku(9, 40, seed=1, number=2)
    search = DepthFirst(GAMES["sudoku"].load(Sudoku("sudoku", rows)), DepthFirstOptions())
    search.set_target(81)
    result = search.run(task_stream(1, 0))
    verdict = verify(search.loaded.record(result.best_moves, {}))
    assert verdict.legal and verdict.terminal and verdict.score == result.score == 81


def test_depth_first_visits_every_end_once():
    # Every way of depth 8 through the binary tree: 256 ends, one of them the best.
    from morpion_cli.grid.toys import Toy

    search = DepthFirst(GAMES["left-move"].load(Toy("left-move", 8)), DepthFirstOptions())
    result = search.run(task_stream(1, 0))
    assert (result.playouts, result.score) == (256, 8)


@pytest.mark.slow
@pytest.mark.parametrize("size", [4, 25])
def test_other_sizes(size):
    rows = make_sudoku(size, size, seed=2, number=1)
    assert len(rows) == size and sum(row.count(0) for row in rows) == size
