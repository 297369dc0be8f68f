"""The command line as a user has it: real processes."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson
import pytest

from tests.conftest import RECORDS, ROOT

MORPION = [sys.executable, "-c", "from morpion_cli.cli import main; main()"]


SCRATCH = tempfile.mkdtemp(prefix="morpion-test-")  # where hunts leave their runs


def run(*arguments, **options):
    return subprocess.run(
        [*MORPION, *map(str, arguments)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        **{"cwd": SCRATCH, "timeout": 120, **options},
    )


def clean(result, code):
    """Check the exit code, and that there is no traceback."""
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    return result


def test_help_has_an_example_for_each_command():
    text = clean(run("--help"), 0).stdout
    listed = (
        "search runs watch merge improve verify render replay convert board games algorithms experiment compare bench"
    )
    for command in listed.split():
        assert command in text
        assert f"Example: morpion {command}" in " ".join(clean(run(command, "--help"), 0).stdout.split())
    assert clean(run("--version"), 0).stdout.startswith("morpion 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["search", "--help"],
        ["verify", RECORDS[0]],
        ["verify", "--json", RECORDS[0]],
        ["render", RECORDS[0]],
    ],
    ids=lambda value: " ".join(str(v) for v in value[:1]),
)
def test_light_commands_import_neither_numpy_nor_numba(arguments):
    code = (
        "import sys, atexit\n"
        "heavy = lambda: [name for name in ('numpy', 'numba') if name in sys.modules]\n"
        "atexit.register(lambda: print('HEAVY', heavy(), file=sys.stderr))\n"
        "from morpion_cli.cli import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0
    assert "HEAVY []" in result.stderr


def test_verify_says_what_is_there(tmp_path):
    result = clean(run("verify", *RECORDS), 0)
    assert "5D-rosin82.json: 5D 82 moves, legal, finished, id 22d7d0ad1060" in result.stdout
    assert len(result.stdout.splitlines()) == len(RECORDS)

    document = json.loads(RECORDS[0].read_text())
    document["moves"][3]["x"] += 1
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(document))
    result = clean(run("verify", bad), 1)
    assert "ILLEGAL: move 4 (" in result.stdout

    document = json.loads(RECORDS[0].read_text()) | {"score": 99, "terminal": False}
    bad.write_text(json.dumps(document))
    result = clean(run("verify", bad), 1)
    assert "BUT score: the file says 99, but it is 31; terminal: the file says false, but it is true" in result.stdout
    (row,) = json.loads(clean(run("verify", "--json", bad), 1).stdout)
    assert set(row) >= {"file", "legal", "game", "variant", "score", "terminal", "id", "error"}
    assert row["legal"] is True and row["score"] == 31

    result = clean(run("verify", RECORDS[0], tmp_path / "missing.json"), 2)
    assert "missing.json: cannot read: no such file" in result.stderr


def test_render(tmp_path):
    drawing = clean(run("render", RECORDS[4]), 0).stdout
    assert drawing.startswith("Morpion Solitaire 5D 82 moves\n") and "\x1b" not in drawing
    svg = tmp_path / "grid.svg"
    clean(run("render", RECORDS[4], "-o", svg), 0)
    assert svg.read_text().startswith("<svg")
    text = tmp_path / "grid.txt"
    clean(run("render", RECORDS[4], "-o", text, "--step", 10), 0)
    assert text.read_text().startswith("Morpion Solitaire 5D 82 moves, after move 10\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "--level", "0"], "--level: must be at least 1, got '0'"),
        (["search", "--beam", "1,x"], "--beam: expected a whole number"),
        (["search", "--time", "-3"], "--time: expected a duration"),
        (["search", "--game", "chess"], "--game: no game 'chess'"),
        (["search", "--set", "level=1", "--set", "level=2"], "--set level: given twice"),
        (["search", "--set", "memory"], "--set: expected KEY=VALUE, got 'memory'"),
        (["search", "--no-such-option"], "No such option: --no-such-option"),
        (["search", "missing.yaml"], "missing.yaml: cannot read: no such file"),
        (
            ["search", "--level", "1", "--tasks", "1", "--out", "/proc/grids"],
            "/proc/grids: cannot write",
        ),
        (
            ["render", RECORDS[0], "-o", "grid.bmp"],
            "--out: expected a name that ends in svg, png, pdf, gif, webp, html or txt, got 'grid.bmp'",
        ),
        (["render", RECORDS[0], "--step", "99"], "--step: expected a number from 0 to 31, got 99"),
        (["render", RECORDS[0], "-o", "/proc/x.svg"], "/proc/x.svg: cannot write"),
        (["render", "/"], "/: is a folder, expected a file"),
        (["render", "/dev/zero"], "/dev/zero: is not a regular file"),
        (["verify"], "Missing argument 'FILE...'"),
        (["bench", "--seconds", "nan"], "--seconds: expected a number of seconds, got nan"),
        (["algorithms", "nmc"], "no algorithm 'nmc'; did you mean nmcs?"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
    ids=lambda value: " ".join(str(v) for v in value)[:40] if isinstance(value, list) else "",
)
def test_bad_input_is_one_clear_line(arguments, message, tmp_path):
    begun = time.perf_counter()
    result = clean(run(*arguments, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}), 2)
    assert time.perf_counter() - begun < 3
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", [["verify", RECORDS[0]], ["render", RECORDS[4]], ["games"], ["algorithms"], ["--help"]]
)
def test_output_that_cannot_be_written_is_one_clear_line(command):
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*MORPION, *map(str, command)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20
        )
    assert result.returncode == 2
    assert result.stderr == "morpion: cannot write the output: no space left on device\n"
    closed = subprocess.run(
        ["bash", "-c", 'exec "$@" >&-', "bash", *MORPION, *map(str, command)],
        stderr=subprocess.PIPE,
        text=True,
        timeout=20,
    )
    assert closed.returncode == 2
    assert "Traceback" not in closed.stderr and len(closed.stderr.splitlines()) == 1


def test_output_without_box_drawing_characters():
    result = clean(run("render", RECORDS[4], env={**os.environ, "PYTHONIOENCODING": "ascii:strict"}), 0)
    assert "82" in result.stdout and "?" in result.stdout


BAD_FILES = {
    "truncated": RECORDS[0].read_bytes()[:500],
    "another shape": b'{"a": [1, 2]}',
    "far away": orjson.dumps({"variant": "5D", "moves": [{"x": 10**9, "y": 0, "dir": "H", "pos": 0}]}),
    "deep": b"[" * 100_000,
    "not a number": b'{"variant": "5D", "moves": [{"x": NaN}]}',
    "binary": bytes(range(256)) * 100,
    "empty": b"",
}


@pytest.mark.parametrize("command", ["verify", "render"])
@pytest.mark.parametrize("name", [*BAD_FILES, "one gigabyte"])
def test_bad_files_are_one_clear_line(name, command, tmp_path):
    file = tmp_path / "grid.json"
    if name in BAD_FILES:
        file.write_bytes(BAD_FILES[name])
    else:
        with file.open("wb") as sparse:
            sparse.truncate(1 << 30)
    limit = f'ulimit -v {600 << 10}; exec "$@"'  # kilobytes of address space, not of memory used
    result = subprocess.run(
        ["bash", "-c", limit, "bash", *MORPION, command, str(file)], capture_output=True, text=True, timeout=20
    )
    clean(result, 2)
    assert result.stderr.startswith(f"morpion: {file}: ")
    assert len(result.stderr.splitlines()) == 1


def test_search_prints_json_and_nothing_else_on_stdout(tmp_path):
    result = clean(run("search", "--level", 1, "--tasks", 20, "--seed", 3, "--out", tmp_path, "--json"), 0)
    found = json.loads(result.stdout)
    assert list(found) == [
        "game", "score", "path", "id", "tasks_done", "playouts", "elapsed_secs", "seed", "stopped_by", "mean_score",
        "run",
    ]  # fmt: skip
    assert (found["game"], found["tasks_done"], found["seed"], found["stopped_by"]) == ("5D", 20, 3, "tasks")
    assert "best: 5D" in result.stderr and "\x1b" not in result.stderr
    clean(run("verify", found["path"]), 0)

    again = run("search", "--level", 1, "--tasks", 20, "--seed", 3, "--out", tmp_path, "--json", "--workers", 1, "-q")
    assert again.stderr == ""
    same = json.loads(again.stdout)
    assert (same["path"], same["mean_score"], same["playouts"]) == (
        found["path"],
        found["mean_score"],
        found["playouts"],
    )


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=lambda v: str(int(v))
)
def test_signals_end_a_hunt_within_a_second_with_the_best_saved(number, code, tmp_path):
    process = subprocess.Popen(
        [*MORPION, "search", "--level", "4", "--out", str(tmp_path), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if line.startswith("best: "):
            break
    process.send_signal(number)
    begun = time.perf_counter()
    stdout, stderr = process.communicate(timeout=20)
    assert time.perf_counter() - begun < 1.2
    assert process.returncode == code
    assert "Traceback" not in stderr
    found = json.loads(stdout)
    assert found["stopped_by"] == signal.Signals(number).name.lower()
    clean(run("verify", found["path"]), 0)


def test_a_signal_while_compiling_ends_it_too(tmp_path):
    process = subprocess.Popen(
        [*MORPION, "search", "--level", "1", "--out", str(tmp_path / "grids")],
        env={**os.environ, "MORPION_CACHE_DIR": str(tmp_path / "cache")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    begun = time.perf_counter()
    stdout, stderr = process.communicate(timeout=20)
    assert time.perf_counter() - begun < 1.2
    assert process.returncode == 130
    assert "none yet" in stdout and "Traceback" not in stderr


def test_a_killed_hunt_leaves_whole_grids(tmp_path):
    process = subprocess.Popen(
        [*MORPION, "search", "--level", "2", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    announced = []
    for line in process.stderr:
        if line.startswith("best: "):
            announced.append(Path(line.strip().split(", ")[-1]))
        if len(announced) == 3:
            break
    process.kill()
    process.communicate()
    clean(run("verify", *announced), 0)


def test_a_disk_that_fills_up_is_said_and_what_was_saved_is_reported(tmp_path):
    # Writing a grid of 60 moves and more fails as on a full disk; smaller ones fit.
    out = tmp_path / "grids"
    code = (
        "import morpion_cli.hunt.store as store\n"
        "from morpion_cli.errors import UserError\n"
        "write = store.write_atomic\n"
        "def fail_above_60(path, data):\n"
        "    if path.name > '5D-60':\n"
        "        raise UserError(f'{path}: cannot write: no space left on device')\n"
        "    write(path, data)\n"
        "store.write_atomic = fail_above_60\n"
        "from morpion_cli.cli import main; main()"
    )
    arguments = ["search", "--algorithm", "sampling", "--set", "task_playouts=2", "--tasks", "20000", "--seed", "1"]
    result = clean(
        subprocess.run(
            [sys.executable, "-c", code, *arguments, "--out", str(out), "--json"], capture_output=True, text=True
        ),
        2,
    )
    found = json.loads(result.stdout)
    assert "cannot write: no space left on device" in result.stderr.splitlines()[-1]
    assert found["path"] is None or Path(found["path"]).exists()
    assert found["playouts"] == 40_000


def test_games_and_algorithms():
    assert [game["name"] for game in json.loads(run("games", "--json").stdout)][:4] == ["5T", "5D", "4T", "4D"]
    rows = json.loads(run("algorithms", "--json").stdout)
    for row in rows:
        text = clean(run("algorithms", row["name"]), 0).stdout
        for option in row["options"]:
            assert option["name"] in text and option["meaning"] and option["source"]


def test_bench():
    found = json.loads(clean(run("bench", "--seconds", 0.05, "--game", "4D", "--json"), 0).stdout)
    (row,) = found["playouts"]
    assert set(row) == {"game", "playouts_per_sec", "ns_per_move", "mean_length"}
    assert row["game"] == "4D" and 23 < row["mean_length"] < 25
    assert [(row["game"], row["level"]) for row in found["nmcs"]] == [("4D", 1), ("4D", 2)]
    assert set(found["nmcs"][0]) == {"game", "level", "secs", "mean_score", "runs"}
    parallel = {row["search"]: row["speedup"] for row in found["searches"]}
    assert len(parallel) == 6 and parallel["uct"] is None and parallel["nrpa"] is None
    assert all(speedup > 0 for name, speedup in parallel.items() if "parallel" in name)
    assert len(found["figures"]) == 9 and min(found["figures"].values()) > 0


@pytest.mark.slow
def test_a_slower_figure_is_seen(tmp_path):
    figures = {"4D: random games": 1e12, "4D: nmcs level 1": 1e-6, "5D: random games": 1.0}
    (tmp_path / "earlier.json").write_text(json.dumps({"figures": figures, "machine": "another", "seconds": 0.05}))
    given = ("bench", "--seconds", 0.05, "--game", "4D", "--against", tmp_path / "earlier.json")
    result = clean(run(*given), 1)
    verdicts = [line.split()[-1] for line in result.stdout.splitlines() if line.startswith("4D: ")]
    assert verdicts == ["slower", "faster"] and "made on another machine, another" in result.stderr
    figures = {"5D: random games": 1.0}
    (tmp_path / "earlier.json").write_text(json.dumps({"figures": figures, "machine": "another", "seconds": 0.05}))
    assert "has none of these figures; it has 5D: random games" in clean(run(*given), 2).stderr


@pytest.mark.parametrize(
    ("earlier", "problem"),
    [
        ('{"figures": {}}', "expected what 'morpion bench --json' has printed"),
        (
            '{"figures": {"4D: random games": 1}, "machine": "", "seconds": 2}',
            "was made with --seconds 2; give the same",
        ),
    ],
)
def test_a_bench_that_cannot_be_compared_with(tmp_path, earlier, problem):
    (tmp_path / "earlier.json").write_text(earlier)
    assert problem in clean(run("bench", "--game", "4D", "--against", tmp_path / "earlier.json"), 2).stderr


def test_readme_commands_exist():
    readme = (ROOT / "README.md").read_text()
    assert "make hunt" in readme and "make test" in readme and "pip install ." in readme


def test_a_policy_goes_from_nrpa_to_puct(tmp_path):
    policy = tmp_path / "policy.json"
    common = ("--game", "4D", "--tasks", "2", "--seed", "1", "--out", tmp_path)
    learned = run("search", *common, "--algorithm", "nrpa", "--level", "2", "--policy-out", policy)
    assert learned.returncode == 0 and f"policy    {policy}, learned by task" in learned.stdout
    puct = ("--algorithm", "uct", "--set", "bandit=puct", "--set", "task_playouts=500", "--policy-in", policy)
    assert run("search", *common, *puct).returncode == 0
    other = run("search", "--game", "4T", "--tasks", "1", "--out", tmp_path, *puct)
    assert other.returncode == 2 and other.stderr.splitlines()[-1].endswith("game: expected '4T', got '4D'")
    refused = run("search", *common, "--policy-out", policy)
    assert refused.returncode == 2 and "--policy-out: mcbs learns no policy (known to learn: nrpa)" in refused.stderr
    nowhere = tmp_path / "nowhere" / "policy.json"
    early = run("search", *common, "--algorithm", "nrpa", "--level", "2", "--policy-out", nowhere)
    assert early.returncode == 2 and "cannot write" in early.stderr and "compiling" not in early.stderr


def test_completion_knows_the_commands():
    words = {"_MORPION_COMPLETE": "complete_bash", "COMP_WORDS": "morpion ver", "COMP_CWORD": "1"}
    command = Path(sys.executable).with_name("morpion")  # as a shell calls it
    result = subprocess.run([command], env={**os.environ, **words}, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, ["verify"], "")


def test_bench_quick_is_for_scaling():
    result = run("bench", "--quick")
    assert result.returncode == 2 and result.stderr.startswith("morpion: --quick: only with --scaling")


def test_boards_go_from_board_to_search_to_verify_and_render(tmp_path):
    boards, out = tmp_path / "boards.txt", tmp_path / "out"
    clean(run("board", "samegame", "--size", "15x15", "--colors", "5", "--seed", "7", "--count", "3", "-o", boards), 0)
    assert boards.read_text().count("\n\n") == 2
    found = run(
        *("search", "--game", "samegame", "--board", boards, "--number", "2", "--leftover", "penalty", "--level", "1"),
        *("--set", "rollout=tabu-color", "--tasks", "2", "--seed", "1", "--out", out, "--json"),
    )
    result = json.loads(clean(found, 0).stdout)
    assert result["game"] == "samegame"
    text = clean(run("verify", result["path"]), 0).stdout
    assert f"samegame {result['score']:,} points, legal, finished" in text
    drawing = clean(run("render", result["path"], "--step", "1"), 0).stdout
    assert "after 1 of" in drawing and "[" in drawing
    clean(run("render", result["path"], "-o", tmp_path / "b.svg"), 0)
    assert (tmp_path / "b.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("board", "samegame", "--size", "1000000x1000000"), "--size: expected columns x rows such as 15x15"),
        (("board", "5D"), "5D has no boards"),
        (("board", "sudoku", "--empty", "101%"), "--empty: expected from 0 to 100, got 101"),
        (("search", "--game", "samegame", "--board", "{bad}"), "a clue"),
        (("search", "--game", "sudoku", "--board", "{clash}"), "the clue 1 is also in row 1, column 4"),
        (("search", "--game", "samegame", "--board", "{ragged}"), "row 2: expected 3 tiles, got 2"),
        (("search", "--game", "5D", "--board", "x"), "--board: unknown key"),
        (("search", "--game", "5D", "--set", "rollout=tabu-color"), "5D knows uniform and mobility, not tabu-color"),
    ],
)
def test_bad_boards_are_one_clear_line(tmp_path, arguments, problem):
    files = {"bad": "01\n0x\n", "clash": "1..1\n....\n....\n....\n", "ragged": "012\n01\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    if "{bad}" in arguments:
        problem = "expected colours 0 to e, or '.', got 'x'"
    paths = {name: tmp_path / name for name in files}
    result = clean(run(*(argument.format(**paths) for argument in arguments)), 2)
    assert len(result.stderr.splitlines()) == 1 and problem in result.stderr
