"""The folder of grids: nothing gets in that the referee has not replayed."""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from morpion_cli import __version__
from morpion_cli.errors import UserError
from morpion_cli.files import check_folder, make_folder, write_atomic
from morpion_cli.formats.msr import dump
from morpion_cli.formats.reading import read
from morpion_cli.grid.puzzle import IllegalMoveError, replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.verify import verify


def now() -> str:
    """Return the time as files say it."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def provenance(**solver: Any) -> dict[str, Any]:
    """Return where a game of ours comes from, as a grid says it; `solver` is how it was found."""
    return {
        "producer": f"morpion-cli/{__version__}",
        "saved_at": now(),
        "solver": {"tool": "morpion-cli", **solver},
    }


class RefereeError(Exception):
    """The engine played what the referee does not allow: a bug in one of them."""


@dataclass(frozen=True)
class StoredGrid:
    """A checked grid and where it is."""

    path: Path
    record: Record
    id: str
    score: int
    terminal: bool


class Store:
    """Writes grids into one folder, under names that say game, score and identity."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check_writable(self) -> None:
        """Raise UserError now if a grid could not be written later."""
        make_folder(self.folder)
        check_folder(self.folder)

    def check(self, record: Record, score: int) -> StoredGrid:
        """Have the referee replay a record, and return it with true claims and its place; writes nothing.

        Raises RefereeError if it is illegal or does not have that score.
        """
        try:
            position = replay(record.puzzle, record.moves)
        except IllegalMoveError as error:
            raise RefereeError(f"the referee refuses the engine's game: {error}") from None
        claims = position.claims()
        if claims["score"] != score:
            raise RefereeError(f"the engine says {score}, the referee counts {claims['score']}")
        identity = record.puzzle.ids(record.moves)["id"]
        path = self.folder / f"{record.puzzle.name}-{score}-{identity}.json"
        return StoredGrid(path, replace(record, claims=claims), identity, score, claims["terminal"])

    def write(self, grid: StoredGrid) -> None:
        """Write a checked grid, unless the same game is there already. Raises UserError if it cannot be written."""
        if not self._holds(grid):
            make_folder(self.folder)  # somebody may have removed it meanwhile
            write_atomic(grid.path, dump(grid.record))

    def _holds(self, grid: StoredGrid) -> bool:
        if not grid.path.exists():
            return False
        try:
            verdict = verify(read(grid.path).record)
        except UserError:
            return False
        return verdict.honest and verdict.id == grid.id
