"""What can be chosen of each algorithm, checked. Light to import: no numba, no numpy."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from morpion_cli.values import parse_count

Count = Annotated[int, BeforeValidator(parse_count)]
Level = Annotated[Count, Field(ge=1, le=9)]
Width = Annotated[Count, Field(ge=1, le=4096)]


def _split_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def option(default: Any, meaning: str, source: str, **limits: Any) -> Any:
    """Describe one option: its default, what it means and where it comes from."""
    return Field(default, description=meaning, json_schema_extra={"source": source}, **limits)


class Options(BaseModel):
    """Base of all options: nothing unknown, nothing changed after it was checked."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    def describe(self) -> str:
        """Return the options as short text, for a grid's `method`."""
        raise NotImplementedError


class RolloutOptions(Options):
    """Options of an algorithm whose playouts follow a rollout policy."""

    rollout: Literal["uniform", "mobility"] = option(
        "uniform",
        "how playouts choose: uniform, or mobility (uniform among the moves that leave the most moves)",
        "RMC 2007",
    )

    @property
    def rollout_note(self) -> str:
        """Return the rollout policy for `describe`, if it is not the plain one."""
        return "" if self.rollout == "uniform" else f" {self.rollout} rollouts"


class SamplingOptions(RolloutOptions):
    task_playouts: Count = option(10_000, "playouts in one task of the hunt", "this project", ge=1, le=10**12)

    def describe(self) -> str:
        return f"{self.task_playouts} playouts{self.rollout_note}"


class FlatOptions(RolloutOptions):
    playouts: Count = option(100, "playouts of each legal move at each step", "flat Monte-Carlo", ge=1, le=10**9)
    by: Literal["mean", "max"] = option("mean", "play the move with the best mean or the best maximum", "this project")

    def describe(self) -> str:
        return f"{self.playouts} playouts a move by {self.by}{self.rollout_note}"


class ReflexiveOptions(RolloutOptions):
    games: Annotated[tuple[Annotated[Count, Field(ge=1, le=10**9)], ...], BeforeValidator(_split_commas)] = option(
        (100, 10, 1),
        "games, meta-games, meta-meta-games, ...: each game of a level plays so many of the level below at each step; "
        "the last is how many are played from the start (tables 4 and 5: games, meta-games, 1)",
        "RMC 2007, section 5",
        min_length=1,
        max_length=6,
    )

    def describe(self) -> str:
        return f"{','.join(map(str, self.games))} games{self.rollout_note}"


class NrpaOptions(Options):
    level: Level = option(4, "nesting depth; a search plays iterations to that power", "Rosin 2011")
    iterations: Count = option(100, "N, calls of the level below in a call of each level", "Rosin 2011", ge=1, le=10**6)
    alpha: Annotated[float, Field(gt=0, le=100)] = option(1.0, "learning rate of the policy", "Rosin 2011")
    stabilize: Count = option(
        1, "P, playouts at level 1 before each adaptation", "Stabilized NRPA, Cazenave et al. 2020", ge=1, le=10**6
    )

    def describe(self) -> str:
        stabilized = "" if self.stabilize == 1 else f" P={self.stabilize}"
        return f"L{self.level} N={self.iterations} alpha={self.alpha:g}{stabilized}"


class NestedOptions(RolloutOptions):
    level: Level = option(3, "nesting depth; level 0 is a playout", "NMCS 2009, section 3")
    memory: bool = option(True, "keep the best sequence and follow it when a step finds none better", "NMCS 2009")

    def describe(self) -> str:
        return f"L{self.level}" + ("" if self.memory else " without memory") + self.rollout_note


class BeamOptions(RolloutOptions):
    level: Level = option(3, "nesting depth; must be the number of beam widths", "MCBS 2012, Algorithm 2")
    beam: Annotated[tuple[Width, ...], BeforeValidator(_split_commas)] = option(
        (1, 8, 8), "beam width of each level, from level 1 up", "MCBS 2012, Algorithm 2", min_length=1, max_length=9
    )
    unique: bool = option(False, "keep only one entry a position in a beam, the best", "this project")

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


class TreeOptions(RolloutOptions):
    bandit: Literal["ucb1", "ucb1-tuned", "reflexive", "sp-mcts"] = option(
        "ucb1-tuned",
        "how a child is chosen, with t visits of the node, n of the child, mean m, variance v. "
        "ucb1: m + c sqrt(ln t / n). "
        "ucb1-tuned: m + c sqrt(ln t / n min(1/4, v + sqrt(2 ln t / n))). "
        "reflexive: m + sqrt(ln t / (c n)). "
        "sp-mcts: m + c sqrt(ln t / n) + sqrt(v + d / n). "
        "The first two on scores normalised to [0, 1] by the game's bounds, the others on raw scores",
        "Auer et al. 2002; RMC 2007; Schadd et al. 2008",
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
    max_nodes: Count = option(
        4_000_000,
        "children that fit in the tree (44 bytes each); when it is full it stops growing, and playouts go on",
        "this project",
        ge=1000,
        le=2 * 10**9,
    )
    task_playouts: Count = option(
        1_000_000, "playouts in one task; the next task starts a new tree", "this project", ge=1, le=10**12
    )

    @property
    def normalised(self) -> bool:
        """Tell whether scores are normalised before the bandit sees them."""
        return self.bandit in ("ucb1", "ucb1-tuned")

    def describe(self) -> str:
        return f"{self.bandit} c={self.c:g}, {self.task_playouts} playouts{self.rollout_note}"


class BeamTreeOptions(TreeOptions):
    simulation_limit: Count = option(
        90_000, "L, playouts that pass a depth before it is pruned", "Beam MCTS 2012", ge=1, le=10**12
    )
    beam_width: Count = option(
        1, "W, nodes of that depth that stay; 1 is move by move, by most visits", "Beam MCTS 2012", ge=1, le=10**6
    )

    def describe(self) -> str:
        return f"L={self.simulation_limit} W={self.beam_width}, {super().describe()}"
