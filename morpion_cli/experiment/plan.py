"""What an experiment is: cells, each a game and an algorithm that search many times. Light to import."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from morpion_cli.algorithms.catalog import AlgorithmEntry
from morpion_cli.algorithms.options import SearchOptions
from morpion_cli.games.catalog import GameEntry
from morpion_cli.games.options import GameOptions
from morpion_cli.grid.puzzle import Puzzle

MEASURES = {
    "mean": "mean score, with Student's interval",
    "best": "greatest score of all searches, without an interval",
    "peak": "the most frequent score, with a bootstrap interval",
    "solved": "share of the searches that reach the game's greatest score, with Wilson's interval",
    "seconds": "mean CPU time of a search, with Student's interval",
    "deviation": "left-move: greatest difference between the frequency of a score and its probability in theory",
}
FIGURES = {
    "time": "mean score against mean CPU time, a point for each cell",
    "curve": "mean of the best score so far against CPU time, a line for each cell with a `time`",
    "distribution": "how often each score, a line for each cell",
    "landscape": "mean score as colour, over rows and columns",
}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: the same search again and again, search i with the stream of task i.

    boards: search i plays board i mod `boards` + 1 of the game's file or random ones; None is always the same puzzle.
    time: CPU seconds of one search, for which the algorithm runs task after task and the best counts; None is one task.
    target: a score that ends a search.
    measure: one of MEASURES.
    published: what the paper says, a mean of `published_searches` searches if that is known.
    beside: what others have published, by who they are: shown in columns of their own.
    """

    name: str
    row: str
    column: str
    game: GameEntry
    game_options: GameOptions
    algorithm: AlgorithmEntry
    options: SearchOptions
    searches: int
    boards: int | None = None
    time: float | None = None
    target: int | None = None
    measure: str = "mean"
    published: float | None = None
    published_searches: int | None = None
    beside: Mapping[str, float] = field(default_factory=dict)

    def puzzle(self, search: int = 0) -> Puzzle:
        """Return what search number `search` plays. Raises UserError if there is no such board."""
        options = self.game_options
        if self.boards is not None:
            options = options.model_copy(update={"number": search % self.boards + 1})
        return self.game.puzzle(options)

    @property
    def method(self) -> str:
        """Return algorithm and options as short text."""
        return f"{self.algorithm.name} {self.options.describe()}"

    @property
    def key(self) -> str:
        """Return 12 hex digits of all that a search depends on beside seed and number."""
        parts = (
            self.game.name,
            self.game.rules_version,
            repr(self.game_options),
            self.algorithm.name,
            repr(self.options),
            self.boards,
            self.time,
            self.target,
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Figure:
    """A figure: one of FIGURES, and what its axes mean."""

    kind: str
    title: str


@dataclass(frozen=True)
class Plan:
    """An experiment; with `total`, of each column the sum over the rows is shown too."""

    name: str
    title: str
    source: str
    seed: int
    cells: tuple[Cell, ...]
    figures: tuple[Figure, ...] = ()
    total: bool = False
    note: str = ""

    @property
    def placed(self) -> list[Cell]:
        """Return the cells with a place in the table; the others stand in the list only."""
        return [cell for cell in self.cells if cell.row and cell.column]
