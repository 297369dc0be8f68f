"""Experiments and comparisons as a user has them: real processes."""

import csv
import json
import signal
import time

import pytest

from tests.cli.test_cli import clean, run
from tests.cli.test_runs import start, wait_for

PLAN = """
title: Two levels on 4D
source: nobody
game: 4D
searches: 20
total: yes
cells:
  - {row: level 1, column: plain, algorithm: {name: nmcs, level: 1}, published: 31.0}
  - {row: level 1, column: wide, algorithm: {name: mcbs, beam: [4]}, published: 50}
  - {row: level 2, column: plain, algorithm: {name: nmcs, level: 2}, published: 10}
"""


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def rows(folder):
    lines = [json.loads(line) for line in (folder / "results" / "plan" / "results.jsonl").read_text().splitlines()]
    return {(line["cell"], line["search"]): (line["score"], line["playouts"], line["key"]) for line in lines}


FIGURES = """
figures:
  - {kind: time, title: score against time}
  - {kind: distribution, title: scores}
"""


def test_a_table_with_the_papers_figures_beside_ours(plan):
    (plan / "plan.yaml").write_text(PLAN + FIGURES)
    result = clean(run("experiment", "plan.yaml", cwd=plan), 0)
    assert "(31 =)" in result.stdout and "(50 -)" in result.stdout and "(10 +)" in result.stdout
    assert "60 of 60 searches, in results/plan" in result.stdout
    folder = plan / "results" / "plan"
    markdown = (folder / "table.md").read_text()
    assert "numba" in markdown and "seed 1" in markdown and "NOT FINISHED" not in markdown
    assert {row["verdict"] for row in csv.DictReader((folder / "table.csv").open())} == {"inside", "below", "above"}
    for name in ("figure1", "figure2"):
        assert b"<svg" in (folder / f"{name}.svg").read_bytes()[:400]
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "there are results already" in clean(run("experiment", "plan.yaml", cwd=plan), 2).stderr
    again = clean(run("experiment", "plan.yaml", "--resume", "--json", "--cell", "*plain", cwd=plan), 0)
    document = json.loads(again.stdout)
    assert [cell["searches"] for cell in document["cells"]] == [20, 20, 20]  # all that is on file
    assert sum(document["cells"][0]["scores"].values()) == 20


def test_a_killed_experiment_goes_on_to_the_same_results(plan):
    clean(run("experiment", "plan.yaml", "--out", "whole", cwd=plan), 0)
    path = plan / "results" / "plan" / "results.jsonl"
    process = start(plan, "experiment", "plan.yaml")
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") > 5)
    process.send_signal(signal.SIGSTOP)  # so that it is there for long enough
    assert "another experiment writes there" in clean(run("experiment", "plan.yaml", "--resume", cwd=plan), 2).stderr
    process.kill()
    process.communicate()
    with path.open("ab") as file:
        file.write(b'{"cell":"level 1 / pl')  # a line that was cut
    clean(run("experiment", "plan.yaml", "--resume", "--workers", "1", cwd=plan), 0)
    cut = rows(plan)
    (plan / "results" / "plan").rename(plan / "cut")
    (plan / "whole").rename(plan / "results" / "plan")
    assert cut == rows(plan) and len(cut) == 60


def test_ctrl_c_shows_what_there_is(plan):
    path = plan / "results" / "plan" / "results.jsonl"
    process = start(plan, "experiment", "plan.yaml")
    wait_for(lambda: path.exists() and path.read_bytes().count(b"\n") > 5)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in errors and time.monotonic() - begun < 20
    assert "Two levels on 4D" in output and "NOT FINISHED" in (plan / "results" / "plan" / "table.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--scale", "0"), "--scale: expected a number from above 0 to 1000"),
        (("--cell", "x*"), "--cell: no cell has such a name; the first is 'level 1 / plain', --list shows all"),
        (("--time", "soon"), "--time: expected a duration"),
        (("--out", "/proc/x"), "cannot write"),
        (("--out", "plan.yaml"), "plan.yaml: is a file, expected a folder"),
    ],
)
def test_wrong_use_is_one_clear_line(plan, arguments, problem):
    result = clean(run("experiment", "plan.yaml", *arguments, cwd=plan), 2)
    assert problem in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_the_best_game_of_every_search_is_kept(plan):
    timed = PLAN.replace("searches: 20", "searches: 3") + "  - {name: timed, algorithm: {name: sampling}, time: 0.2s}\n"
    (plan / "plan.yaml").write_text(timed)
    clean(run("experiment", "plan.yaml", "--grids", "kept", cwd=plan), 0)
    grids = list((plan / "kept").glob("*.json"))
    assert 4 <= len(grids) <= 12  # some are the same game
    clean(run("verify", *grids), 0)
    assert {json.loads(grid.read_text())["solver"]["method"] for grid in grids} >= {
        "nmcs L2",
        "sampling 10000 playouts",
    }


