"""Runs that are stopped, killed and gone on with: real processes."""

import fcntl
import json
import os
import pty
import random
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_cli import MORPION, clean, run

# Tasks of a few hundredths of a second, with a checkpoint at every iteration.
SEARCH = ("search", "--game", "4D", "--algorithm", "nrpa", "--level", "3", "--set", "iterations=20", "--seed", "7")


def start(folder, *arguments, **options):
    return subprocess.Popen(
        [*MORPION, *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def state(folder):
    return json.loads((folder / "run" / "state.json").read_text())


def outcome(folder):
    """Return what must be the same whatever has happened on the way."""
    now = state(folder)
    best = {key: now["best"][key] for key in ("score", "id", "task")}
    return now["done"], now["scores"], best


def test_killed_before_the_search_has_begun_it_can_be_resumed(tmp_path):
    process = start(tmp_path, *SEARCH, "--tasks", "2", "--run-dir", "run")
    wait_for((tmp_path / "run" / "state.json").exists)
    process.kill()
    process.communicate()
    assert state(tmp_path)["playouts"] == 0
    clean(run("search", "--resume", "run", cwd=tmp_path), 0)
    assert state(tmp_path)["done"] == [[0, 1]]


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def wait_for_best(process):
    """Wait until a hunt announces its first grid, or has ended."""
    for line in process.stderr:
        if line.startswith("best"):
            return


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    clean(run(*SEARCH, "--tasks", "40", "--run-dir", "run", cwd=folder), 0)
    return outcome(folder)


def written_since(path, moment):
    return path.exists() and path.stat().st_mtime > moment


def kill_again_and_again(folder, moments, tasks):
    """Kill a run at random moments until it is done; return how often it was killed."""
    rng = random.Random(5)
    arguments = [*SEARCH, "--tasks", tasks, "--run-dir", "run"]
    killed = 0
    while True:
        process = start(folder, *arguments)
        if killed < moments:
            # At any moment: while it loads, searches, writes. How long it loads depends on the machine, so every
            # second one is killed after it has written.
            if killed % 2:
                begun = time.time()
                wait_for(lambda since=begun: written_since(folder / "run" / "state.json", since))
                time.sleep(rng.uniform(0.0, 0.5))
            else:
                time.sleep(rng.uniform(0.3, 1.6))
            process.kill()
        _, errors = process.communicate(timeout=600)
        assert "Traceback" not in errors
        for grid in (folder / "grids").glob("*"):
            assert not grid.name.endswith(".json") or json.loads(grid.read_text())["score"] > 0
        if (folder / "run" / "state.json").exists():
            arguments = ["search", "--resume", "run"]
            best = state(folder)["best"]
            if best is not None:
                announced = json.loads(Path(best["path"]).read_text())
                assert announced["score"] == best["score"] == len(announced["moves"])
        if process.returncode == 0:
            return killed
        assert process.returncode == -signal.SIGKILL
        killed += 1
        if not (folder / "run" / "state.json").exists():
            arguments = [*SEARCH, "--tasks", tasks, "--run-dir", "run"]


def test_a_run_that_is_killed_goes_on_to_the_same_end(tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    clean(run(*SEARCH, "--tasks", "120", "--run-dir", "run", cwd=whole), 0)
    assert kill_again_and_again(tmp_path, 3, "120") == 3
    assert outcome(tmp_path) == outcome(whole)
    clean(run("verify", *(tmp_path / "grids").glob("*.json")), 0)
    kinds = [json.loads(line)["event"] for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()]
    assert kinds[0] == "started" and "resumed" in kinds and kinds[-1] == "stopped"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_kills(tmp_path):
    process = start(tmp_path, *SEARCH, "--tasks", "6000", "--run-dir", "run")
    process.communicate(timeout=600)
    expected = outcome(tmp_path)
    folder = tmp_path / "killed"
    folder.mkdir()
    assert kill_again_and_again(folder, 200, "6000") == 200
    assert outcome(folder) == expected


@pytest.mark.slow
def test_a_long_task_goes_on_from_its_last_step(tmp_path):
    given = ("search", "--game", "5D", "--level", "3", "--seed", "3", "--tasks", "1", "--workers", "1")
    process = start(tmp_path, *given, "--run-dir", "run")
    kept = tmp_path / "run" / "tasks" / "0.npz"
    wait_for(kept.exists)
    process.kill()
    process.communicate()
    first = int(np.load(kept)["step"])
    process = start(tmp_path, "search", "--resume", "run", "--json")
    wait_for(lambda: int(np.load(kept)["step"]) > first)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 143 and json.loads(output)["tasks_done"] == 0
    assert int(np.load(kept)["step"]) > first >= 1


def test_the_second_hunt_in_a_folder_is_told_who_is_there(tmp_path):
    process = start(tmp_path, *SEARCH, "--run-dir", "run")
    wait_for((tmp_path / "run" / "config.yaml").exists)
    for again in (("--run-dir", "run"), ("--resume", "run")):
        if again[0] == "--resume":
            wait_for((tmp_path / "run" / "state.json").exists)
        given = SEARCH if again[0] == "--run-dir" else ("search",)
        result = clean(run(*given, *again, cwd=tmp_path), 2)
        assert f"another hunt runs in this folder: process {process.pid} on" in result.stderr
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    result = clean(run(*SEARCH, "--run-dir", "run", cwd=tmp_path), 2)
    assert "there is a run in this folder already; go on with it by --resume" in result.stderr


def test_the_file_stop_ends_a_run(tmp_path):
    process = start(tmp_path, *SEARCH, "--run-dir", "run", "--json")
    wait_for((tmp_path / "run" / "state.json").exists)
    (tmp_path / "run" / "stop").touch()
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 0 and json.loads(output)["stopped_by"] == "the file stop"


def test_a_budget_may_be_given_anew_and_nothing_else(tmp_path, undisturbed):
    clean(run(*SEARCH, "--tasks", "10", "--run-dir", "run", cwd=tmp_path), 0)
    for wrong in (("--level", "2"), ("--seed", "8"), ("--set", "alpha=2"), ("--game", "5D")):
        result = clean(run("search", "--resume", "run", *wrong, cwd=tmp_path), 2)
        assert f"{wrong[0]} cannot be given with it" in result.stderr
    clean(run("search", "--resume", "run", "--tasks", "40", "--workers", "1", cwd=tmp_path), 0)
    assert outcome(tmp_path) == undisturbed


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("state.json", "{", "not the state of a run"),
        ("state.json", '{"done": [[0, 1]]}', "has changed since"),
        ("config.yaml", "game: 9D", "no game '9D'"),
        ("config.yaml", "game: 4D\nalgorithm: {name: nrpa, level: 2}\nseed: 7", "has changed since"),
    ],
)
def test_damaged_runs_are_one_clear_line(tmp_path, file, content, problem):
    clean(run(*SEARCH, "--tasks", "1", "--run-dir", "run", cwd=tmp_path), 0)
    (tmp_path / "run" / file).write_text(content)
    result = clean(run("search", "--resume", "run", cwd=tmp_path), 2)
    assert problem in result.stderr and len(result.stderr.splitlines()) == 1
    assert "no such" in clean(run("search", "--resume", "nowhere", cwd=tmp_path), 2).stderr


def test_damaged_checkpoints_are_begun_anew(tmp_path, undisturbed):
    clean(run(*SEARCH, "--tasks", "10", "--run-dir", "run", cwd=tmp_path), 0)
    (tmp_path / "run" / "tasks" / "10.npz").write_bytes(b"PK\x03\x04 not a checkpoint")
    (tmp_path / "run" / "tasks" / "11.npz").write_bytes(b"")
    clean(run("search", "--resume", "run", "--tasks", "40", cwd=tmp_path), 0)
    assert outcome(tmp_path) == undisturbed


def test_what_long_runs_need(tmp_path):
    given = (*SEARCH, "--tasks", "40", "--run-dir", "run", "--keep-all", "30", "--log", "log.jsonl", "--nice", "5")
    note = tmp_path / "note"
    note.write_text('#!/bin/sh\necho "$1" >> seen\n')
    note.chmod(0o755)
    command = f"{note} {{}}"
    clean(run(*given, "--on-record", command, cwd=tmp_path), 0)
    scores = {int(score): count for score, count in state(tmp_path)["scores"].items()}
    kept = [path for path in (tmp_path / "grids").glob("*.json") if int(path.name.split("-")[1]) >= 30]
    assert 1 <= len(kept) <= sum(count for score, count in scores.items() if score >= 30)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen[-1] == state(tmp_path)["best"]["path"] and len(seen) == len(set(seen))
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[0]["event"] == "improved" and lines[-1]["event"] == "stopped by tasks"
    assert lines[-1]["tasks_done"] == 40


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--on-record", "'"), "--on-record: No closing quotation"),
        (("--on-record", ""), "--on-record: expected a command"),
        (("--max-memory", "lots"), "--max-memory: expected a size"),
        (("--log", "/proc/no/log"), "--log: /proc/no/log: cannot write"),
        (("--keep-all", "x"), "--keep-all: expected a whole number"),
        (("--run-dir", "/proc/no"), "/proc/no: cannot write"),
    ],
)
def test_wrong_use_leaves_no_run_behind(tmp_path, arguments, problem):
    result = clean(run(*SEARCH, *arguments, cwd=tmp_path), 2)
    assert problem in result.stderr and len(result.stderr.splitlines()) == 1
    assert not list((tmp_path / "runs").glob("*"))


