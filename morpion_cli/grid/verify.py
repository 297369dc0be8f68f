"""Checking a record: replay it by the rules, and hold what it claims against what is true."""

from dataclasses import dataclass
from typing import Any

from morpion_cli.grid.morpion import IllegalMoveError, Position, replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.symmetry import dots_id, game_id


@dataclass(frozen=True)
class Verdict:
    """What the referee says of a record.

    legal: every move is legal.
    score: number of moves; of the legal ones before the first illegal one.
    terminal: no move is left.
    ids: of the game and of its dots, up to symmetry; None if it is illegal.
    error: which move fails and why, or which claim is false; None if all is well.
    """

    legal: bool
    score: int
    terminal: bool
    id: str | None
    dots_id: str | None
    error: str | None

    @property
    def honest(self) -> bool:
        """Tell whether the record is legal and claims nothing false."""
        return self.error is None


def true_claims(position: Position) -> dict[str, Any]:
    """Return what a file may claim of the game played so far, as it truly is."""
    legal_moves = position.legal_moves()
    return {
        "score": len(position.moves),
        "available_moves": len(legal_moves),
        "terminal": not legal_moves,
        "bbox": list(position.bbox()),
    }


def verify(record: Record) -> Verdict:
    """Replay a record and return the verdict."""
    try:
        position = replay(record.variant, record.moves)
    except IllegalMoveError as error:
        return Verdict(False, error.number - 1, False, None, None, str(error))
    truth = true_claims(position)
    lies = [
        f"{key}: the file says {_plain(claim)}, but it is {_plain(truth[key])}"
        for key, claim in record.claims.items()
        # `True == 1` in Python, but not in a record.
        if claim != truth[key] or isinstance(claim, bool) != isinstance(truth[key], bool)
    ]
    return Verdict(
        legal=True,
        score=len(record.moves),
        terminal=truth["terminal"],
        id=game_id(record.variant, record.moves),
        dots_id=dots_id(record.variant, record.moves),
        error="; ".join(lies) or None,
    )


def _plain(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
