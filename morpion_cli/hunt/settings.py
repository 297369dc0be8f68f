"""Everything that decides a hunt."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from morpion_cli.algorithms.catalog import AlgorithmEntry
from morpion_cli.algorithms.options import SearchOptions
from morpion_cli.games.catalog import GameEntry
from morpion_cli.games.options import GameOptions
from morpion_cli.grid.puzzle import Puzzle


@dataclass(frozen=True)
class Budget:
    """When a hunt ends: at whichever comes first; None is no limit.

    time: seconds of search, compiling not counted.
    tasks: tasks 0 .. tasks - 1 are run.
    playouts: games played in all, shared evenly between the workers.
    target: a score that is enough.
    """

    time: float | None = None
    tasks: int | None = None
    playouts: int | None = None
    target: int | None = None


@dataclass(frozen=True)
class Settings:
    """A hunt. Task i is a pure function of (puzzle, algorithm, options, seed, i).

    opening: moves that every game begins with, the first of the grid with the id `opening_of`.
    shard: (i, n), to run only every n-th task, from number i - 1 on.
    keep_all: the best game of every task is written that has this score or more.
    document: the hunt as a YAML file has it, with absolute paths and the seed.
    policy_out: where the policy is written that the task with the best game has learned; for algorithms that learn one.
    """

    game: GameEntry
    game_options: GameOptions
    puzzle: Puzzle
    algorithm: AlgorithmEntry
    options: SearchOptions
    budget: Budget
    seed: int
    workers: int
    out: Path
    policy_out: Path | None = None
    opening: tuple[Any, ...] = ()
    opening_of: str | None = None
    keep_all: int | None = None
    shard: tuple[int, int] = (1, 1)
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def crew(self) -> str:
        """Return the number of workers, and the share of the tasks, as text."""
        shard = "" if self.shard == (1, 1) else f", shard {self.shard[0]} of {self.shard[1]}"
        return f"{self.workers} worker" + ("s" if self.workers > 1 else "") + shard

    @property
    def method(self) -> str:
        """Return algorithm and options as short text."""
        start = "" if self.opening_of is None else f" from move {len(self.opening)} of {self.opening_of}"
        return f"{self.algorithm.name} {self.options.describe()}{start}"