def test_results_of_something_else_are_refused(plan):
    (plan / "results.jsonl").write_text('{"cell": 3}\n')
    result = clean(run("experiment", "plan.yaml", "--out", ".", "--resume", cwd=plan), 2)
    assert "results.jsonl: line 1: not a result of an experiment" in result.stderr


@pytest.mark.slow
def test_what_is_on_file_of_others(plan):
    clean(run("experiment", "plan.yaml", "--scale", "0.1", cwd=plan), 0)
    text = (plan / "plan.yaml").read_text()
    (plan / "plan.yaml").write_text(
        text.replace("level: 2}", "level: 1, memory: no}").replace("row: level 2", "row: other")
    )
    result = clean(run("experiment", "plan.yaml", "--scale", "0.1", "--resume", cwd=plan), 0)
    assert "2 results of another config or seed are not used" in result.stderr and "other" in result.stdout
    # A cell that has only been renamed is the same cell.
    (plan / "plan.yaml").write_text(text.replace("column: wide", "column: broad"))
    result = clean(run("experiment", "plan.yaml", "--scale", "0.1", "--resume", "--json", cwd=plan), 0)
    assert [cell["searches"] for cell in json.loads(result.stdout)["cells"]] == [2, 2, 2]
    (plan / "else.yaml").write_text(text)
    result = clean(run("experiment", "else.yaml", "--resume", "--out", "results/plan", cwd=plan), 2)
    assert "has results of another experiment, plan" in result.stderr


def test_an_experiment_is_no_hunt_and_a_hunt_no_experiment(plan):
    hunts(plan, hunt="game: 4D\nalgorithm: nmcs\n")
    assert (
        "this is an experiment, which 'morpion experiment' runs"
        in clean(run("search", "plan.yaml", cwd=plan), 2).stderr
    )
    assert "not an experiment" in clean(run("experiment", "hunt.yaml", cwd=plan), 2).stderr
    listed = clean(run("experiment", "plan.yaml", "--list", cwd=plan), 0).stdout.splitlines()
    assert len(listed) == 3 and " ".join(listed[1].split()) == "20 level 1 / wide: 4D, mcbs L1 beam 4"
    assert not (plan / "results").exists()


def hunts(folder, **configs):
    for name, text in configs.items():
        (folder / f"{name}.yaml").write_text(text)


def test_compare_says_which_is_better(tmp_path):
    hunts(
        tmp_path,
        a="game: 4D\nalgorithm: {name: nmcs, level: 1}\n",
        b="game: 4D\nalgorithm: {name: nmcs, level: 2}\n",
        c="game: 5D\nalgorithm: {name: nmcs, level: 1}\n",
    )
    clean(run("compare", "a.yaml", "b.yaml", "--runs", "4", "--out", "kept", cwd=tmp_path), 0)
    again = run("compare", "a.yaml", "b.yaml", "--runs", "8", "--out", "kept", "--resume", cwd=tmp_path)
    better = clean(again, 0).stdout
    assert "B is better by" in better and "8 pairs" in better and "A  a.yaml: 4D, nmcs L1" in better
    assert len((tmp_path / "kept" / "results.jsonl").read_text().splitlines()) == 16
    same = json.loads(clean(run("compare", "a.yaml", "a.yaml", "--runs", "8", "--json", cwd=tmp_path), 0).stdout)
    assert same["difference"] == 0 and same["pairs"] == 8 and same["scores"]["A"] == same["scores"]["B"]
    assert same["searches"]["A"]["game"] == "4D" and "numba" in same["versions"]
    timed = json.loads(
        clean(run("compare", "a.yaml", "b.yaml", "--runs", "2", "--time", "0.3s", "--json", cwd=tmp_path), 0).stdout
    )
    assert all(0.3 <= cpu < 0.7 for times in timed["cpu_secs"].values() for cpu in times)
    assert "two games cannot be compared" in clean(run("compare", "a.yaml", "c.yaml", cwd=tmp_path), 2).stderr
    assert (
        "--boards: 4D has no boards"
        in clean(run("compare", "a.yaml", "b.yaml", "--boards", "3", cwd=tmp_path), 2).stderr
    )


@pytest.mark.slow
def test_compare_on_boards(tmp_path):
    game = "game: bubble-breaker\n"
    hunts(
        tmp_path,
        a=game + "algorithm: {name: sampling, task_playouts: 10}\n",
        b=game + "algorithm: {name: sampling, task_playouts: 500}\n",
    )
    given = ("compare", "a.yaml", "b.yaml", "--runs", "10", "--boards", "10", "--json")
    assert json.loads(clean(run(*given, cwd=tmp_path), 0).stdout)["low"] > 0
