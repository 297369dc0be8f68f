from dataclasses import replace

from morpion_cli.config.experiment_config import build_plan
from morpion_cli.config.yaml_tree import parse_yaml
from morpion_cli.experiment.trials import run_trials
from morpion_cli.kernel.random import task_stream

PLAN = """
title: test
cells:
  - {name: plain, game: 4D, algorithm: {name: nmcs, level: 1}, searches: 30}
  - name: boards
    game: samegame
    boards: 4
    searches: 6
    algorithm: {name: sampling, task_playouts: 20}
"""


def run(plan, workers=2, done=(), stop=lambda: False):
    found = []
    run_trials(plan.cells, plan.seed, workers, set(done), found.extend, stop)
    return found


def scores(trials):
    return {(trial.cell, trial.search): (trial.score, trial.playouts) for trial in trials}


def test_search_i_is_task_i_on_its_board_whatever_the_number_of_threads():
    plan = build_plan(parse_yaml(PLAN, "plan.yaml"))
    one, three = run(plan, 1), run(plan, 3)
    assert scores(one) == scores(three) and len(one) == len(three) == 36
    for cell in plan.cells:
        for search in range(cell.searches):
            searcher = cell.algorithm.load()(cell.game.load(cell.puzzle(search)), cell.options)
            result = searcher.run(task_stream(plan.seed, search))
            assert scores(one)[cell.name, search] == (result.score, result.playouts)
    boards = plan.cells[1]
    assert boards.puzzle(1) == boards.puzzle(5) != boards.puzzle(0)


def test_what_is_done_is_not_done_again():
    plan = build_plan(parse_yaml(PLAN, "plan.yaml"))
    whole = scores(run(plan))
    rest = scores(run(plan, done=[key for key in whole if key[1] % 2]))
    assert rest == {key: value for key, value in whole.items() if not key[1] % 2}


def test_a_clock_of_cpu_time_ends_a_search_and_its_curve_rises():
    plan = build_plan(parse_yaml(PLAN, "plan.yaml"))
    cell = replace(plan.cells[0], time=0.5, searches=4)
    for trial in run(replace(plan, cells=(cell,))):
        assert 0.5 <= trial.cpu < 0.9 and trial.playouts > 5000
        values = [score for _, score in trial.curve]
        assert values == sorted(set(values)) and values[-1] == trial.score
        assert all(0 <= cpu <= 0.5 for cpu, _ in trial.curve)


def test_a_target_ends_a_search():
    plan = build_plan(parse_yaml(PLAN, "plan.yaml"))
    cell = replace(plan.cells[0], time=30.0, target=30, searches=2)
    for trial in run(replace(plan, cells=(cell,))):
        assert trial.score >= 30 and trial.cpu < 5


def test_an_interrupted_search_is_not_counted():
    plan = build_plan(parse_yaml(PLAN, "plan.yaml"))
    cell = replace(plan.cells[0], time=600.0)
    assert run(replace(plan, cells=(cell,)), stop=lambda: True) == []
