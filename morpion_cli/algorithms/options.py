"""What can be chosen of each algorithm, checked. Light to import: no numba, no numpy."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from morpion_cli.errors import shown
from morpion_cli.options import Count, Options, option

Level = Annotated[Count, Field(ge=1, le=9)]
Width = Annotated[Count, Field(ge=1, le=4096)]


PolicyFile = Annotated[str | None, Field(min_length=1)]
_POLICY_IN = "file of a policy that nrpa has learned (--policy-out)"


def _split_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


class SearchOptions(Options):
    """Base of all."""

    @property
    def threads_per_task(self) -> int:
        """Return how many threads a task uses."""
        return 1

    def describe(self) -> str:
        """Return the options as short text, for a grid's `method`."""
        raise NotImplementedError


class RolloutOptions(SearchOptions):
    """Options of an algorithm whose playouts follow a rollout policy."""

    rollout: Literal["uniform", "mobility", "tabu-color", "tabu-bandit"] = option(
        "uniform",
        "how playouts choose: uniform; mobility, uniform among the moves that leave the most moves; for SameGame and "
        "its like, tabu-color: not the most frequent colour, until it is one group or all that is left; tabu-bandit: "
        "not a colour that UCB1-TUNED chooses for each playout",
        "RMC 2007; Schadd et al. 2008; NMCS 2009; Beam MCTS 2012",
    )
    epsilon: Annotated[float, Field(ge=0, le=1)] = option(
        0.0, "tabu rollouts: the chance that a move is any move", "Schadd et al. 2008"
    )

    @model_validator(mode="after")
    def _epsilon_fits_rollout(self) -> Self:
        if self.epsilon and not self.rollout.startswith("tabu"):
            raise ValueError(f"epsilon is for tabu rollouts, not for {self.rollout}")
        return self

    @property
    def rollout_note(self) -> str:
        """Return the rollout policy for `describe`, if it is not the plain one."""
        epsilon = f" epsilon={self.epsilon:g}" if self.epsilon else ""
        return "" if self.rollout == "uniform" else f" {self.rollout}{epsilon} rollouts"


class SamplingOptions(RolloutOptions):
    task_playouts: Count = option(10_000, "playouts in one task of the hunt", "this project", ge=1, le=10**12)

    def describe(self) -> str:
        return f"{self.task_playouts} playouts{self.rollout_note}"


class DepthFirstOptions(SearchOptions):
    task_playouts: Count = option(
        10**9,
        "ends of games in one task; the next task takes the moves in another order",
        "this project",
        ge=1,
        le=10**12,
    )

    def describe(self) -> str:
        return f"{self.task_playouts} ends"


class FlatOptions(RolloutOptions):
    playouts: Count = option(100, "playouts of each legal move at each step", "flat Monte-Carlo", ge=1, le=10**9)
    by: Literal["mean", "max"] = option("mean", "play the move with the best mean or the best maximum", "this project")

    def describe(self) -> str:
        return f"{self.playouts} playouts a move by {self.by}{self.rollout_note}"


class _SharedOptions(RolloutOptions):
    """Options of a search that several threads can share."""

    threads: Annotated[Count, Field(ge=1, le=256)] = option(
        1,
        "threads that share one search: a master plays the highest level, and hands out searches of the level below; "
        "changes the time, not the result",
        "MCBS 2012 and NMCS 2009, parallel forms",
    )

    @property
    def levels(self) -> int:
        """Return the nesting depth."""
        raise NotImplementedError

    @property
    def threads_per_task(self) -> int:
        return self.threads

    @model_validator(mode="after")
    def _can_be_shared(self) -> Self:
        if self.threads > 1 and self.levels < 2:
            raise ValueError("threads share a search of level 2 or more; for level 1 run more tasks at once (workers)")
        return self


