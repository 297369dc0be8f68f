"""What every drawing of a game of Morpion Solitaire shows."""

from dataclasses import dataclass

from morpion_cli.grid.morpion import MorpionPosition, Move, Point, Variant, cross
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record


@dataclass(frozen=True)
class Picture:
    """The starting dots, the moves, and the box around all dots of the game."""

    variant: Variant
    start: frozenset[Point]
    moves: tuple[Move, ...]
    box: tuple[int, int, int, int]  # least x, least y, greatest x, greatest y

    def caption(self, step: int) -> str:
        """Return the game, its score and, if it is not all there, the step."""
        after = "" if step == len(self.moves) else f", after move {step}"
        return f"Morpion Solitaire {self.variant.name} {len(self.moves)} moves{after}"


def picture(record: Record) -> Picture:
    """Return a whole game, whose frame fits all of its steps. Raises IllegalMoveError."""
    position: MorpionPosition = replay(record.puzzle, record.moves)
    variant = position.variant
    return Picture(variant, cross(variant), record.moves, position.bbox())
