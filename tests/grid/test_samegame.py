import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.errors import UserError
from morpion_cli.formats import msr
from morpion_cli.grid.puzzle import IllegalMoveError, UnreadableGridError, replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import Board, Click, check_rows, random_board, read_boards
from morpion_cli.grid.verify import verify


def board(*rows, name="samegame", leftover="none"):
    return Board(name, leftover, rows)


@st.composite
def games(draw):
    """Return a random board and some random legal moves."""
    name, leftover = draw(st.sampled_from([("samegame", "none"), ("samegame", "penalty"), ("clickomania", "none")]))
    width, height, colors = draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    puzzle = Board(name, leftover, random_board(width, height, colors, draw(st.integers(0, 10**6)), 1))
    position = puzzle.start()
    for _ in range(draw(st.integers(0, 10))):
        moves = position.legal_moves()
        if not moves:
            break
        position.play(draw(st.sampled_from(moves)))
    return position


def test_a_group_goes_tiles_fall_and_empty_columns_close_up():
    position = board("0120", "1100", "1120").start()
    position.play(Click(1, 1))  # five tiles of colour 1, the second column among them
    assert position.rows() == [".20.", ".00.", "020."]
    assert position.score == 9


def test_step_by_step():
    position = board("012", "002", "112").start()
    assert position.legal_moves() == [Click(0, 0), Click(0, 2), Click(2, 0)]
    position.play(Click(0, 1))  # three of colour 0: (3 - 2)^2
    assert position.score == 1
    assert position.rows() == ["..2", ".12", "112"]
    position.play(Click(1, 2))  # three of colour 1, and their columns are empty
    assert position.rows() == ["2..", "2..", "2.."]
    position.play(Click(0, 0))
    assert position.score == 1 + 1 + 1 + 1000 and position.legal_moves() == []


@pytest.mark.parametrize(
    ("name", "leftover", "first", "second"),
    [
        ("samegame", "none", 4, 4),
        ("samegame", "penalty", 4 - 4, 4),  # after the first move four tiles of colour 1 are left
        ("clickomania", "none", 4, 6),
        ("bubble-breaker", "none", 12, 14),
    ],
)
def test_what_counts(name, leftover, first, second):
    position = board("12121", "00001", name=name, leftover=leftover).start()
    position.play(Click(0, 1))
    assert position.score == first
    position.play(Click(4, 0))
    assert position.rows() == [".....", "1212."] and position.legal_moves() == []
    assert position.score == second


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        (Click(1, 0), "move 1 (1,0): the tile has no neighbor of its colour"),
        (Click(9, 9), "move 1 (9,9): there is no tile"),
    ],
)
def test_illegal_moves(move, problem):
    with pytest.raises(IllegalMoveError) as caught:
        replay(board("012", "002"), [move])
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "expected rows of tiles, got none"),
        (["012", "01"], "row 2: expected 3 tiles, got 2"),
        (["01f"], "row 1: expected colours 0 to e, or '.', got 'f'"),
        (["0" * 51], "at most 50 columns and 50 rows, got 51x1"),
        (["00", ".0"], "row 2: a tile hangs above the empty place in column 1"),
        (["0.0"], "column 2 is empty, and there are tiles to its right"),
    ],
)
def test_bad_boards(rows, problem):
    with pytest.raises(UnreadableGridError, match=problem.replace(".", r"\.")):
        check_rows(rows)


def test_boards_of_a_file_and_the_line_of_a_mistake():
    assert read_boards("# two\n01\n10\n\n\n22\n22", "b.txt") == [("01", "10"), ("22", "22")]
    with pytest.raises(UserError, match=r"b\.txt:4: board: row 2: expected 2 tiles, got 3"):
        read_boards("01\n10\n\n22\n222\n", "b.txt")
    with pytest.raises(UserError, match="no boards"):
        read_boards("\n# nothing\n", "b.txt")
    with pytest.raises(UserError, match=r"b\.txt:51: a board has at most"):
        read_boards("0\n" * 10**6, "b.txt")


@given(games())
@settings(max_examples=100, deadline=None)
def test_a_record_survives_its_file(position):
    record = Record(position.board, tuple(position.moves), position.claims(), {"author": "A"})
    assert msr.parse(msr.dump(record)) == record
    verdict = verify(record)
    assert verdict.honest and verdict.score == position.score


@given(games(), st.randoms())
@settings(max_examples=100, deadline=None)
def test_any_tile_names_its_group(position, rng):
    again, moves = position.board.start(), []
    for move in position.moves:
        moves.append(rng.choice(sorted(again.group(move))))
        again.play(moves[-1])
    assert again.rows() == position.rows()
    assert position.board.ids(moves) == position.board.ids(position.moves)


def test_a_false_claim_is_found():
    position = board("00", "11").start()
    position.play(Click(0, 0))
    record = Record(position.board, tuple(position.moves), {"score": 5, "tiles_left": 2})
    assert verify(record).error == "score: the file says 5, but it is 0"


def test_random_boards_do_not_change():
    assert random_board(5, 2, 4, 7, 3) == ("23330", "21320")
