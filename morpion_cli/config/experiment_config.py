"""From the YAML file of an experiment to its checked plan."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from morpion_cli.config.mistakes import Mistakes
from morpion_cli.config.sections import check_algorithm, check_game
from morpion_cli.config.yaml_tree import YamlTree
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


class CellModel(BaseModel):
    """One of `cells:`; what is left out is that of the experiment."""

    model_config = ConfigDict(extra="forbid")
    name: Name | None = None
    row: Name | None = None
    column: Name | None = None
    game: Section | None = None
    algorithm: Section | None = None
    searches: Annotated[Count, Field(ge=1, le=10**7)] | None = None
    boards: Annotated[Count, Field(ge=1, le=10**6)] | None = None
    time: Annotated[float | None, BeforeValidator(lambda v: None if v is None else parse_duration(v))] = None
    target: Count | None = None
    measure: Literal[*MEASURES] | None = None  # type: ignore[valid-type]
    published: Annotated[float, Field(allow_inf_nan=False)] | None = None
    published_searches: Annotated[Count, Field(ge=1)] | None = None


class ExperimentModel(CellModel):
    """The top level."""

    title: Name
    source: str = ""
    note: str = ""
    seed: Annotated[Count, Field(ge=0, lt=2**64)] = 1
    total: bool = False
    figures: list[FigureModel] = Field(default_factory=list)
    cells: Annotated[list[CellModel], Field(min_length=1, max_length=2000)]


_INHERITED = ("game", "algorithm", "searches", "boards", "time", "target", "measure", "published_searches")


def build_plan(tree: YamlTree, scale: float = 1.0) -> Plan:
    """Return the plan of an experiment, its numbers of searches times `scale`, but at least one each.

    Raises UserError, which lists every mistake with its place.
    """
    mistakes = Mistakes(tree)
    data = {} if tree.data is None else tree.data
    if not isinstance(data, dict):
        mistakes.add((), "expected keys such as 'title:' and 'cells:'")
        mistakes.raise_if_any()
    try:
        model = ExperimentModel.model_validate(data)
    except ValidationError as error:
        mistakes.add_all(error, ExperimentModel)
        raise mistakes.error() from None
    cells: list[Cell] = []
    for number, of_cell in enumerate(model.cells):
        cell = _cell(model, number, of_cell, scale, mistakes)
        if cell is not None and cell.name in {other.name for other in cells}:
            mistakes.add(("cells", number), f"two cells are called {cell.name!r}; give one a name")
        elif cell is not None:
            cells.append(cell)
    mistakes.raise_if_any()
    figures = tuple(Figure(figure.kind, figure.title) for figure in model.figures)
    return Plan(
        Path(tree.name).stem, model.title, model.source, model.seed, tuple(cells), figures, model.total,
        model.note, scale,
    )  # fmt: skip


def _cell(model: ExperimentModel, number: int, given: CellModel, scale: float, mistakes: Mistakes) -> Cell | None:
    place = ("cells", number)
    chosen = {name: getattr(given, name) for name in _INHERITED}
    where = {name: place if value is not None else () for name, value in chosen.items()}
    chosen = {name: getattr(model, name) if value is None else value for name, value in chosen.items()}
    for name in ("game", "algorithm"):
        if chosen[name] is None:
            mistakes.add(place, f"no {name}, neither here nor for all cells")
            return None
    game, game_options = check_game(chosen["game"], mistakes, (*where["game"], "game"))
    algorithm, options = check_algorithm(chosen["algorithm"], game, mistakes, (*where["algorithm"], "algorithm"))
    if game is None or game_options is None or algorithm is None or options is None:
        return None
    searches = chosen["searches"] or chosen["boards"] or 1
    row, column = given.row or "", given.column or ""
    cell = Cell(
        name=given.name
        or " / ".join(part for part in (row, column) if part)
        or f"{algorithm.name} {options.describe()}",
        row=row,
        column=column,
        game=game,
        game_options=game_options,
        algorithm=algorithm,
        options=options,
        searches=max(1, round(searches * scale)),
        boards=chosen["boards"],
        time=chosen["time"],
        target=chosen["target"],
        measure=chosen["measure"] or "mean",
        published=given.published,
        published_searches=chosen["published_searches"],
    )
    _check(cell, game, mistakes, place)
    return cell


def _check(cell: Cell, game: GameEntry, mistakes: Mistakes, place: tuple[str, int]) -> None:
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
        mistakes.add((*place, "game", "board"), str(error))
