import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.config.hunt_config import build_settings
from morpion_cli.config.yaml_tree import parse_yaml, read_yaml
from morpion_cli.errors import UserError
from tests.conftest import ROOT


def build(text="", given=None, assignments=None):
    return build_settings(parse_yaml(text, "hunt.yaml"), given or {}, assignments or {})


def mistakes(text="", given=None, assignments=None):
    with pytest.raises(UserError) as caught:
        build(text, given, assignments)
    return str(caught.value).splitlines()


def test_defaults_are_the_ones_of_the_manual():
    hunt = build_settings(None, {}, {})
    assert (hunt.game.name, hunt.method) == ("5D", "mcbs L3 beam 1,8,8")
    assert hunt.workers >= 1
    assert str(hunt.out) == "grids"
    assert build_settings(None, {}, {}).seed != hunt.seed


def test_values_mean_what_a_person_means():
    hunt = build(
        "game: 5T\nalgorithm: {name: sampling, task_playouts: 1e6}\n"
        "stop: {time: 1:30:00, playouts: 2e9, tasks: 10, target: 100}\nseed: 7\nworkers: 3\nout: here\n"
    )
    assert hunt.options.task_playouts == 1_000_000
    assert (hunt.budget.time, hunt.budget.playouts, hunt.budget.tasks, hunt.budget.target) == (5400, 2 * 10**9, 10, 100)
    assert (hunt.seed, hunt.workers, str(hunt.out), hunt.game.name) == (7, 3, "here", "5T")
    assert build("algorithm: {name: nmcs, memory: no}").options.memory is False
    assert build("algorithm: nmcs").options.level == 3
    assert build("algorithm: {beam: '2,4'}").options.beam == (2, 4)
    assert build("# nothing\n").game.name == "5D"


HUNTS = sorted(path for path in (ROOT / "configs").glob("*.yaml") if "\ncells:" not in path.read_text())


@pytest.mark.parametrize("path", HUNTS, ids=lambda path: path.name)
def test_shipped_configs(path):
    assert build_settings(read_yaml(path), {}, {}).method


def test_options_override_the_file():
    text = "game: 5T\nalgorithm: {name: mcbs, beam: [1, 8, 8]}\nstop: {time: 10m}\nseed: 1\n"
    assert build(text, {"game": "4d", "seed": "2", "time": "5s"}).game.name == "4D"
    assert build(text, {"time": "5s"}).budget.time == 5
    assert build(text, {"beam": "2,2"}).method == "mcbs L2 beam 2,2"
    assert build(text, {"algorithm": "nmcs", "level": "2"}).method == "nmcs L2"
    assert build("algorithm: {name: nmcs, level: 2}", {"beam": "4"}).method == "mcbs L1 beam 4"
    assert build("", {"level": "2"}).method == "nmcs L2"
    assert build("", {"level": "3", "beam": "1,8,8"}).method == "mcbs L3 beam 1,8,8"
    assert build("", {"level": "1"}, {"memory": "false"}).method == "nmcs L1 without memory"


def test_every_mistake_at_once_with_its_place():
    lines = mistakes(
        "gane: 5D\nalgorithm:\n  name: nmcs\n  level: 0\n  memory: perhaps\nstop:\n  tmie: 3\n  tasks: x\n"
    )
    assert sorted(lines) == [
        "hunt.yaml:1:1: gane: unknown key - did you mean 'game'?",
        "hunt.yaml:4:3: algorithm.level: must be at least 1, got '0'",
        "hunt.yaml:5:3: algorithm.memory: expected true or false, got 'perhaps'",
        "hunt.yaml:7:3: stop.tmie: unknown key - did you mean 'time'?",
        "hunt.yaml:8:3: stop.tasks: expected a whole number such as 5000 or 1e6, got 'x'",
    ]


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("game: 6D", {}, "hunt.yaml:1:1: game: no game '6D'"),
        ("algorithm: {name: mcts}", {}, "algorithm.name: no algorithm 'mcts'"),
        ("algorithm: {name: mcbs, level: 2, beam: [1, 8, 8]}", {}, "a beam needs one width for each level: level 2"),
        ("algorithm: {name: mcbs, beam: [1, x]}", {}, "algorithm.beam.1: expected a whole number"),
        ("algorithm: 3\nalgorithm: 4", {}, "hunt.yaml:2:1: algorithm: given twice, first in line 1"),
        ("a: &x 1", {}, "hunt.yaml:1:4: anchors and aliases"),
        ("game: !!python/object/apply:os.system [ls]", {}, "hunt.yaml:1:7: tags are not used in configs"),
        ("game: [", {}, "not valid YAML"),
        ("- 1", {}, "expected keys such as 'game:'"),
        ("game: 5D\n---\ngame: 5T", {}, "one YAML document, but here a second one starts"),
        ("stop: 3", {}, "hunt.yaml:1:1: stop: expected keys and values, got '3'"),
        ("", {"level": "0"}, "--level: must be at least 1, got '0'"),
        ("", {"level": "10"}, "--level: must be at most 9, got '10'"),
        ("", {"beam": "1,x"}, "--beam: expected a whole number such as 5000 or 1e6, got 'x'"),
        ("", {"beam": ""}, "--beam: expected a whole number"),
        ("", {"beam": "1,0"}, "--beam: must be at least 1, got '0'"),
        ("", {"level": "2", "beam": "1,8,8"}, "a beam needs one width for each level: level 2, but beam 1,8,8 has 3"),
        ("", {"time": "-3"}, "--time: expected a duration such as 90s, 10m, 2h or 1:30:00, got '-3'"),
        ("", {"tasks": "0"}, "--tasks: must be at least 1, got '0'"),
        ("", {"seed": "-1"}, "--seed: must be at least 0, got '-1'"),
        ("", {"workers": "0"}, "--workers: must be at least 1"),
        ("", {"game": "chess"}, "--game: no game 'chess'"),
        ("algorithm: {name: uct, c: .nan}", {}, "algorithm.c: expected a number, got"),
        ("algorithm: {name: uct, c: -1}", {}, "algorithm.c: must be at least 0"),
        ("algorithm: {name: uct, widening: x}", {}, "algorithm.widening: expected K,A such as 2,0.5"),
        ("algorithm: {name: uct, bandit: puct}", {}, "bandit puct needs policy_in"),
        ("algorithm: {name: bmcts, parallel: tree}", {}, "a tree that is pruned"),
        ("algorithm: {name: bmcts, simulation_limit: 0}", {}, "simulation_limit: must be at least 1, got 0"),
        ("game: {name: samegame, number: 0}", {}, "game.number: must be at least 1"),
        ("", {"algorithm": "sampling", "level": "3"}, "--level: unknown key - known keys of sampling: "),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_mistakes(text, given, expected):
    lines = mistakes(text, given)
    assert len(lines) == 1
    assert expected in lines[0]


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "a: " + "{b: " * 50_000,
        "\n".join(["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]),
        "game: " + "9" * 500_000,
        "seed: " + "9" * 500_000,
    ],
    ids=["lists", "maps", "bomb", "name", "digits"],
)
def test_nothing_hangs(text):
    begun = time.perf_counter()
    lines = mistakes(text)
    assert time.perf_counter() - begun < 1
    assert all(len(line) < 300 for line in lines)


@settings(max_examples=200, deadline=1000)
@given(st.text(max_size=200))
def test_any_text_is_settings_or_clear_lines(text):
    try:
        build(text)
    except UserError as error:
        assert str(error)
