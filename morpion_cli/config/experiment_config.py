"""From the YAML file of an experiment to its checked plan."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from morpion_cli.config.mistakes import Mistakes
from morpion_cli.config.sections import check_algorithm, check_game
from morpion_cli.config.yaml_tree import Location, YamlTree
from morpion_cli.errors import UserError
from morpion_cli.experiment.plan import FIGURES, MEASURES, Cell, Figure, Plan
from morpion_cli.games.catalog import GameEntry
from morpion_cli.options import Count
from morpion_cli.values import parse_duration

Name = Annotated[str, Field(min_length=1, max_length=200)]
Section = Annotated[dict[str, Any], BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value)]


class FigureModel(BaseModel):
    """One of `figures:`."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal[*FIGURES]  # type: ignore[valid-type]
    title: Name


class _Shared(BaseModel):
    """What the experiment says for all cells, and a cell for itself."""

    model_config = ConfigDict(extra="forbid")
    game: Section | None = None
    algorithm: Section | None = None
    searches: Annotated[Count, Field(ge=1, le=10**7)] | None = None
    boards: Annotated[Count, Field(ge=1, le=10**6)] | None = None
    time: Annotated[float | None, BeforeValidator(lambda v: None if v is None else parse_duration(v))] = None
    target: Count | None = None
    measure: Literal[*MEASURES] | None = None  # type: ignore[valid-type]
    published_searches: Annotated[Count, Field(ge=1)] | None = None


class CellModel(_Shared):
    """One of `cells:`."""

    name: Name | None = None
    row: Name | None = None
    column: Name | None = None
    published: Annotated[float, Field(allow_inf_nan=False)] | None = None
    beside: dict[Name, Annotated[float, Field(allow_inf_nan=False)]] = Field(default_factory=dict)


class ExperimentModel(_Shared):
    """The top level; its cells are checked one by one."""

    title: Name
    source: str = ""
    note: str = ""
    seed: Annotated[Count, Field(ge=0, lt=2**64)] = 1
    total: bool = False
    figures: list[FigureModel] = Field(default_factory=list)
    cells: list[dict[str, Any]]


def build_plan(tree: YamlTree) -> Plan:
    """Return the plan of an experiment.

    Raises UserError, which lists every mistake with its place.
    """
    mistakes = Mistakes(tree)
    data = {} if tree.data is None else tree.data
    if not isinstance(data, dict) or "cells" not in data:
        raise UserError(f"{tree.name}: not an experiment, it has no 'cells:' (a hunt is run by 'morpion search')")
    model = None
    try:
        model = ExperimentModel.model_validate(data)
    except ValidationError as error:
        mistakes.add_all(error, ExperimentModel)
    cells: list[Cell] = []
    shared = model or _without_mistakes(data)
    given = data["cells"] if isinstance(data["cells"], list) else []
    if not given:
        mistakes.add(("cells",), "expected at least one cell")
    for number, item in enumerate(given):
        if not isinstance(item, dict):
            continue  # said already
        cell = _cell(shared, number, item, mistakes)
        if cell is not None and cell.name in {other.name for other in cells}:
            mistakes.add(("cells", number), f"two cells are called {cell.name!r}; give one a name")
        elif cell is not None:
            cells.append(cell)
    mistakes.raise_if_any()
    assert model is not None
    figures = tuple(Figure(figure.kind, figure.title) for figure in model.figures)
    return Plan(
        Path(tree.name).stem, model.title, model.source, model.seed, tuple(cells), figures, model.total, model.note
    )


def _without_mistakes(data: dict[str, Any]) -> _Shared:
    """Return what is right of an experiment's keys for all cells, so that its cells can be checked too."""
    right = {}
    for name in _Shared.model_fields.keys() & data.keys():
        try:
            _Shared.model_validate({name: data[name]})
        except ValidationError:
            continue
        right[name] = data[name]
    return _Shared.model_validate(right)


def _cell(shared: _Shared, number: int, item: dict[str, Any], mistakes: Mistakes) -> Cell | None:
    place = ("cells", number)
    try:
        given = CellModel.model_validate(item)
    except ValidationError as error:
        mistakes.add_all(error, CellModel, place)
        return None
    own = {name: getattr(given, name) for name in _Shared.model_fields}
    where = {name: () if value is None else place for name, value in own.items()}
    chosen = {name: getattr(shared, name) if value is None else value for name, value in own.items()}
    for name in ("game", "algorithm"):
        if chosen[name] is None:
            mistakes.add(place, f"no {name}, neither here nor for all cells")
            return None
    game, game_options = check_game(chosen["game"], mistakes, (*where["game"], "game"))
    algorithm, options = check_algorithm(chosen["algorithm"], game, mistakes, (*where["algorithm"], "algorithm"))
    if game is None or game_options is None or algorithm is None or options is None:
        return None
    row, column = given.row or "", given.column or ""
    in_table = " / ".join(part for part in (row, column) if part)
    cell = Cell(
        name=given.name or in_table or f"{algorithm.name} {options.describe()}",
        row=row,
        column=column,
        game=game,
        game_options=game_options,
        algorithm=algorithm,
        options=options,
        searches=chosen["searches"] or chosen["boards"] or 1,
        boards=chosen["boards"],
        time=chosen["time"],
        target=chosen["target"],
        measure=chosen["measure"] or "mean",
        published=given.published,
        published_searches=chosen["published_searches"],
        beside=given.beside,
    )
    _check(cell, game, mistakes, place, (*where["game"], "game", "board"))
    return cell


def _check(cell: Cell, game: GameEntry, mistakes: Mistakes, place: Location, board: Location) -> None:
    """Check what only the whole cell tells."""
    if cell.boards is not None and "number" not in game.options.model_fields:
        mistakes.add((*place, "boards"), f"{game.name} has no boards")
        return
    if cell.measure == "deviation" and (game.name != "left-move" or getattr(cell.options, "memory", True)):
        mistakes.add((*place, "measure"), "the theory is of nmcs without memory on left-move")
    if cell.options.threads_per_task > 1 and not hasattr(cell.options, "parallel"):
        mistakes.add((*place, "algorithm", "threads"), "an experiment runs many searches at once, each on one thread")
    try:
        cell.puzzle((cell.boards or 1) - 1)
    except UserError as error:
        mistakes.add(board, str(error))