class ReflexiveOptions(_SharedOptions):
    games: Annotated[tuple[Annotated[Count, Field(ge=1, le=10**9)], ...], BeforeValidator(_split_commas)] = option(
        (100, 10, 1),
        "games, meta-games, meta-meta-games, ...: each game of a level plays so many of the level below at each step; "
        "the last is how many are played from the start (tables 4 and 5: games, meta-games, 1)",
        "RMC 2007, section 5",
        min_length=1,
        max_length=6,
    )

    @property
    def levels(self) -> int:
        return len(self.games) - 1

    def describe(self) -> str:
        return f"{','.join(map(str, self.games))} games{self.rollout_note}"


class NrpaOptions(SearchOptions):
    level: Level = option(4, "nesting depth; a search plays iterations to that power", "Rosin 2011")
    iterations: Count = option(100, "N, calls of the level below in a call of each level", "Rosin 2011", ge=1, le=10**6)
    alpha: Annotated[float, Field(gt=0, le=100)] = option(1.0, "learning rate of the policy", "Rosin 2011")
    stabilize: Count = option(
        1, "P, playouts at level 1 before each adaptation", "Stabilized NRPA, Cazenave et al. 2020", ge=1, le=10**6
    )

    rollout: Literal["uniform", "tabu-color", "either"] = option(
        "uniform",
        "tabu-color, for SameGame and its like: playouts do not choose the most frequent colour of the board, until it "
        "is one group or all that is left; either: each task is one of both, by chance",
        "selective policies, Cazenave 2016",
    )
    policy_in: PolicyFile = option(None, f"{_POLICY_IN}, to start from instead of the uniform one", "this project")

    def describe(self) -> str:
        stabilized = "" if self.stabilize == 1 else f" P={self.stabilize}"
        start = "" if self.policy_in is None else f" from {self.policy_in}"
        tabu = "" if self.rollout == "uniform" else f" {self.rollout}"
        return f"L{self.level} N={self.iterations} alpha={self.alpha:g}{stabilized}{tabu}{start}"


class PriorityOptions(SearchOptions):
    window: Count = option(
        6,
        "how far below the best a game may be to be kept, at first; it narrows to nothing in the course of the task",
        "this project",
        ge=1,
        le=10**6,
    )
    maintenance: Count = option(
        20_000, "children between two maintenances of the pool", "this project", ge=100, le=10**9
    )
    ends_every: Count = option(
        1000, "children between two searches of a game's end; 0 is never", "this project", ge=0, le=10**12
    )
    end_failures: Count = option(
        100, "completions in a row without a new game, before more is taken back", "this project", ge=1, le=10**9
    )
    changes: Count = option(
        5,
        "a child differs from its parent by one change, each more with chance 1/2, up to so many",
        "this project",
        ge=1,
        le=1000,
    )
    skew: Annotated[float, Field(ge=1, le=1000)] = option(
        10.0,
        "parents are entry size * u^skew of the pool, u uniform, those first that have seldom been one in vain",
        "this project",
    )
    patience: Count = option(
        2000,
        "a task ends when it has had so many children for each entry of its pool, and no better game; 0 is never",
        "this project",
        ge=0,
        le=10**9,
    )
    task_children: Count = option(
        12_000_000,
        "children of one task at most; the completions of ends are playouts too, and come on top",
        "this project",
        ge=1,
        le=10**12,
    )

    def describe(self) -> str:
        ends = f"ends every {self.ends_every}" if self.ends_every else "no ends"
        return (
            f"{self.task_children} children, window {self.window}, maintenance every {self.maintenance}, {ends}, "
            f"at most {self.changes} changes, skew {self.skew:g}, patience {self.patience}"
        )


class NestedOptions(_SharedOptions):
    level: Level = option(3, "nesting depth; level 0 is a playout", "NMCS 2009, section 3")
    memory: bool = option(True, "keep the best sequence and follow it when a step finds none better", "NMCS 2009")

    @property
    def levels(self) -> int:
        return self.level

    @property
    def beam(self) -> tuple[int, ...]:
        """Return the beam widths: all are 1."""
        return (1,) * self.level

    @property
    def unique(self) -> bool:
        """Tell whether positions are kept once in a beam: of one position that says nothing."""
        return False

    def describe(self) -> str:
        return f"L{self.level}" + ("" if self.memory else " without memory") + self.rollout_note


