"""Which games there are. Light to import: an engine is compiled code, and is loaded only to be played."""

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from morpion_cli.errors import UserError, shown
from morpion_cli.grid.morpion import VARIANTS, Variant
from morpion_cli.grid.record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from morpion_cli.kernel.game import Game


@dataclass(frozen=True)
class GameEntry:
    """One game of the catalog.

    rules_version: raised when the same moves could give another game or score.
    bounds: scores lie within, for normalising to [0, 1].
    """

    name: str
    title: str
    rules_version: int
    bounds: tuple[int, int]
    bounds_source: str
    record: str
    variant: Variant

    def load(self) -> "LoadedGame":
        """Return the playable game; imports numba."""
        import numpy as np

        from morpion_cli.games import morpion

        return LoadedGame(self, morpion.make(self.variant), np.zeros(0, np.int64))


@dataclass(frozen=True)
class LoadedGame:
    """An engine with the instance to play, and the way back from its moves to a record."""

    entry: GameEntry
    game: "Game"
    instance: "NDArray[np.int64]"

    def record(self, line: "NDArray[np.int64]", provenance: dict[str, Any]) -> Record:
        """Return the record of a line of engine moves."""
        from morpion_cli.games import morpion

        moves = tuple(morpion.grid_move(int(move), self.entry.variant.points) for move in line)
        return Record(self.entry.variant, moves, {}, provenance)


def _morpion(name: str, upper: int, source: str, record: str) -> GameEntry:
    variant = VARIANTS[name]
    touch = "share no point" if variant.disjoint else "may touch at their ends"
    title = f"Morpion Solitaire: lines of {variant.points}; lines of one direction {touch}"
    return GameEntry(name, title, 1, (0, upper), source, record, variant)


GAMES = {
    entry.name: entry
    for entry in (
        _morpion("5T", 485, "proven upper bound", "178 (Rosin 2011)"),
        _morpion("5D", 84, "proven upper bound", "82 (Rosin 2010)"),
        _morpion("4T", 62, "proven optimal", "62, optimal"),
        _morpion("4D", 35, "proven optimal", "35, optimal"),
    )
}


def find_game(name: str) -> GameEntry:
    """Return the game of that name. Raises UserError, which lists all, if there is none."""
    for known, entry in GAMES.items():
        if known.lower() == name.lower():
            return entry
    close = difflib.get_close_matches(name[:40].upper(), GAMES, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise UserError(f"game: no game {shown(name)}{hint} (games: {', '.join(GAMES)})")
