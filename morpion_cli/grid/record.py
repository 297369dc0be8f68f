"""A game as it stands in a file: its moves, what the file claims of them, and where it comes from."""

from dataclasses import dataclass, field
from typing import Any

from morpion_cli.grid.puzzle import Puzzle


@dataclass(frozen=True)
class Record:
    """One game of a puzzle.

    claims: what the file says of itself that a replay can check: score, terminal, available_moves, bbox.
    provenance: everything else that it says (author, source, solver, ...), kept as it is.
    """

    puzzle: Puzzle
    moves: tuple[Any, ...]
    claims: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