class BeamOptions(_SharedOptions):
    level: Level = option(3, "nesting depth; must be the number of beam widths", "MCBS 2012, Algorithm 2")
    beam: Annotated[tuple[Width, ...], BeforeValidator(_split_commas)] = option(
        (1, 8, 8), "beam width of each level, from level 1 up", "MCBS 2012, Algorithm 2", min_length=1, max_length=9
    )
    unique: bool = option(False, "keep only one entry a position in a beam, the best", "this project")

    @property
    def levels(self) -> int:
        return self.level

    @property
    def memory(self) -> bool:
        """Tell whether the best sequence is kept: always, MCBS has no other form."""
        return True

    @model_validator(mode="before")
    @classmethod
    def _level_from_beam(cls, values: Any) -> Any:
        # Only one of the two need be given.
        if isinstance(values, dict) and "beam" in values and "level" not in values:
            beam = _split_commas(values["beam"])
            if isinstance(beam, list | tuple) and beam:
                return {**values, "level": len(beam)}
        return values

    @model_validator(mode="after")
    def _beam_fits_level(self) -> Self:
        if len(self.beam) != self.level:
            widths = ",".join(map(str, self.beam))
            raise ValueError(
                f"a beam needs one width for each level: level {self.level}, but beam {widths} has {len(self.beam)}"
            )
        return self

    def describe(self) -> str:
        return (
            f"L{self.level} beam {','.join(map(str, self.beam))}"
            + (" unique" if self.unique else "")
            + self.rollout_note
        )


class Widening(Options):
    """Progressive widening: after t visits of a node its first k t^alpha children may be tried."""

    k: Annotated[float, Field(gt=0, le=10**6)]
    alpha: Annotated[float, Field(ge=0, le=1)]


