"""The rules of SameGame, Clickomania and Bubble Breaker, slow and plain: a list of columns and nothing else.

A move removes a group: two or more tiles of one colour that touch side by side. Tiles above fall down, and when a
column is empty those to its right move left. Frame of a file: x from the left, y from the top, of the board as it
stands at that moment; a move names any tile of its group.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from morpion_cli.errors import shown
from morpion_cli.grid.puzzle import Position, Puzzle, UnreadableGridError, whole_number

MAX_SIDE = 50
MAX_COLORS = 15
TILES = "0123456789abcde"  # of a board file, in which a tile's colour is one character
EMPTY = "."
_BAIER_LOW = -24_421  # his lower bound for SameGame of 15x15; published values of C go with it


@dataclass(frozen=True)
class Scoring:
    """How a game counts: a n^2 + b n + c for a group of n tiles, and what is added at its end.

    bonus: for an empty board.
    penalty: whether (k - 2)^2 is taken off for each colour of which k > 2 tiles are left.
    """

    a: int
    b: int
    c: int
    bonus: int = 0
    penalty: bool = False


# Sources: Cazenave 2009 (no penalty) and Schadd et al. 2008 (penalty) for SameGame; Baier and Winands 2012.
SCORINGS = {
    "samegame": {"none": Scoring(1, -4, 4, 1000), "penalty": Scoring(1, -4, 4, 1000, True)},
    "clickomania": {"none": Scoring(0, 1, 0)},
    "bubble-breaker": {"none": Scoring(1, -1, 0)},
}


class Click(NamedTuple):
    """A tile of the group to be removed."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"({self.x},{self.y})"


