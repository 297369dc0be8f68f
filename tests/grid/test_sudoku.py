import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.errors import UserError
from morpion_cli.formats import msr
from morpion_cli.grid.puzzle import IllegalMoveError, UnreadableGridError, replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.sudoku import Entry, Sudoku, check_clues, peers, read_sudokus
from morpion_cli.grid.verify import verify

FOUR = Sudoku("sudoku", ((1, 0, 0, 0), (0, 0, 3, 0), (0, 1, 0, 0), (0, 0, 0, 0)))


def test_peers_share_a_row_a_column_or_a_box():
    assert peers(4, 1, 2) == [(0, 2), (0, 3), (1, 0), (1, 1), (1, 3), (2, 2), (3, 2)]
    assert [len(peers(size, 0, 0)) for size in (9, 16, 25)] == [20, 39, 64]


def test_the_first_of_the_smallest_domains_is_next():
    position = FOUR.start()
    assert position.possible(1, 1) == [2, 4]
    assert position.possible(1, 0) == [2, 3, 4]  # earlier, but with more values
    assert position.legal_moves() == [Entry(2, 0, 2), Entry(2, 0, 4)]


def test_entries_in_any_order_are_legal_and_one_game():
    moves = [Entry(1, 1, 2), Entry(0, 1, 4), Entry(3, 1, 1)]
    assert replay(FOUR, moves).score == replay(FOUR, moves[::-1]).score == 6
    assert FOUR.ids(moves) == FOUR.ids(moves[::-1]) != FOUR.ids(moves[:2])


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        (Entry(0, 0, 2), "move 1 2 at (0,0): the cell has 1 already"),
        (Entry(3, 0, 1), "move 1 1 at (3,0): (0,0) has the same value"),
    ],
)
def test_illegal_entries(move, problem):
    with pytest.raises(IllegalMoveError) as caught:
        replay(FOUR, [move])
    assert str(caught.value) == problem


def test_a_game_ends_at_an_empty_domain():
    position = Sudoku("sudoku", ((1, 2, 0, 0), (0, 0, 3, 0), (0, 0, 0, 4), (0, 0, 0, 0))).start()
    assert position.possible(3, 0) == [] and position.legal_moves() == []
    assert position.score == 4


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([[0] * 5] * 5, "expected 4, 9, 16 or 25 rows, got 5"),
        ([[0] * 4, [0] * 3, [0] * 4, [0] * 4], "row 2: expected 4 cells, got 3"),
        ([[5, 0, 0, 0]] + [[0] * 4] * 3, "row 1: expected a whole number from 0 to 4, got 5"),
        ([[1, 0, 0, 1]] + [[0] * 4] * 3, "row 1, column 1: the clue 1 is also in row 1, column 4"),
    ],
)
def test_bad_clues(rows, problem):
    with pytest.raises(UnreadableGridError, match=problem):
        check_clues(rows)


def test_files_of_sudokus():
    assert read_sudokus("1..2\n....\n....\n....\n\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 3\n", "s.txt")[1][3][3] == 3
    with pytest.raises(UserError, match=r"s\.txt:2: expected numbers, 0 or \. for a blank, got 'x'"):
        read_sudokus("1..2\n1 x 2 3\n", "s.txt")
    with pytest.raises(UserError, match=r"s\.txt:26: a Sudoku has at most 25"):
        read_sudokus("1\n" * 10**5, "s.txt")


@given(st.integers(0, 10**6), st.integers(0, 16))
@settings(max_examples=50, deadline=None)
def test_a_record_survives_its_file(seed, length):
    rng = random.Random(seed)
    position = FOUR.start()
    while len(position.moves) < length and (moves := position.legal_moves()):
        position.play(rng.choice(moves))
    record = Record(FOUR, tuple(position.moves), position.claims())
    assert msr.parse(msr.dump(record)) == record
    assert verify(record).honest
