"""What can be chosen of each game, and the puzzle that it makes. Light to import: no numba, no numpy."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field

from morpion_cli.errors import UserError
from morpion_cli.files import read_file
from morpion_cli.grid.morpion import VARIANTS
from morpion_cli.grid.puzzle import Puzzle
from morpion_cli.grid.samegame import MAX_COLORS, MAX_SIDE, SCORINGS, Board, random_board, read_boards
from morpion_cli.grid.sudoku import BLANK, Sudoku, read_sudokus
from morpion_cli.grid.toys import MAX_DEPTH, Toy
from morpion_cli.options import Count, Options, option
from morpion_cli.values import parse_count, parse_size

T = TypeVar("T")

_FILE_LIMIT = 16 << 20  # bytes


class GameOptions(Options):
    """Base of all."""

    def puzzle(self, game: str) -> Puzzle:
        """Return what is played. Raises UserError if a file cannot be read."""
        raise NotImplementedError


class MorpionOptions(GameOptions):
    """The variants differ by name only."""

    def puzzle(self, game: str) -> Puzzle:
        return VARIANTS[game]


class ToyOptions(GameOptions):
    depth: Annotated[Count, Field(ge=1, le=MAX_DEPTH)] = option(60, "moves in a game")

    def puzzle(self, game: str) -> Puzzle:
        return Toy(game, self.depth)


def _text_of(path: str) -> str:
    return read_file(Path(path), _FILE_LIMIT).decode(errors="replace")


def _pick(boards: list[T], number: int, path: str) -> T:
    if number > len(boards):
        raise UserError(f"{path}: there is no board {number}, the last is {len(boards)}")
    return boards[number - 1]


def _board_size(text: str) -> str:
    parse_size(text, MAX_SIDE)
    return text


Size = Annotated[str, AfterValidator(_board_size)]
Colors = Annotated[Count, Field(ge=1, le=MAX_COLORS)]


class BlockOptions(GameOptions):
    board: Annotated[str, Field(min_length=1)] | None = option(
        None, "a file of boards, in colours 0 to e, rows from the top, a blank line between boards; without it, random"
    )
    number: Annotated[Count, Field(ge=1)] = option(1, "which board of the file, or of the random ones")
    size: Size = option("15x15", "columns x rows of a random board")
    colors: Colors = option(5, "colours of a random board")
    board_seed: Annotated[Count, Field(ge=0)] = option(1, "makes the random boards")

    @property
    def rule(self) -> str:
        """Return what tiles left over cost."""
        return "none"

    def puzzle(self, game: str) -> Puzzle:
        assert game in SCORINGS
        if self.board is None:
            width, height = parse_size(self.size, MAX_SIDE)
            return Board(game, self.rule, random_board(width, height, self.colors, self.board_seed, self.number))
        return Board(game, self.rule, _pick(read_boards(_text_of(self.board), self.board), self.number, self.board))


class SudokuOptions(GameOptions):
    board: Annotated[str, Field(min_length=1)] | None = option(
        None, "a file of Sudokus: rows of numbers, 0 for a blank, an empty line between two; without it, a blank one"
    )
    number: Annotated[Count, Field(ge=1)] = option(1, "which Sudoku of the file")
    size: Annotated[Literal[4, 9, 16, 25], BeforeValidator(parse_count)] = option(
        16, "rows of the blank Sudoku", "NMCS 2009"
    )

    def puzzle(self, game: str) -> Puzzle:
        if self.board is None:
            return Sudoku(game, ((BLANK,) * self.size,) * self.size)
        return Sudoku(game, _pick(read_sudokus(_text_of(self.board), self.board), self.number, self.board))


class ClickomaniaOptions(BlockOptions):
    size: Size = option("20x20", "columns x rows of a random board")
    colors: Colors = option(10, "colours of a random board")


class SameGameOptions(BlockOptions):
    leftover: Literal["none", "penalty"] = option(
        "none",
        "what tiles left at the end cost: none, or as penalty (k - 2)^2 for each colour of which k > 2 are left",
        "none: NMCS 2009; penalty: Schadd et al. 2008, Beam MCTS 2012",
    )

    @property
    def rule(self) -> str:
        return self.leftover