def _widening(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    parts = _split_commas(value)
    if len(parts) != 2:
        raise ValueError(f"expected K,A such as 2,0.5, or {{k: 2, alpha: 0.5}}, got {shown(value)}")
    return dict(zip(("k", "alpha"), parts, strict=True))


class _TreeSearchOptions(RolloutOptions):
    bandit: Literal["ucb1", "ucb1-tuned", "reflexive", "sp-mcts", "puct"] = option(
        "ucb1-tuned",
        "how a child is chosen, with t visits of the node, n of the child, mean m, variance v, prior p. "
        "ucb1: m + c sqrt(ln t / n). "
        "ucb1-tuned: m + c sqrt(ln t / n min(1/4, v + sqrt(2 ln t / n))). "
        "reflexive: m + sqrt(ln t / (c n)). "
        "sp-mcts: m + c sqrt(ln t / n) + sqrt(v + d / n). "
        "puct: m + c p sqrt(t) / (1 + n). "
        "reflexive and sp-mcts on raw scores, the others on scores normalised to [0, 1] by the game's bounds",
        "Auer et al. 2002; RMC 2007; Schadd et al. 2008; Rosin 2011",
    )
    c: Annotated[float, Field(ge=0, le=10**6)] = option(0.1, "how much is explored", "RMC 2007 (reflexive)")
    d: Annotated[float, Field(ge=0, le=10**12)] = option(
        32.0, "sp-mcts: uncertainty of a child with few visits", "Schadd et al. 2008 (exploit)"
    )
    max_weight: Annotated[float, Field(ge=0, le=1)] = option(
        0.0, "w, the mean becomes (1 - w) mean + w maximum", "Schadd et al. 2008 (0.02)"
    )
    threshold: Count = option(
        0, "visits of a node before its children enter the tree; below, the rollout policy plays", "SP-MCTS (10)", ge=0
    )
    amaf: Annotated[float, Field(ge=0, le=10**9)] = option(
        0.0,
        "k, the mean becomes (1 - b) mean + b amaf mean with b = sqrt(k / (3 n + k)); 0 is without",
        "RAVE, Gelly and Silver 2007 (1000)",
    )
    widening: Annotated[Widening | None, BeforeValidator(_widening)] = option(
        None, "{k: K, alpha: A}, or K,A: after t visits the first K t^A children may be tried", "Coulom 2007"
    )
    policy_in: PolicyFile = option(None, f"{_POLICY_IN}, the prior of puct; orders the children", "this project")
    max_nodes: Count = option(
        4_000_000,
        "children that fit in the tree (52 bytes each); when it is full it stops growing, and playouts go on",
        "this project",
        ge=1000,
        le=2 * 10**9,
    )
    task_playouts: Count = option(
        1_000_000, "playouts in one task; the next task starts a new tree", "this project", ge=1, le=10**12
    )
    restarts: Count = option(
        1, "trees that share the playouts of a task, one after another", "randomised restarts, SP-MCTS", ge=1, le=10**6
    )
    parallel: Literal["none", "root", "leaf", "tree"] = option(
        "none", "how threads search together in one task", "Chaslot et al. 2008"
    )
    threads: Annotated[Count, Field(ge=2, le=256)] = option(2, "threads of a parallel search", "this project")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.bandit == "puct" and self.policy_in is None:
            raise ValueError("bandit puct needs policy_in, a file that nrpa has written by --policy-out")
        if self.bandit == "reflexive" and self.c == 0:
            raise ValueError("bandit reflexive divides by c, which must be more than 0")
        if self.parallel == "tree" and self.limit_of_depth:
            raise ValueError("a tree that is pruned, as move by move or by bmcts, is not shared: parallel root or leaf")
        return self

    @property
    def threads_per_task(self) -> int:
        """Return how many threads a task uses."""
        return 1 if self.parallel == "none" else self.threads

    @property
    def normalised(self) -> bool:
        """Tell whether scores are normalised before the bandit sees them."""
        return self.bandit in ("ucb1", "ucb1-tuned", "puct")

    @property
    def limit_of_depth(self) -> int:
        """Return how many playouts pass a depth before it is pruned; 0 is never."""
        return 0

    @property
    def width_of_depth(self) -> int:
        """Return how many nodes of a depth stay when it is pruned."""
        return 1

    def describe(self) -> str:
        parts = [f"{self.bandit} c={self.c:g}"]
        if self.bandit == "sp-mcts":
            parts.append(f"d={self.d:g}")
        if self.max_weight:
            parts.append(f"max={self.max_weight:g}")
        if self.threshold:
            parts.append(f"T={self.threshold}")
        if self.amaf:
            parts.append(f"amaf={self.amaf:g}")
        if self.widening is not None:
            parts.append(f"widening {self.widening.k:g},{self.widening.alpha:g}")
        if self.policy_in is not None:
            parts.append(f"policy {self.policy_in}")
        if self.parallel != "none":
            parts.append(f"{self.parallel}-parallel on {self.threads}")
        trees = "" if self.restarts == 1 else f" in {self.restarts} trees"
        return f"{' '.join(parts)}, {self.task_playouts} playouts{trees}{self.rollout_note}"


class TreeOptions(_TreeSearchOptions):
    move_by_move: Count = option(
        0,
        "playouts a move: then the most visited child (the robust child) is played; 0 is one tree from the start",
        "Chaslot et al. 2008; BMCTS of width 1",
        ge=0,
        le=10**12,
    )

    @property
    def limit_of_depth(self) -> int:
        return self.move_by_move

    def describe(self) -> str:
        moves = f"move by move {self.move_by_move}, " if self.move_by_move else ""
        return f"{moves}{super().describe()}"


class BeamTreeOptions(_TreeSearchOptions):
    simulation_limit: Count = option(
        90_000, "L, playouts that pass a depth before it is pruned", "Beam MCTS 2012", ge=1, le=10**12
    )
    beam_width: Count = option(
        1, "W, nodes of that depth that stay; 1 is move by move, by most visits", "Beam MCTS 2012", ge=1, le=10**6
    )

    @property
    def limit_of_depth(self) -> int:
        return self.simulation_limit

    @property
    def width_of_depth(self) -> int:
        return self.beam_width

    def describe(self) -> str:
        return f"L={self.simulation_limit} W={self.beam_width}, {super().describe()}"
