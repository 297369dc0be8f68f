"""The same games on every processor, whatever instructions it has for vectors."""

import json
import os

import pytest
from llvmlite.binding import get_host_cpu_features

from tests.cli.test_cli import clean, run

AVX2 = ("avx", "avx2", "bmi", "bmi2", "fma", "lzcnt", "popcnt", "sse4.2")
PROCESSORS = {"generic": (), "haswell": AVX2}


def hunt(folder, **environment):
    given = ("--game", "5T", "--level", "1", "--tasks", "3", "--seed", "5", "--workers", "1", "--json")
    result = clean(run("search", *given, cwd=folder, env={**os.environ, **environment}), 0)
    summary = json.loads(result.stdout)
    return summary["mean_score"], json.loads((folder / summary["path"]).read_text())["moves"]


@pytest.mark.parametrize("name", PROCESSORS)
def test_another_processor_finds_the_same_grids(name, tmp_path):
    has = get_host_cpu_features()
    if not all(has.get(feature) for feature in PROCESSORS[name]):
        pytest.skip("this processor has not all of its instructions")
    features = ",".join(f"+{feature}" for feature in PROCESSORS[name])
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    there = hunt(tmp_path / "there", NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features)
    assert there == hunt(tmp_path / "here")
