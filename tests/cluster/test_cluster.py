"""Hunts on a Dask cluster of real processes on this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_cli import MORPION, clean, run
from tests.cli.test_runs import outcome, state, wait_for

DASK = str(Path(sys.executable).parent / "dask")
# Tasks of some hundredths of a second.
SEARCH = ("search", "--game", "4D", "--algorithm", "nrpa", "--level", "3", "--set", "iterations=20", "--seed", "7")
SHARED = ("search", "--game", "4D", "--level", "2", "--seed", "7", "--set", "threads=2", "--tasks", "2")


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        wait_for(self.file.exists)

    def _start(self, kind, *arguments, environment=None):
        process = subprocess.Popen(
            [DASK, kind, *arguments, "--scheduler-file", str(self.file)],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
        self.processes.append(process)
        return process

    def worker(self, **options):
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", **options)

    def search(self, *arguments):
        return subprocess.Popen(
            [*MORPION, *arguments, "--scheduler-file", str(self.file), "--run-dir", "run"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def close(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


def alone(folder, *arguments):
    folder.mkdir()
    clean(run(*arguments, "--run-dir", "run", cwd=folder, timeout=800), 0)
    return outcome(folder)


def finish(process, seconds=120):
    output, errors = process.communicate(timeout=seconds)
    assert process.returncode == 0 and "Traceback" not in errors, errors
    return output


@pytest.mark.slow
def test_a_cluster_of_this_machine_finds_what_threads_find(tmp_path):
    arguments = (*SEARCH, "--tasks", "60")
    clean(run(*arguments, "--cluster", "local:2", "--run-dir", "run", cwd=tmp_path), 0)
    assert outcome(tmp_path) == alone(tmp_path / "alone", *arguments)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--cluster", "remote:2"), "--cluster: expected local:N"),
        (("--cluster", "local:2", "--scheduler", "x"), "one of them is enough"),
        # It waits ten seconds for them.
        pytest.param(("--scheduler", "tcp://127.0.0.1:9"), "cannot reach tcp://127.0.0.1:9", marks=pytest.mark.slow),
        pytest.param(
            ("--scheduler-file", "nowhere.json"), "nowhere.json: cannot read: no such file", marks=pytest.mark.slow
        ),
    ],
)
def test_wrong_use_is_one_clear_line(tmp_path, arguments, problem):
    result = clean(run(*SEARCH, *arguments, cwd=tmp_path), 2)
    assert problem in result.stderr and len(result.stderr.splitlines()) == 1
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.slow
def test_a_search_that_is_shared_is_the_same_search(cluster, tmp_path):
    for _ in range(2):
        cluster.worker()
    finish(cluster.search(*SHARED))
    assert outcome(tmp_path) == alone(tmp_path / "alone", *SHARED)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_workers_that_are_killed_and_workers_that_join(cluster, tmp_path):
    arguments = (*SEARCH, "--tasks", "1500")
    first = cluster.worker()
    cluster.worker()
    process = cluster.search(*arguments)
    wait_for(lambda: (tmp_path / "run" / "state.json").exists() and sum(state(tmp_path)["scores"].values()) > 100)
    first.kill()
    cluster.worker()
    time.sleep(3)
    cluster.worker().kill()  # and one that dies as it comes
    finish(process, 300)
    assert outcome(tmp_path) == alone(tmp_path / "alone", *arguments)


@pytest.mark.slow
def test_a_scheduler_that_dies_loses_nothing_that_was_finished(cluster, tmp_path):
    arguments = (*SEARCH, "--tasks", "600")
    cluster.worker()
    process = cluster.search(*arguments)
    wait_for(lambda: (tmp_path / "run" / "state.json").exists() and sum(state(tmp_path)["scores"].values()) > 100)
    cluster.scheduler.kill()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and "Traceback" not in errors
    assert "the scheduler has gone" in errors
    assert 100 < sum(state(tmp_path)["scores"].values()) < 600
    clean(run("search", "--resume", "run", cwd=tmp_path), 0)
    assert outcome(tmp_path) == alone(tmp_path / "alone", *arguments)


@pytest.mark.slow
def test_ctrl_c_stops_the_workers_too(cluster, tmp_path):
    cluster.worker()
    process = cluster.search("search", "--game", "5D", "--level", "5", "--seed", "1")
    wait_for((tmp_path / "run" / "state.json").exists)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    # The worker is free again.
    second = subprocess.run(
        [*MORPION, *SEARCH, "--tasks", "5", "--scheduler-file", str(cluster.file), "--run-dir", "second", "--json"],
        cwd=tmp_path, capture_output=True, text=True, timeout=90,
    )  # fmt: skip
    assert json.loads(second.stdout)["tasks_done"] == 5


@pytest.mark.slow
def test_another_version_on_a_worker_is_refused(cluster, tmp_path):
    other = tmp_path / "other"
    code = "import morpion_cli; morpion_cli.__version__ = '0.0.9'"
    other.mkdir()
    (other / "sitecustomize.py").write_text(code)
    cluster.worker(environment={"PYTHONPATH": str(other)})
    process = cluster.search(*SEARCH, "--tasks", "5")
    _, errors = process.communicate(timeout=90)
    assert process.returncode == 2 and "another version of morpion: a worker has version 0.0.9" in errors


@pytest.mark.slow
def test_two_processes_are_nearly_as_fast_as_two_threads(cluster, tmp_path):
    """For tasks over 0.2 s: 0.9 and more, on two idle cores; once everything is compiled."""
    for _ in range(2):
        cluster.worker()
    given = ("search", "--game", "4D", "--level", "2", "--seed", "1", "--tasks", "200", "--json")
    here = json.loads(clean(run(*given, cwd=tmp_path), 0).stdout)
    finish(cluster.search(*given))  # compiles in the workers
    again = [*MORPION, *given, "--scheduler-file", str(cluster.file), "--run-dir", "again"]
    there = json.loads(subprocess.run(again, cwd=tmp_path, capture_output=True, text=True, timeout=200).stdout)
    assert here["elapsed_secs"] / there["elapsed_secs"] >= 0.9