@dataclass(frozen=True)
class Board(Puzzle):
    """A board of one of the three games.

    name: samegame, clickomania or bubble-breaker.
    leftover: `none` or `penalty`, what tiles left over cost.
    rows: from the top, a character of TILES for each tile; may have EMPTY places above the tiles of a column.
    """

    family: ClassVar[str] = "samegame"
    name: str
    leftover: str
    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return len(self.rows[0])

    @property
    def height(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def scoring(self) -> Scoring:
        """Return how the game counts."""
        return SCORINGS[self.name][self.leftover]

    @property
    def moves_limit(self) -> int:
        return self.width * self.height // 2

    @property
    def bounds(self) -> tuple[int, int]:
        """Return the scores of all tiles left, or what Baier's thesis has for that, and of all tiles in one group."""
        n, s = self.width * self.height, self.scoring
        most = s.a * n * n + s.b * n + s.c + s.bonus
        colors = Counter("".join(self.rows).replace(EMPTY, ""))
        if not s.penalty:
            return 0, most
        return _BAIER_LOW if n == 225 else -sum((k - 2) ** 2 for k in colors.values() if k > 2), most

    def start(self) -> "BoardPosition":
        return BoardPosition(self)

    def header(self) -> dict[str, Any]:
        return {"variant": self.name, "leftover": self.leftover, "board": list(self.rows)}

    @classmethod
    def parse(cls, document: dict[str, Any]) -> "Board":
        game = document.get("variant", "samegame")
        if not isinstance(game, str) or game not in SCORINGS:
            raise UnreadableGridError(f"variant: expected one of {', '.join(SCORINGS)}, got {shown(game)}")
        leftover = document.get("leftover", "none")
        if not isinstance(leftover, str) or leftover not in SCORINGS[game]:
            raise UnreadableGridError(
                f"leftover: expected one of {', '.join(SCORINGS[game])} for {game}, got {shown(leftover)}"
            )
        rows = document.get("board")
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise UnreadableGridError("board: expected a list of rows, each a text")
        return cls(game, leftover, check_rows(rows))

    def parse_move(self, item: dict[str, Any], where: str) -> Click:
        x = whole_number(item.get("x"), 0, self.width - 1, f"{where}: x")
        return Click(x, whole_number(item.get("y"), 0, self.height - 1, f"{where}: y"))

    def dump_move(self, move: Click) -> dict[str, Any]:
        return move._asdict()

    def ids(self, moves: Any) -> dict[str, str]:
        """Return an identity that does not depend on which tile of a group was named."""
        position = self.start()
        first = []
        for move in moves:
            first.append(min(position.group(move)))
            position.play(move)
        return super().ids(first)


def check_rows(rows: list[str]) -> tuple[str, ...]:
    """Return the rows of a board. Raises UnreadableGridError if they are none."""
    if not rows or not rows[0]:
        raise UnreadableGridError("board: expected rows of tiles, got none")
    if len(rows) > MAX_SIDE or len(rows[0]) > MAX_SIDE:
        size = f"{len(rows[0])}x{len(rows)}"
        raise UnreadableGridError(f"board: at most {MAX_SIDE} columns and {MAX_SIDE} rows, got {size}")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise UnreadableGridError(f"board: row {number}: expected {len(rows[0])} tiles, got {len(row)}")
        for x, tile in enumerate(row):
            if tile not in TILES and tile != EMPTY:
                raise UnreadableGridError(f"board: row {number}: expected colours 0 to e, or '.', got {shown(tile)}")
            if tile == EMPTY and number > 1 and rows[number - 2][x] != EMPTY:
                raise UnreadableGridError(f"board: row {number}: a tile hangs above the empty place in column {x + 1}")
    columns = ["".join(column).strip(EMPTY) for column in zip(*rows, strict=True)]
    if "" in columns and any(columns[columns.index("") :]):
        raise UnreadableGridError(f"board: column {columns.index('') + 1} is empty, and there are tiles to its right")
    return tuple(rows)


def read_boards(text: str, name: str) -> list[tuple[str, ...]]:
    """Return the boards of a text: rows from the top, a blank line between two boards, `#` starts a comment.

    Raises UnreadableGridError, which names the line.
    """
    boards: list[tuple[str, ...]] = []
    rows: list[str] = []
    begun = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        row = line.split("#")[0].strip().replace(" ", "")
        if row:
            if not rows:
                begun = number
            rows.append(row)
            if len(rows) > MAX_SIDE or len(row) > MAX_SIDE:
                raise UnreadableGridError(
                    f"{name}:{number}: a board has at most {MAX_SIDE} columns and {MAX_SIDE} rows"
                )
        elif rows and not line.strip():
            try:
                boards.append(check_rows(rows))
            except UnreadableGridError as error:
                raise UnreadableGridError(f"{name}:{begun}: {error}") from None
            rows = []
    if not boards:
        raise UnreadableGridError(f"{name}: no boards: expected rows of colours 0 to e")
    return boards


def random_board(width: int, height: int, colors: int, seed: int, number: int) -> tuple[str, ...]:
    """Return board `number` of those that a seed makes: every tile of a random colour."""
    rng = random.Random(f"board {width}x{height}x{colors} {seed} {number}")
    return tuple("".join(TILES[rng.randrange(colors)] for _ in range(width)) for _ in range(height))


class BoardPosition(Position):
    """A board on which tiles have been removed."""

    def __init__(self, board: Board) -> None:
        super().__init__()
        self.board = board
        # Columns from the left, each from the bottom.
        self.columns = ["".join(row[x] for row in reversed(board.rows)).strip(EMPTY) for x in range(board.width)]
        while self.columns and not self.columns[-1]:
            self.columns.pop()
        self.points = 0

    def color(self, x: int, y: int) -> str:
        """Return the colour of a place, EMPTY where there is no tile."""
        up = self.board.height - 1 - y
        if 0 <= x < len(self.columns) and 0 <= up < len(self.columns[x]):
            return self.columns[x][up]
        return EMPTY

    def group(self, move: Click) -> set[Click]:
        """Return all tiles of a group; empty where there is no tile."""
        color = self.color(*move)
        if color == EMPTY:
            return set()
        group = {move}
        edge = [move]
        while edge:
            x, y = edge.pop()
            for neighbor in (Click(x - 1, y), Click(x + 1, y), Click(x, y - 1), Click(x, y + 1)):
                if neighbor not in group and self.color(*neighbor) == color:
                    group.add(neighbor)
                    edge.append(neighbor)
        return group

    def canonical(self, move: Click) -> Click:
        return min(self.group(move))

    def _tiles(self) -> Iterator[Click]:
        for x, column in enumerate(self.columns):
            for up in range(len(column)):
                yield Click(x, self.board.height - 1 - up)

    def problem(self, move: Click) -> str | None:
        size = len(self.group(move))
        if size == 0:
            return "there is no tile"
        return "the tile has no neighbor of its colour" if size == 1 else None

    def legal_moves(self) -> list[Click]:
        """Return a tile of every group: the first by column, and in it the highest."""
        seen: set[Click] = set()
        moves = []
        for tile in sorted(self._tiles()):
            if tile not in seen:
                group = self.group(tile)
                seen |= group
                if len(group) >= 2:
                    moves.append(tile)
        return moves

    @property
    def score(self) -> int:
        scoring = self.board.scoring
        if not self.columns:
            return self.points + scoring.bonus
        if not scoring.penalty:
            return self.points
        return self.points - sum((k - 2) ** 2 for k in Counter("".join(self.columns)).values() if k > 2)

    def _apply(self, move: Click) -> None:
        group = self.group(move)
        n, scoring = len(group), self.board.scoring
        self.points += scoring.a * n * n + scoring.b * n + scoring.c
        columns = [
            "".join(tile for up, tile in enumerate(column) if Click(x, self.board.height - 1 - up) not in group)
            for x, column in enumerate(self.columns)
        ]
        self.columns = [column for column in columns if column]

    def claims(self) -> dict[str, Any]:
        return {**super().claims(), "tiles_left": sum(map(len, self.columns))}

    def rows(self) -> list[str]:
        """Return the board as it stands, from the top."""
        board = self.board
        return ["".join(self.color(x, y) for x in range(board.width)) for y in range(board.height)]
