"""A game as it stands in a file: its moves, what the file claims of them, and where it comes from."""

from dataclasses import dataclass, field
from typing import Any

from morpion_cli.errors import UserError
from morpion_cli.grid.morpion import Move, Variant


class UnreadableGridError(UserError):
    """The data is not a grid; the message says what was expected."""


@dataclass(frozen=True)
class Record:
    """One game of Morpion Solitaire.

    claims: what the file says of itself that a replay can check: score, terminal, bbox, available_moves.
    provenance: everything else that it says (author, source, solver, ...), kept as it is.
    """

    variant: Variant
    moves: tuple[Move, ...]
    claims: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
