"""The rules of Sudoku as a game (NMCS 2009, section 6), slow and plain.

A move writes a value into an empty cell that none of the cell's peers has: the other cells of its row, its column and
its box. The game has ended when all cells are filled, or when an empty cell has no possible value. Score: filled cells.
A search writes only into the first of the cells with fewest possible values; a person may write anywhere.
"""

import math
import re
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from morpion_cli.errors import shown
from morpion_cli.grid.puzzle import Position, Puzzle, UnreadableGridError, whole_number

SIZES = (4, 9, 16, 25)
BLANK = 0


class Entry(NamedTuple):
    """A value in a cell, x from the left and y from the top."""

    x: int
    y: int
    value: int

    def __str__(self) -> str:
        return f"{self.value} at ({self.x},{self.y})"


@dataclass(frozen=True)
class Sudoku(Puzzle):
    """The clues, rows from the top, BLANK where there is none."""

    family: ClassVar[str] = "sudoku"
    unit: ClassVar[str] = "cells"
    name: str
    rows: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """Return the number of rows, of columns and of values."""
        return len(self.rows)

    @property
    def moves_limit(self) -> int:
        return self.size**2

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.size**2

    @property
    def reaches(self) -> int:
        return self.size**2

    def start(self) -> "SudokuPosition":
        return SudokuPosition(self)

    def header(self) -> dict[str, Any]:
        return {"board": [list(row) for row in self.rows]}

    @classmethod
    def parse(cls, document: dict[str, Any]) -> "Sudoku":
        rows = document.get("board")
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise UnreadableGridError("board: expected a list of rows, each a list of numbers")
        return cls("sudoku", check_clues(rows))

    def parse_move(self, item: dict[str, Any], where: str) -> Entry:
        x, y = (whole_number(item.get(key), 0, self.size - 1, f"{where}: {key}") for key in ("x", "y"))
        return Entry(x, y, whole_number(item.get("value"), 1, self.size, f"{where}: value"))

    def dump_move(self, move: Entry) -> dict[str, Any]:
        return move._asdict()

    def ids(self, moves: Any) -> dict[str, str]:
        """Return an identity that does not depend on the order of the entries."""
        return super().ids(sorted(moves))


def peers(size: int, x: int, y: int) -> list[tuple[int, int]]:
    """Return the cells (x, y) that share a row, a column or a box with a cell, without it."""
    side = math.isqrt(size)
    left, top = x - x % side, y - y % side
    cells = {(i, y) for i in range(size)} | {(x, i) for i in range(size)}
    cells |= {(left + i, top + j) for i in range(side) for j in range(side)}
    return sorted(cells - {(x, y)})


def check_clues(rows: list[Any]) -> tuple[tuple[int, ...], ...]:
    """Return the rows of a Sudoku. Raises UnreadableGridError if they are none, or two clues contradict each other."""
    size = len(rows)
    if size not in SIZES:
        raise UnreadableGridError(f"board: expected {', '.join(map(str, SIZES[:-1]))} or {SIZES[-1]} rows, got {size}")
    for number, row in enumerate(rows, 1):
        if len(row) != size:
            raise UnreadableGridError(f"board: row {number}: expected {size} cells, got {len(row)}")
        for value in row:
            whole_number(value, 0, size, f"board: row {number}")
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            for i, j in peers(size, x, y):
                if value != BLANK and rows[j][i] == value:
                    raise UnreadableGridError(
                        f"board: row {y + 1}, column {x + 1}: the clue {value} is also in row {j + 1}, column {i + 1}"
                    )
    return tuple(tuple(row) for row in rows)


def read_sudokus(text: str, name: str) -> list[tuple[tuple[int, ...], ...]]:
    """Return the Sudokus of a text: rows of numbers, 0 or . for a blank, an empty line between two, `#` a comment.

    Rows of 9 may be written without spaces. Raises UnreadableGridError, which names the line.
    """
    boards = []
    rows: list[list[int]] = []
    begun = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        content = line.split("#")[0].strip()
        if content:
            begun = begun if rows else number
            tiles = list(content) if re.fullmatch(r"[0-9.]{4,9}", content) else content.split()
            if len(rows) >= SIZES[-1] or len(tiles) > SIZES[-1]:
                raise UnreadableGridError(f"{name}:{number}: a Sudoku has at most {SIZES[-1]} rows and columns")
            for tile in tiles:
                if not re.fullmatch(r"\.|[0-9]{1,2}", tile):
                    raise UnreadableGridError(
                        f"{name}:{number}: expected numbers, 0 or . for a blank, got {shown(tile)}"
                    )
            rows.append([BLANK if tile == "." else int(tile) for tile in tiles])
        elif rows and not line.strip():
            try:
                boards.append(check_clues(rows))
            except UnreadableGridError as error:
                raise UnreadableGridError(f"{name}:{begun}: {error}") from None
            rows = []
    if not boards:
        raise UnreadableGridError(f"{name}: no Sudokus: expected rows of numbers, 0 for a blank")
    return boards


class SudokuPosition(Position):
    """Some cells filled."""

    def __init__(self, sudoku: Sudoku) -> None:
        super().__init__()
        self.sudoku = sudoku
        self.cells = [list(row) for row in sudoku.rows]

    def possible(self, x: int, y: int) -> list[int]:
        """Return the values that no peer of a cell has."""
        size = self.sudoku.size
        taken = {self.cells[j][i] for i, j in peers(size, x, y)}
        return [value for value in range(1, size + 1) if value not in taken]

    def _empty(self) -> list[tuple[int, int]]:
        size = self.sudoku.size
        return [(x, y) for y in range(size) for x in range(size) if self.cells[y][x] == BLANK]

    def problem(self, move: Entry) -> str | None:
        if self.cells[move.y][move.x] != BLANK:
            return f"the cell has {self.cells[move.y][move.x]} already"
        for i, j in peers(self.sudoku.size, move.x, move.y):
            if self.cells[j][i] == move.value:
                return f"({i},{j}) has the same value"
        return None

    def legal_moves(self) -> list[Entry]:
        """Return the entries for the first cell with fewest possible values; none if there is no such value."""
        choices = [(self.possible(x, y), x, y) for x, y in self._empty()]
        if not choices:
            return []
        values, x, y = min(choices, key=lambda choice: len(choice[0]))
        return [Entry(x, y, value) for value in values]

    @property
    def score(self) -> int:
        return self.sudoku.size**2 - len(self._empty())

    def _apply(self, move: Entry) -> None:
        self.cells[move.y][move.x] = move.value
