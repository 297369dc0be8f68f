import pytest

from morpion_cli.config.experiment_config import build_plan
from morpion_cli.config.yaml_tree import parse_yaml, read_yaml
from morpion_cli.errors import UserError
from tests.conftest import ROOT

EXPERIMENTS = [*sorted((ROOT / "configs" / "papers").glob("*.yaml")), ROOT / "configs" / "record-samegame.yaml"]


def build(text):
    return build_plan(parse_yaml(text, "plan.yaml"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_shipped_experiments(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = build_plan(read_yaml(path))
    assert plan.name == path.stem and len({cell.key for cell in plan.cells}) > 1


def test_the_table_of_the_beam_paper_is_whole(monkeypatch):
    monkeypatch.chdir(ROOT)
    cells = build_plan(read_yaml(ROOT / "configs" / "papers" / "mcbs-table1.yaml")).cells
    assert len(cells) == 21 and all(cell.searches >= 40 and cell.published for cell in cells)
    for cell in cells:
        assert cell.options.beam == (int(cell.row), int(cell.column))


def test_a_cell_takes_from_the_experiment_what_it_does_not_say():
    plan = build(
        "title: t\ngame: 5T\nsearches: 40\ntime: 2s\nmeasure: peak\ncells:\n"
        "  - {algorithm: {name: nmcs, level: 1}}\n"
        "  - {row: a, column: b, game: 4D, algorithm: nmcs, searches: 3, measure: mean, published: 66.5}\n"
    )
    first, second = plan.cells
    assert (first.name, first.game.name, first.searches, first.time, first.measure) == (
        "nmcs L1",
        "5T",
        40,
        2.0,
        "peak",
    )
    assert (second.name, second.game.name, second.searches, second.published) == ("a / b", "4D", 3, 66.5)
    assert first.key != second.key


def test_the_number_of_searches_does_not_change_what_a_search_is():
    text = "title: t\ngame: 5T\nalgorithm: nmcs\nsearches: 40\ncells: [{name: a}]\n"
    assert build(text).cells[0].key == build(text.replace("40", "7")).cells[0].key


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cells: []", "plan.yaml:1:1: title: field required"),
        (
            "title: t\ngame: 5D\ncells:\n  - {algorithm: nmcs, sed: 1}",
            "known keys: game, algorithm, searches, boards, time",
        ),
        ("title: t", "plan.yaml: not an experiment, it has no 'cells:' (a hunt is run by 'morpion search')"),
        ("title: t\ncells: []", "plan.yaml:2:1: cells: expected at least one cell"),
        ("title: t\nseeds: 3\ncells: [{}]", "plan.yaml:2:1: seeds: unknown key - did you mean 'seed'?"),
        ("title: t\ncells:\n  - {algorithm: nmcs}", "plan.yaml:3:5: cells.0: no game, neither here nor for all cells"),
        ("title: t\ncells:\n  - {game: 9D, algorithm: nmcs}", "plan.yaml:3:6: cells.0.game.name: no game '9D'"),
        ("title: t\ngame: 5D\ncells:\n  - {algorithm: {name: nmcs, levl: 1}}", "did you mean 'level'?"),
        ("title: t\ngame: 5D\ncells:\n  - {algorithm: nmcs, boards: 3}", "cells.0.boards: 5D has no boards"),
        (
            "title: t\ngame: 5D\ncells:\n  - {algorithm: nmcs, measure: deviation}",
            "the theory is of nmcs without memory",
        ),
        (
            "title: t\ngame: 5D\ncells:\n  - {algorithm: nmcs, measure: median}",
            "cells.0.measure: input should be 'mean'",
        ),
        ("title: t\ngame: 5D\ncells:\n  - algorithm: nmcs\n  - algorithm: nmcs", "two cells are called 'nmcs L3'"),
        ("title: t\ngame: 5D\ncells:\n  - {algorithm: {name: nmcs, threads: 2}}", "each on one thread"),
        ("title: t\ngame: {name: samegame, board: nowhere}\ncells: [{algorithm: nmcs}]", "nowhere: cannot read"),
        ("- 1", "not an experiment"),
    ],
)
def test_mistakes_have_their_place(text, problem):
    with pytest.raises(UserError) as caught:
        build(text)
    assert problem in str(caught.value)


def test_every_mistake_is_told_at_once_and_what_cells_share_once():
    with pytest.raises(UserError) as caught:
        build(
            "title: t\ngame: 5Q\nsearches: x\ncells:\n"
            "  - {algorithm: nmc}\n  - {algorithm: nmcs, foo: 1}\n  - {algorithm: nmcs}"
        )
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    for problem in (
        "searches: expected a whole number",
        "no game '5Q'",
        "no algorithm 'nmc'",
        "cells.1.foo: unknown key",
    ):
        assert any(problem in line for line in lines)
    boards = "title: t\nalgorithm: nmcs\ncells:\n" + "".join(
        f"  - {{name: a{i}, game: {{name: samegame, board: nowhere, number: {i}}}}}\n" for i in range(1, 5)
    )
    with pytest.raises(UserError) as caught:
        build(boards)
    assert len(str(caught.value).splitlines()) == 1
