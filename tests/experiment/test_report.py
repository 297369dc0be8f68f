from dataclasses import replace

import pytest

from morpion_cli.config.experiment_config import build_plan
from morpion_cli.config.yaml_tree import parse_yaml
from morpion_cli.experiment.report import as_document, as_markdown, as_table, number, report, with_interval
from morpion_cli.experiment.statistics import Estimate, evaluate
from morpion_cli.experiment.trials import Trial


@pytest.mark.parametrize(
    ("value", "text"),
    [(66.66, "66.66"), (73998, "73,998"), (0.0134, "0.0134"), (1508.25, "1,508.2"), (50.0, "50"), (0, "0")],
)
def test_figures(value, text):
    assert number(value) == text


def test_an_interval_has_the_decimals_of_its_width():
    assert with_interval(Estimate(57.8123, 57.0002, 58.6244, 40)) == "57.81 ± 0.81"
    assert with_interval(Estimate(1507.4, 1407.2, 1607.6, 40)) == "1,507 ± 100"
    assert with_interval(Estimate(0.4068, 0.3972, 0.4165, 40)) == "0.4068 [0.3972, 0.4165]"
    assert with_interval(Estimate(66, None, None, 1)) == "66"


BOARDS = """
title: t
source: s
game: {name: samegame, size: 4x4}
boards: 3
total: yes
cells:
  - {row: one, column: a|b, algorithm: {name: nmcs, level: 1}, published: 100, beside: {Someone: 200}}
  - {row: one, column: c, algorithm: {name: nmcs, level: 2}, published: 90}
  - row: two
    column: a|b
    game: {name: samegame, size: 5x5}
    algorithm: {name: nmcs, level: 1}
    published: 10
    beside: {Someone: 50, Another: 5}
  - {name: alone, algorithm: {name: sampling}, time: 1s, target: 999, measure: seconds, published: 0.1}
"""


def trials(plan, **scores):
    names = {"first": 0, "second": 1, "third": 2, "alone": 3}
    return [
        Trial(plan.cells[names[key]].name, search, score, 10, 1.0)
        for key, values in scores.items()
        for search, score in enumerate(values)
    ]


def test_a_table_of_rows_columns_pairs_and_a_total():
    plan = build_plan(parse_yaml(BOARDS, "plan.yaml"))
    shown = report(plan, trials(plan, first=[90, 100, 110], second=[100, 110, 120], third=[10, 20], alone=[5, 5]))
    lines = as_table(shown).splitlines()
    assert lines[0].split(" | ")[1].strip() == r"a\|b"
    assert [cell.strip() for cell in lines[4].split(" | ")[-2:]] == ["250", "|"]  # of Another a row is missing
    assert lines[2].endswith("| 200     |         |") and lines[3].endswith("| 50      | 5       |")
    assert "100 ± 25 (100 =)" in lines[2] and "110 ± 25 (90 =)" in lines[2]
    assert lines[4].startswith("| total") and "(110 =)" in lines[4] and "(90 =)" in lines[4]
    assert r"c minus a|b".replace("|", r"\|") in lines[-1] and "10.00 ± 0.72" in lines[-1]  # as uncertain as rounding
    page = as_markdown(shown, "made here")
    assert "> 1" in page and "0 of 2" in page and "NOT FINISHED: 10 of 12 searches" in page
    document = as_document(shown)
    assert [cell["reached"] for cell in document["cells"]] == [None, None, None, 0]
    assert document["pairs"][0]["difference"]["value"] == 10


def test_one_search_a_row_is_set_beside_the_paper_by_the_differences():
    plan = build_plan(parse_yaml(BOARDS, "plan.yaml"))
    total = as_table(report(plan, trials(plan, first=[130], third=[42]))).splitlines()[4]
    assert "172 ± 25 (110 +)" in total  # 30 and 32 above: 62 +- 12.7 * sqrt(2) * sqrt(2)


def test_a_total_of_best_scores_has_no_interval():
    plan = build_plan(parse_yaml(BOARDS.replace("total: yes", "total: yes\nmeasure: best"), "plan.yaml"))
    total = as_table(report(plan, trials(plan, first=[90, 130], third=[42, 40]))).splitlines()[4]
    assert "172 (110)" in total


def test_the_best_of_all_searches_has_no_interval():
    plan = build_plan(parse_yaml(BOARDS, "plan.yaml"))
    cell = replace(plan.cells[0], measure="best")
    result = evaluate(cell, trials(plan, first=[90, 120, 110]))
    assert result.estimate == Estimate(120.0, None, None, 3) and result.verdict == ""
