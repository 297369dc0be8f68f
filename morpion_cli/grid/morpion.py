"""The rules of Morpion Solitaire, slow and plain: sets of points and nothing else.

Frame: the starting cross fills the box (0, 0) to (9, 9), or (6, 6) with lines of four; y points down; coordinates may
be negative. A move puts one dot and draws one line of n points in a row through it, all of them dots. Two lines of the
same direction may share no point in D (disjoint) variants, and at most an end point in T (touching) ones.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from morpion_cli.errors import shown
from morpion_cli.grid.puzzle import Position, Puzzle, UnreadableGridError, whole_number
from morpion_cli.grid.symmetry import dots_id, game_id, is_symmetric

DIRECTIONS = {"H": (1, 0), "V": (0, 1), "DP": (1, -1), "DN": (1, 1)}

Point = tuple[int, int]

_COORDINATE_LIMIT = 1000


@dataclass(frozen=True)
class Variant(Puzzle):
    """One of the four games."""

    family: ClassVar[str] = "morpion"
    unit: ClassVar[str] = "moves"
    name: str
    points: int  # on a line
    disjoint: bool
    most: int  # no game is longer

    @property
    def moves_limit(self) -> int:
        return 1024  # proven: no game of any variant is longer than 485 moves

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.most

    def start(self) -> "MorpionPosition":
        return MorpionPosition(self)

    def header(self) -> dict[str, Any]:
        return {"variant": self.name}

    @classmethod
    def parse(cls, document: dict[str, Any]) -> "Variant":
        variant = document.get("variant")
        if not isinstance(variant, str) or variant not in VARIANTS:
            raise UnreadableGridError(f"variant: expected one of {', '.join(VARIANTS)}, got {shown(variant)}")
        return VARIANTS[variant]

    def parse_move(self, item: dict[str, Any], where: str) -> "Move":
        for key in ("x", "y"):
            whole_number(item.get(key), -_COORDINATE_LIMIT, _COORDINATE_LIMIT, f"{where}: {key}")
        direction = item.get("dir")
        if not isinstance(direction, str) or direction not in DIRECTIONS:
            raise UnreadableGridError(f"{where}: dir: expected one of {', '.join(DIRECTIONS)}, got {shown(direction)}")
        pos = whole_number(item.get("pos"), 0, self.points - 1, f"{where}: pos")
        return Move(item["x"], item["y"], direction, pos)

    def dump_move(self, move: "Move") -> dict[str, Any]:
        return move._asdict()

    def ids(self, moves: Iterable["Move"]) -> dict[str, str]:
        moves = list(moves)
        return {"id": game_id(self, moves), "dots_id": dots_id(self, moves)}

    def is_symmetric(self, moves: Iterable["Move"]) -> bool:
        return is_symmetric(self, moves)

    @property
    def box(self) -> int:
        """Return the largest coordinate of the cross."""
        return 3 * (self.points - 2)


VARIANTS = {
    v.name: v
    for v in (
        Variant("5T", 5, False, 485),
        Variant("5D", 5, True, 84),
        Variant("4T", 4, False, 62),
        Variant("4D", 4, True, 35),
    )
}


def cross(variant: Variant) -> frozenset[Point]:
    """Return the starting dots: the outline of a plus whose sides are n - 1 dots long."""
    side = variant.points - 1
    corners = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (2, 2), (2, 3), (1, 3), (1, 2), (0, 2), (0, 1), (1, 1)]
    scaled = [(x * (side - 1), y * (side - 1)) for x, y in corners]
    dots = set()
    for (x, y), (to_x, to_y) in zip(scaled, scaled[1:] + scaled[:1], strict=True):
        while (x, y) != (to_x, to_y):
            dots.add((x, y))
            x += (to_x > x) - (to_x < x)
            y += (to_y > y) - (to_y < y)
    return frozenset(dots)


class Move(NamedTuple):
    """A new dot at (x, y), and the line through it on which it is point `pos`, counted from 0 along the direction."""

    x: int
    y: int
    dir: str
    pos: int

    def line(self, variant: Variant) -> list[Point]:
        """Return the points of the line, in the order of the direction."""
        dx, dy = DIRECTIONS[self.dir]
        return [(self.x + (i - self.pos) * dx, self.y + (i - self.pos) * dy) for i in range(variant.points)]

    def __str__(self) -> str:
        return f"({self.x},{self.y}) {self.dir}"


class MorpionPosition(Position):
    """A game so far, which only legal moves can extend."""

    def __init__(self, variant: Variant) -> None:
        super().__init__()
        self.variant = variant
        self.dots: set[Point] = set(cross(variant))
        # What a line must leave alone: in D the points of earlier lines of its direction, in T the steps between two
        # neighbouring points; each with the number of the move that drew it.
        self._used: dict[tuple[str, Point], int] = {}
        # Lines that had all dots but one at some moment, by the move that would draw them.
        self._seen: set[Move] = set()
        for dot in self.dots:
            self._look_around(dot)

    def _taken(self, move: Move) -> list[tuple[str, Point]]:
        line = move.line(self.variant)
        return [(move.dir, point) for point in (line if self.variant.disjoint else line[:-1])]

    def _look_around(self, dot: Point) -> None:
        x, y = dot
        n = self.variant.points
        for direction, (dx, dy) in DIRECTIONS.items():
            row = [(x + i * dx, y + i * dy) for i in range(1 - n, n)]
            empty = [i for i, point in enumerate(row) if point not in self.dots]
            for first in range(n):
                lacking = [i for i in empty if first <= i < first + n]
                if len(lacking) == 1:
                    self._seen.add(Move(*row[lacking[0]], direction, lacking[0] - first))

    def problem(self, move: Move) -> str | None:
        """Return why a move is illegal, or None if it is legal."""
        if (move.x, move.y) in self.dots:
            return "there is a dot already"
        line = move.line(self.variant)
        for point in line:
            if point not in self.dots and point != (move.x, move.y):
                return f"its line needs a dot at ({point[0]},{point[1]})"
        for key in self._taken(move):
            if key in self._used:
                number = self._used[key]
                x, y = key[1]
                if not self.variant.disjoint:
                    dx, dy = DIRECTIONS[move.dir]
                    return f"its line overlaps the line of move {number} at ({x},{y})-({x + dx},{y + dy})"
                return f"its line shares the point ({x},{y}) with the line of move {number}"
        return None

    def legal_moves(self) -> list[Move]:
        """Return every legal move."""
        return [move for move in self._seen if self.problem(move) is None]

    @property
    def score(self) -> int:
        """Return the number of moves."""
        return len(self.moves)

    def _apply(self, move: Move) -> None:
        self.dots.add((move.x, move.y))
        for key in self._taken(move):
            self._used[key] = len(self.moves) + 1
        self._look_around((move.x, move.y))

    def claims(self) -> dict[str, Any]:
        return {**super().claims(), "bbox": list(self.bbox())}

    def bbox(self) -> tuple[int, int, int, int]:
        """Return the box around all dots: least x, least y, greatest x, greatest y."""
        xs = [x for x, _ in self.dots]
        ys = [y for _, y in self.dots]
        return min(xs), min(ys), max(xs), max(ys)
