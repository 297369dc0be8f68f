"""Which games there are. Light to import: an engine is compiled code, and is loaded only to be played."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from morpion_cli.errors import UserError, shown
from morpion_cli.games.options import (
    BlockOptions,
    ClickomaniaOptions,
    GameOptions,
    MorpionOptions,
    SameGameOptions,
    SudokuOptions,
    ToyOptions,
)
from morpion_cli.grid.puzzle import Puzzle
from morpion_cli.grid.record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from morpion_cli.kernel.game import Game


@dataclass(frozen=True)
class GameEntry:
    """One game of the catalog.

    engine: module with `load(puzzle)`, which returns the engine and its instance, and with
        `grid_moves(puzzle, line, before)`, which returns engine moves in the frame of the grid files.
    rules_version: raised when the same moves could give another game or score.
    rollouts: the rollout policies that it knows.
    """

    name: str
    title: str
    engine: str
    options: type[GameOptions]
    bounds_source: str
    record: str
    rules_version: int = 1
    rollouts: tuple[str, ...] = ("uniform", "mobility")

    def puzzle(self, options: GameOptions | None = None) -> Puzzle:
        """Return what is played. Raises UserError if a file cannot be read."""
        return (options or self.options()).puzzle(self.name)

    def load(self, puzzle: Puzzle | None = None, opening: tuple[Any, ...] = ()) -> "LoadedGame":
        """Return the playable game, to be searched from the position after the `opening`; imports numba."""
        puzzle = puzzle or self.puzzle()
        engine = import_module(self.engine)
        game, instance = engine.load(puzzle)
        return LoadedGame(self, puzzle, engine, game, instance, opening)


@dataclass(frozen=True)
class LoadedGame:
    """An engine with the instance to play, and the way back from its moves to a record.

    opening: legal moves of a record that every game begins with; engine lines leave them out.
    """

    entry: GameEntry
    puzzle: Puzzle
    engine: Any  # the module
    game: "Game"
    instance: "NDArray[np.int64]"
    opening: tuple[Any, ...] = ()

    def record(self, line: "NDArray[np.int64]", provenance: dict[str, Any]) -> Record:
        """Return the record of a line of engine moves."""
        return Record(self.puzzle, (*self.opening, *self.grid_moves(line, self.opening)), {}, provenance)

    def grid_moves(self, line: "NDArray[np.int64]", before: Sequence[Any] = ()) -> tuple[Any, ...]:
        """Return an engine's moves as they stand in a record, in which those of `before` came first."""
        moves: tuple[Any, ...] = self.engine.grid_moves(self.puzzle, line, before)
        return moves


_MORPION = "morpion_cli.games.morpion"
_SAMEGAME = "morpion_cli.games.samegame"
_SUDOKU = "morpion_cli.games.sudoku"
_TOYS = "morpion_cli.games.toys"
_TABU = ("uniform", "mobility", "tabu-color", "tabu-bandit")


def _morpion(name: str, bound: str, record: str) -> GameEntry:
    touch = "share no point" if name.endswith("D") else "may touch at their ends"
    title = f"Morpion Solitaire: lines of {name[0]}; lines of one direction {touch}"
    return GameEntry(name, title, _MORPION, MorpionOptions, bound, record)


GAMES = {
    entry.name: entry
    for entry in (
        _morpion("5T", "proven upper bound", "178 (Rosin 2011)"),
        _morpion("5D", "proven upper bound", "82 (Rosin 2010)"),
        _morpion("4T", "proven optimal", "62, optimal"),
        _morpion("4D", "proven optimal", "35, optimal"),
        GameEntry(
            "samegame",
            "SameGame: a group of n tiles scores (n - 2)^2, an empty board 1,000 more",
            _SAMEGAME,
            SameGameOptions,
            "Baier's thesis: all tiles in one group",
            "of the 20 standard boards together 87,858 (beam search), 77,934 (NMCS level 3)",
            rollouts=_TABU,
        ),
        GameEntry(
            "clickomania",
            "Clickomania: as many tiles removed as can be",
            _SAMEGAME,
            ClickomaniaOptions,
            "Baier's thesis: all tiles",
            "of random 20x20 boards with 10 colours 336.8 in the mean of 60 s each (Beam MCTS 2012)",
            rollouts=_TABU,
        ),
        GameEntry(
            "bubble-breaker",
            "Bubble Breaker: a group of n tiles scores n (n - 1)",
            _SAMEGAME,
            BlockOptions,
            "Baier's thesis: all tiles in one group",
            "of random 15x15 boards with 5 colours 1,699 in the mean of 60 s each (Beam MCTS 2012)",
            rollouts=_TABU,
        ),
        GameEntry(
            "sudoku",
            "Sudoku of 4, 9, 16 or 25 rows: how many cells are filled before one has no value left",
            _SUDOKU,
            SudokuOptions,
            "all cells",
            "all cells",
        ),
        GameEntry(
            "left-move",
            "the left-move problem: how often the left of two moves is played",
            _TOYS,
            ToyOptions,
            "the depth",
            "the depth",
        ),
        GameEntry(
            "leftmost-path",
            "the leftmost-path problem: how many moves are to the left before the first to the right",
            _TOYS,
            ToyOptions,
            "the depth",
            "the depth",
        ),
    )
}


def find_game(name: str) -> GameEntry:
    """Return the game of that name. Raises UserError, which lists all, if there is none."""
    for known, entry in GAMES.items():
        if known.lower() == name.lower():
            return entry
    close = difflib.get_close_matches(name[:40].lower(), [known.lower() for known in GAMES], 1)
    hint = f"; did you mean {next(known for known in GAMES if known.lower() == close[0])}?" if close else ""
    raise UserError(f"game: no game {shown(name)}{hint} (games: {', '.join(GAMES)})")
