"""What every drawing of a Morpion game shows."""

from dataclasses import dataclass

from morpion_cli.grid.morpion import MorpionPosition, Move, Point, Variant, cross
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record


@dataclass(frozen=True)
class Picture:
    """A game at some step: the starting dots, the moves played, and the box around all dots of the whole game."""

    variant: Variant
    start: frozenset[Point]
    moves: tuple[Move, ...]
    length: int  # of the whole game
    box: tuple[int, int, int, int]  # least x, least y, greatest x, greatest y

    @property
    def title(self) -> str:
        """Return the game, its score and, if it is not all there, the step."""
        step = "" if len(self.moves) == self.length else f", after move {len(self.moves)}"
        return f"{self.variant.name} {self.length} moves{step}"


def picture(record: Record, step: int | None = None) -> Picture:
    """Return a game after `step` moves, or at its end.

    The frame is that of the whole game, so that pictures of several steps fit together.
    Raises IllegalMoveError.
    """
    position: MorpionPosition = replay(record.puzzle, record.moves)
    variant = position.variant
    return Picture(variant, cross(variant), record.moves[:step], len(record.moves), position.bbox())
