import numpy as np
import orjson
import pytest

from morpion_cli.algorithms.nrpa import Nrpa
from morpion_cli.algorithms.options import NrpaOptions
from morpion_cli.algorithms.policy import read_policy, write_policy
from morpion_cli.errors import UserError
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream


@pytest.fixture
def weights():
    rng = np.random.default_rng(1)
    return (rng.normal(size=1000) * (rng.random(1000) < 0.1)).astype(np.float32)


def test_what_is_written_is_read(tmp_path, weights):
    write_policy(tmp_path / "p.json", GAMES["5D"], weights, {"seed": 1})
    again = read_policy(str(tmp_path / "p.json"), GAMES["5D"], 1000)
    assert again.dtype == np.float32 and np.array_equal(again, weights)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"game": "5T"}, "game: expected '5D', got '5T'"),
        ({"n_codes": 7}, "n_codes: expected 1000, got 7"),
        ({"format": "x"}, "not a policy file"),
        ({"codes": [1]}, "two lists of one length"),
        ({"codes": [1000], "weights": [1.0]}, "whole numbers from 0 to 999, got 1000"),
        ({"codes": [True], "weights": [1.0]}, "whole numbers from 0 to 999, got True"),
        ({"codes": [1], "weights": ["1"]}, "numbers from -1e6 to 1e6, got '1'"),
        ({"codes": [1], "weights": [1e300]}, "numbers from -1e6 to 1e6"),
    ],
)
def test_another_policy_is_refused(tmp_path, weights, change, problem):
    path = tmp_path / "p.json"
    write_policy(path, GAMES["5D"], weights, {})
    path.write_bytes(orjson.dumps(orjson.loads(path.read_bytes()) | change))
    with pytest.raises(UserError, match=problem):
        read_policy(str(path), GAMES["5D"], 1000)


@pytest.mark.parametrize("data", [b"", b"[1]", b"\xff\xfe"])
def test_no_policy_at_all_is_one_clear_line(tmp_path, data):
    path = tmp_path / "p.json"
    path.write_bytes(data)
    with pytest.raises(UserError, match="not a policy file"):
        read_policy(str(path), GAMES["5D"], 1000)


def test_a_policy_cut_short_is_refused(tmp_path, weights):
    path = tmp_path / "p.json"
    write_policy(path, GAMES["5D"], weights, {})
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(UserError, match="cut short"):
        read_policy(str(path), GAMES["5D"], 1000)


def test_nrpa_goes_on_from_its_policy(tmp_path):
    loaded = GAMES["4D"].load()
    first = Nrpa(loaded, NrpaOptions(level=2, iterations=60))
    learned = first.run(task_stream(1, 0))
    write_policy(tmp_path / "p.json", GAMES["4D"], first.learned_policy(), {})
    scores = []
    for policy in (None, str(tmp_path / "p.json")):
        search = Nrpa(loaded, NrpaOptions(level=1, iterations=20, policy_in=policy))
        scores.append(np.mean([search.run(task_stream(2, task)).score for task in range(20)]))
    assert scores[1] > scores[0] + 2
    assert scores[1] > learned.score - 4
