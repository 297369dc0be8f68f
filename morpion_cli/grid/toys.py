"""The rules of the two toy problems of the NMCS paper (Cazenave 2009, section 4): a binary tree of some depth.

Left move: the score is how often the left move was played. Leftmost path: it is how many moves were to the left before
the first one to the right.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from morpion_cli.errors import shown
from morpion_cli.grid.puzzle import Position, Puzzle, UnreadableGridError, whole_number

MAX_DEPTH = 1000
TOYS = ("left-move", "leftmost-path")


class Turn(NamedTuple):
    """One move."""

    left: bool

    def __str__(self) -> str:
        return "left" if self.left else "right"


@dataclass(frozen=True)
class Toy(Puzzle):
    """One of the toy problems."""

    family: ClassVar[str] = "toy"
    unit: ClassVar[str] = "left"
    name: str
    depth: int

    @property
    def moves_limit(self) -> int:
        return self.depth

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.depth

    @property
    def reaches(self) -> int:
        return self.depth

    def start(self) -> "ToyPosition":
        return ToyPosition(self)

    def header(self) -> dict[str, Any]:
        return {"variant": self.name, "depth": self.depth}

    @classmethod
    def parse(cls, document: dict[str, Any]) -> "Toy":
        game = document.get("variant")
        if not isinstance(game, str) or game not in TOYS:
            raise UnreadableGridError(f"variant: expected one of {', '.join(TOYS)}, got {shown(game)}")
        return cls(game, whole_number(document.get("depth"), 1, MAX_DEPTH, "depth"))

    def parse_move(self, item: dict[str, Any], where: str) -> Turn:
        if item.get("turn") not in ("left", "right"):
            raise UnreadableGridError(f"{where}: turn: expected left or right, got {shown(item.get('turn'))}")
        return Turn(item["turn"] == "left")

    def dump_move(self, move: Turn) -> dict[str, Any]:
        return {"turn": str(move)}


class ToyPosition(Position):
    """Some moves played."""

    def __init__(self, toy: Toy) -> None:
        super().__init__()
        self.toy = toy

    def problem(self, _move: Turn) -> str | None:
        return "the game has ended" if len(self.moves) == self.toy.depth else None

    def legal_moves(self) -> list[Turn]:
        return [] if len(self.moves) == self.toy.depth else [Turn(True), Turn(False)]

    @property
    def score(self) -> int:
        turns = [move.left for move in self.moves]
        if self.toy.name == "left-move":
            return sum(turns)
        return [*turns, False].index(False)

    def _apply(self, move: Turn) -> None:
        pass  # the moves are all there is
