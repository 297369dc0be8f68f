"""What every puzzle's referee offers: the puzzle itself, a position of it, and how its moves stand in a file.

A puzzle is all that a game starts from: a variant of Morpion Solitaire, a board, the clues of a Sudoku. Referees are
slow and plain, written from the rules, and share no code with the engines that they check.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from morpion_cli.errors import UserError, shown


class UnreadableGridError(UserError):
    """The data is not a grid; the message says what was expected."""


class IllegalMoveError(ValueError):
    """A move that breaks the rules."""

    def __init__(self, number: int, move: Any, reason: str) -> None:
        self.number = number
        self.move = move
        self.reason = reason
        super().__init__(f"move {number} {move}: {reason}")


class Position(ABC):
    """A game so far, which only legal moves can extend."""

    def __init__(self) -> None:
        self.moves: list[Any] = []

    @abstractmethod
    def problem(self, move: Any) -> str | None:
        """Return why a move is illegal, or None if it is legal."""

    @abstractmethod
    def legal_moves(self) -> Sequence[Any]:
        """Return every legal move, each once."""

    @property
    @abstractmethod
    def score(self) -> int:
        """Return the game's score if it ended here."""

    @abstractmethod
    def _apply(self, move: Any) -> None:
        """Change the position by a legal move."""

    def canonical(self, move: Any) -> Any:
        """Return the one of a legal move's names that equal moves share."""
        return move

    def play(self, move: Any) -> None:
        """Play a move. Raises IllegalMoveError, and changes nothing, if it is illegal."""
        reason = self.problem(move)
        if reason is not None:
            raise IllegalMoveError(len(self.moves) + 1, move, reason)
        self._apply(move)
        self.moves.append(move)

    def claims(self) -> dict[str, Any]:
        """Return what a file may claim of the game played so far, as it truly is."""
        count = len(self.legal_moves())
        return {"score": self.score, "available_moves": count, "terminal": count == 0}


class Puzzle(ABC):
    """What is played, and how it stands in a file. Subclasses are frozen dataclasses.

    family: the key `game` of a file.
    unit: what a score counts.
    name: of the game in the catalog.
    """

    family: ClassVar[str]
    unit: ClassVar[str] = "points"
    name: str

    @property
    @abstractmethod
    def moves_limit(self) -> int:
        """Return a number of moves that no game exceeds."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """Return (low, high): scores lie within, for normalising to [0, 1]."""

    @abstractmethod
    def start(self) -> Position:
        """Return the starting position."""

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """Return what a file says of the puzzle, beside the family."""

    @classmethod
    @abstractmethod
    def parse(cls, document: dict[str, Any]) -> "Puzzle":
        """Return the puzzle of a file. Raises UnreadableGridError."""

    @abstractmethod
    def parse_move(self, item: dict[str, Any], where: str) -> Any:
        """Return one move of a file; well-formed, not yet legal. Raises UnreadableGridError."""

    @abstractmethod
    def dump_move(self, move: Any) -> dict[str, Any]:
        """Return a move as it stands in a file."""

    def ids(self, moves: Iterable[Any]) -> dict[str, str]:
        """Return the identities of a game: "id" at least, 12 hex digits that equal games share."""
        steps = [self.dump_move(move) for move in moves]
        return {"id": digest(f"{self.name} {self.header()} {steps}")}

    def is_symmetric(self, _moves: Iterable[Any]) -> bool:
        """Tell whether the game looks the same after some symmetry, so that moves after it have twins."""
        return False

    @property
    def reaches(self) -> int | None:
        """Return a score that ends a search, because no better game exists; None if none is known."""
        return None

    def score_text(self, score: int) -> str:
        """Return a score in words."""
        return f"{score:,} {self.unit}"


def digest(text: str) -> str:
    """Return 12 hex digits of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def replay(puzzle: Puzzle, moves: Iterable[Any]) -> Any:
    """Return the position after the moves. Raises IllegalMoveError at the first that is illegal."""
    position = puzzle.start()
    for move in moves:
        position.play(move)
    return position


def whole_number(value: Any, low: int, high: int, where: str) -> int:
    """Return a whole number of a file. Raises UnreadableGridError if it is not one within the bounds."""
    if type(value) is not int or not low <= value <= high:
        raise UnreadableGridError(f"{where}: expected a whole number from {low} to {high}, got {shown(value)}")
    return value