def test_a_command_that_is_none_is_said_once_and_the_hunt_goes_on(tmp_path):
    result = clean(run(*SEARCH, "--tasks", "5", "--on-record", "no-such-program {}", cwd=tmp_path), 0)
    assert result.stderr.count("cannot run no-such-program") == 1


def test_a_memory_limit_stops_a_hunt(tmp_path):
    given = ("search", "--game", "4D", "--algorithm", "uct", "--set", "task_playouts=1e9", "--set", "max_nodes=1e7")
    result = clean(run(*given, "--max-memory", "100M", "--time", "60s", "--json", cwd=tmp_path), 0)
    assert json.loads(result.stdout)["stopped_by"] == "max-memory"


def test_a_full_disk_ends_with_one_line_and_nothing_half_written(tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    result = run(*SEARCH, "--tasks", "3", cwd=tmp_path, preexec_fn=limit)
    assert result.returncode == 2 and "Traceback" not in result.stderr
    assert "file too large" in result.stderr
    assert not list(tmp_path.glob("grids/*.json")) and not list(tmp_path.glob("grids/.*"))


def test_folders_that_are_removed_meanwhile_are_made_again(tmp_path):
    process = start(tmp_path, *SEARCH, "--run-dir", "run", "--time", "6s", "--json")
    wait_for((tmp_path / "run" / "state.json").exists)
    for path in sorted([*tmp_path.rglob("*")], reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and "Traceback" not in errors
    assert json.loads(output)["stopped_by"] == "time" and state(tmp_path)["phase"] == "done"


def test_closed_standard_streams(tmp_path):
    clean(run(*SEARCH, "--tasks", "2", "--run-dir", "a", cwd=tmp_path), 0)
    for closing in ("<&-", "2>&-"):
        command = f"exec {MORPION[0]} -c '{MORPION[2]}' {' '.join(SEARCH)} --tasks 2 {closing}"
        result = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0 and "Traceback" not in result.stderr and "best" in result.stdout
    command = f"exec {MORPION[0]} -c '{MORPION[2]}' {' '.join(SEARCH)} --tasks 2 | true"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in result.stderr


def test_a_background_job_that_ignores_sigint_is_stopped_all_the_same(tmp_path):
    process = start(tmp_path, *SEARCH, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    wait_for_best(process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130


JUMPING_CLOCK = """
import datetime, itertools, time
real = time.time
calls = itertools.count(1)
time.time = lambda: real() + 90_000 * (call := next(calls)) * (-1) ** call
class Jumping(datetime.datetime):
    @classmethod
    def now(cls, zone=None):
        return cls.fromtimestamp(time.time(), zone)
datetime.datetime = Jumping
from morpion_cli.cli import main
main()
"""


def test_a_clock_that_jumps_changes_nothing(tmp_path, undisturbed):
    given = (*SEARCH, "--tasks", "40", "--time", "1h", "--run-dir", "run", "--json")
    command = [MORPION[0], "-c", JUMPING_CLOCK, *given]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert json.loads(clean(result, 0).stdout)["stopped_by"] == "tasks"
    assert json.loads(result.stdout)["elapsed_secs"] < 60
    assert outcome(tmp_path) == undisturbed
    stamps = {json.loads(line)["at"][:10] for line in (tmp_path / "run" / "events.jsonl").read_text().splitlines()}
    assert len(stamps) > 1  # it did jump


def test_a_terminal_that_is_resized(tmp_path):
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        # Its own environment: others than Python set COLUMNS, and then it does not ask the terminal.
        environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
        environment["TERM"] = "xterm-256color"
        os.execve(MORPION[0], [*MORPION, "search", "--game", "5D", "--level", "1", "--seed", "7"], environment)
    for rows, columns in ((50, 120), (12, 40), (4, 20), (50, 100)):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(child, signal.SIGWINCH)
        shown, until = "", time.monotonic() + 20
        # A frame as wide as the terminal now is.
        while not any(
            len(line) == columns for line in re.findall("╭[^\r\n╮]*╮", re.sub(r"\x1b\[[0-9;?]*\w", "", shown))
        ):
            assert time.monotonic() < until, (columns, shown[-500:])
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
    os.kill(child, signal.SIGINT)
    shown = ""
    with suppress(OSError):  # a terminal whose other end is closed
        while part := os.read(terminal, 65536).decode(errors="replace"):
            shown += part
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    assert "Traceback" not in shown and "best" in shown


def test_a_second_signal_ends_it_at_once(tmp_path):
    process = start(tmp_path, *SEARCH)
    wait_for_best(process)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130 and time.monotonic() - begun < 2


def test_runs_lists_what_there_is(tmp_path):
    clean(run(*SEARCH, "--tasks", "3", cwd=tmp_path), 0)
    process = start(tmp_path, *SEARCH)
    wait_for(lambda: len(list(tmp_path.glob("runs/*/state.json"))) == 2)
    shown = clean(run("runs", cwd=tmp_path), 0).stdout
    rows = json.loads(clean(run("runs", "--json", cwd=tmp_path), 0).stdout)
    (ended,) = (row for row in rows if row["state"] == "stopped by tasks")
    assert json.loads(clean(run("runs", ended["run"], "--json", cwd=tmp_path), 0).stdout) == [ended]
    assert sorted(row["state"] for row in rows) == ["running", "stopped by tasks"]
    assert "running" in shown and "stopped by tasks" in shown and shown.count("nrpa L3") == 2
    watched = clean(run("watch", *(tmp_path / "runs").glob("*"), "--once", cwd=tmp_path), 0).stdout
    assert "nrpa L3" in watched and "running" in watched
    process.kill()
    process.communicate()
    rows = json.loads(clean(run("runs", "--json", cwd=tmp_path), 0).stdout)
    assert sorted(row["state"] for row in rows) == ["killed", "stopped by tasks"]
    assert clean(run("runs", "nowhere", cwd=tmp_path), 2).stderr.count("\n") == 1


def test_shares_that_are_merged_are_the_whole(tmp_path, undisturbed):
    for share in (1, 2, 3):
        clean(run(*SEARCH, "--tasks", "40", "--shard", f"{share}/3", "--run-dir", f"s{share}", cwd=tmp_path), 0)
    merged = clean(run("merge", "s1", "s2", "s3", "-o", "run", cwd=tmp_path), 0)
    assert "40 tasks" in merged.stdout
    assert outcome(tmp_path) == undisturbed
    clean(run("search", "--resume", "run", "--tasks", "45", cwd=tmp_path), 0)
    assert outcome(tmp_path)[0] == [[0, 44]]
    for wrong, problem in (
        (("s1", "s1", "-o", "x"), "is in an earlier one too"),
        (("s1", "s2", "-o", "run"), "there is a run in this folder already"),
        (("s1", "nowhere", "-o", "x"), "cannot read"),
    ):
        assert problem in clean(run("merge", *wrong, cwd=tmp_path), 2).stderr
    for wrong in ("0/3", "4/3", "x"):
        assert "--shard: expected I/N" in clean(run(*SEARCH, "--shard", wrong, cwd=tmp_path), 2).stderr
    assert not (tmp_path / "x").exists()
