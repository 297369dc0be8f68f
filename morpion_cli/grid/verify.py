"""Checking a record: replay it by the rules, and hold what it claims against what is true."""

import json
from dataclasses import dataclass

from morpion_cli.grid.puzzle import IllegalMoveError, replay
from morpion_cli.grid.record import Record


@dataclass(frozen=True)
class Verdict:
    """What the referee says of a record.

    legal: every move is legal.
    score: of the moves before the first illegal one.
    terminal: no move is left.
    id, dots_id: of the game, and in Morpion of its dots, up to symmetry; None if it is illegal.
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


def verify(record: Record) -> Verdict:
    """Replay a record and return the verdict."""
    try:
        position = replay(record.puzzle, record.moves)
    except IllegalMoveError as error:
        legal = replay(record.puzzle, record.moves[: error.number - 1])
        return Verdict(False, legal.score, False, None, None, str(error))
    truth = position.claims()
    lies = [
        f"{key}: the file says {_plain(claim)}, but it is {_plain(truth[key])}"
        for key, claim in record.claims.items()
        # `True == 1` in Python, but not in a record.
        if claim != truth.get(key, claim) or isinstance(claim, bool) != isinstance(truth.get(key, claim), bool)
    ]
    ids = record.puzzle.ids(record.moves)
    return Verdict(
        legal=True,
        score=position.score,
        terminal=truth["terminal"],
        id=ids["id"],
        dots_id=ids.get("dots_id"),
        error="; ".join(lies) or None,
    )


def _plain(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
