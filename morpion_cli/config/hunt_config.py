"""From a YAML file and command-line options to the checked settings of a hunt."""

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from morpion_cli.algorithms.catalog import ALGORITHMS
from morpion_cli.config.mistakes import Mistakes, dashed
from morpion_cli.config.sections import DEFAULT_ALGORITHM, DEFAULT_GAME, check_algorithm, check_game
from morpion_cli.config.yaml_tree import YamlTree
from morpion_cli.errors import UserError, shown
from morpion_cli.formats.reading import read
from morpion_cli.games.catalog import find_game
from morpion_cli.grid.puzzle import IllegalMoveError, Puzzle, replay
from morpion_cli.hunt.settings import Budget, Settings
from morpion_cli.options import Count
from morpion_cli.values import parse_duration

_GAME_OPTIONS = ("board", "number", "leftover", "depth")
_ALGORITHM_OPTIONS = ("level", "beam", "policy_in")  # those with an option of their own on the command line


def _shard(value: Any) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", str(value).strip())
    number, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= count:
        raise ValueError(f"expected I/N such as 3/16, with I from 1 to N, got {shown(value)}")
    return number, count


class StopModel(BaseModel):
    """The `stop:` key: the hunt ends at whichever comes first."""

    model_config = ConfigDict(extra="forbid")
    time: Annotated[float | None, BeforeValidator(lambda v: None if v is None else parse_duration(v))] = None
    tasks: Annotated[Count, Field(ge=1)] | None = None
    playouts: Annotated[Count, Field(ge=1)] | None = None
    target: Count | None = None


class HuntModel(BaseModel):
    """The top level of a hunt's YAML file."""

    model_config = ConfigDict(extra="forbid")
    game: dict[str, Any] = Field(default_factory=dict)
    algorithm: dict[str, Any] = Field(default_factory=dict)
    stop: StopModel = Field(default_factory=StopModel)
    seed: Annotated[Count, Field(ge=0, lt=2**64)] | None = None
    workers: Annotated[Count, Field(ge=1, le=1024)] | None = None
    out: str = "grids"
    source: Annotated[str, Field(min_length=1)] | None = Field(None, alias="from")
    keep: Annotated[Count, Field(ge=0)] | None = None
    keep_all: Count | None = None
    shard: Annotated[tuple[int, int], BeforeValidator(_shard)] = (1, 1)
    policy_out: Annotated[str, Field(min_length=1)] | None = None


def build_settings(
    tree: YamlTree | None,
    given: Mapping[str, str],
    assignments: Mapping[str, str],
    game_assignments: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings of a hunt.

    tree: the YAML file, if there is one.
    given: command-line options by name without dashes ("level", "beam", "time", ...); they override the file.
    assignments: options of the algorithm from `--set`.
    game_assignments: options of the game from `--game-set`.

    Raises UserError, which lists every mistake with its place.
    """
    data: Any = {} if tree is None or tree.data is None else tree.data
    mistakes = Mistakes(tree)
    if not isinstance(data, dict):
        mistakes.add((), "expected keys such as 'game:' and 'algorithm:'")
        mistakes.raise_if_any()
    if tree is not None and "cells" in data:
        raise UserError(f"{tree.name}: this is an experiment, which 'morpion experiment' runs")
    data_from_file, data = data, dict(data)
    for name in ("seed", "workers", "out", "policy_out", "from", "keep", "keep_all", "shard"):
        if name in given:
            data[name] = given[name]
            mistakes.from_option[(name,)] = dashed(name)
    stop = data.get("stop")
    overrides = {name: given[name] for name in ("time", "tasks", "playouts", "target") if name in given}
    if overrides and (stop is None or isinstance(stop, dict)):
        data["stop"] = {**(stop or {}), **overrides}
        mistakes.from_option.update({("stop", name): dashed(name) for name in overrides})
    elif stop is None:
        data.pop("stop", None)
    of_command_line = {name: given[name] for name in _GAME_OPTIONS if name in given}
    of_game = _Given(given.get("game"), of_command_line, game_assignments or {}, "--game-set")
    game_is_given = bool(data.get("game") or given.get("game") or of_command_line or game_assignments)
    data["game"] = _merge("game", data.get("game"), DEFAULT_GAME, of_game, mistakes)
    algorithm_options = {name: given[name] for name in _ALGORITHM_OPTIONS if name in given}
    asked = _algorithm_name(data.get("algorithm"), given)
    of_algorithm = _Given(asked, algorithm_options, assignments, "--set")
    data["algorithm"] = _merge("algorithm", data.get("algorithm"), DEFAULT_ALGORITHM, of_algorithm, mistakes)

    model = HuntModel.model_validate({})
    try:
        model = HuntModel.model_validate(data)
    except ValidationError as error:
        mistakes.add_all(error, HuntModel)
    puzzle = algorithm = options = game_options = None
    game = None
    opening = _Opening(None, (), None)
    if model.source is not None:
        try:
            opening = _opening(Path(model.source), model.keep)
        except UserError as error:
            mistakes.add(("from",), str(error))
    elif model.keep is not None:
        mistakes.add(("keep",), "says how many moves of a grid to keep, and no grid is given by --from")
    if opening.puzzle is not None and (not game_is_given or data["game"] == {"name": opening.puzzle.name}):
        puzzle, game = opening.puzzle, find_game(opening.puzzle.name)
        game_options = game.options()
    elif isinstance(data["game"], dict):
        nested = "game" in given or isinstance(data_from_file.get("game"), dict)
        game, game_options = check_game(data["game"], mistakes, ("game",), nested)
        if game is not None and game_options is not None:
            try:
                puzzle = game.puzzle(game_options)
            except UserError as error:
                mistakes.add(("game", "board"), str(error))
    if opening.puzzle is not None and puzzle is not None and puzzle != opening.puzzle:
        mistakes.add(("from",), f"a grid of another game or board than the {puzzle.name} of this hunt")
    if isinstance(data["algorithm"], dict):
        algorithm, options = check_algorithm(data["algorithm"], game, mistakes, ("algorithm",))
        if algorithm is not None and model.policy_out is not None and not algorithm.learns:
            learners = ", ".join(name for name, entry in ALGORITHMS.items() if entry.learns)
            mistakes.add(("policy_out",), f"{algorithm.name} learns no policy (known to learn: {learners})")
    mistakes.raise_if_any()
    assert game is not None and game_options is not None and puzzle is not None
    assert algorithm is not None and options is not None
    seed = secrets.randbits(32) if model.seed is None else model.seed
    return Settings(
        game=game,
        game_options=game_options,
        puzzle=puzzle,
        algorithm=algorithm,
        options=options,
        budget=Budget(
            model.stop.time,
            model.stop.tasks,
            model.stop.playouts,
            puzzle.reaches if model.stop.target is None else model.stop.target,
        ),
        seed=seed,
        workers=model.workers or max(1, len(os.sched_getaffinity(0)) // options.threads_per_task),
        out=Path(model.out),
        policy_out=None if model.policy_out is None else Path(model.policy_out),
        opening=opening.moves,
        opening_of=opening.id,
        keep_all=model.keep_all,
        shard=model.shard,
        document=_document({**data, "out": model.out, "seed": seed}),
    )


def _document(data: dict[str, Any]) -> dict[str, Any]:
    """Return the merged file with absolute paths, so that it means the same from everywhere."""
    document = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    in_sections = ((document.get("game"), "board"), (document.get("algorithm"), "policy_in"))
    for place, key in (*in_sections, *((document, key) for key in ("from", "out", "policy_out"))):
        if isinstance(place, dict) and place.get(key) is not None:
            place[key] = str(Path(place[key]).absolute())
    return document


class _Opening(NamedTuple):
    """Where a hunt starts: a puzzle, moves of it, and the id of the game that they are from."""

    puzzle: Puzzle | None
    moves: tuple[Any, ...]
    id: str | None


def _opening(path: Path, keep: int | None) -> _Opening:
    """Return the first `keep` moves of a grid, or half of them. Raises UserError."""
    record = read(path).record
    moves = record.moves[: len(record.moves) // 2 if keep is None else keep]
    if keep is not None and keep > len(record.moves):
        raise UserError(f"{path}: has {len(record.moves)} moves, fewer than the {keep} to keep")
    try:
        position = replay(record.puzzle, moves)
    except IllegalMoveError as error:
        raise UserError(f"{path}: illegal: {error}") from None
    if not position.legal_moves():
        raise UserError(f"{path}: after {len(moves)} moves nothing is left to play; keep fewer")
    return _Opening(record.puzzle, moves, record.puzzle.ids(record.moves)["id"])


class _Given(NamedTuple):
    """What the command line says of the game or the algorithm.

    name: which one, if it says.
    options: those with an option of their own.
    assignments: those by `flag`, --set or --game-set.
    """

    name: str | None
    options: dict[str, str]
    assignments: Mapping[str, str]
    flag: str


def _merge(section: str, from_file: Any, default: str, given: _Given, mistakes: "Mistakes") -> Any:
    """Return a section of the file, `game` or `algorithm`, with the command line's changes."""
    if isinstance(from_file, str) or from_file is None:
        from_file = {} if from_file is None else {"name": from_file}
    if not isinstance(from_file, dict):
        return from_file  # reported by the model
    # Options of another game or algorithm than the file's are not carried over.
    merged = dict(from_file) if given.name in (None, from_file.get("name", default)) else {}
    if given.name is not None:
        merged["name"] = given.name
        mistakes.from_option[(section, "name")] = f"--{section}"
    if "beam" in given.options:
        merged.pop("level", None)  # a new beam says itself how many levels there are
    for option, value in given.options.items():
        merged[option] = value
        mistakes.from_option[(section, option)] = dashed(option)
    for option, value in given.assignments.items():
        merged[option] = value
        mistakes.from_option[(section, option)] = f"{given.flag} {option}"
    return merged


def _algorithm_name(from_file: Any, given: Mapping[str, str]) -> str | None:
    """Return the algorithm that the command line asks for, by name or by what only one of them has."""
    if "algorithm" in given:
        return given["algorithm"]
    if "beam" in given:
        return "mcbs"
    return "nmcs" if "level" in given and not from_file else None
