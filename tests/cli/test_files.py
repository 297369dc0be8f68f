"""Commands about files of grids, as a user has them: real processes."""

import json
import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.test_cli import MORPION, clean, run
from tests.conftest import ROOT

ROSIN = ROOT / "grids" / "records" / "5D-rosin82.json"
OPTIMUM = ROOT / "grids" / "records" / "4D-hyyroporanen35.json"


def test_convert_there_and_back(tmp_path):
    known = clean(run("verify", ROSIN), 0).stdout.split(": ", 1)[1]
    for name in ("msr", "ms1", "pentasol", "pentasol-io", "pymorpion", "svg", "png", "html"):
        out = tmp_path / f"grid.{name}"
        result = clean(run("convert", ROSIN, "--to", name, "-o", out), 0)
        assert ("no place for" in result.stderr) == (name in ("pentasol", "pentasol-io", "pymorpion"))
        checked = clean(run("verify", out), 0)
        assert checked.stdout.split(": ", 1)[1] == known
        assert ("read as 5D" in checked.stderr) == name.startswith("pentasol")
    back = clean(run("convert", tmp_path / "grid.png", "--to", "msr"), 0).stdout
    assert json.loads(back)["moves"] == json.loads(ROSIN.read_text())["moves"]
    assert json.loads(back)["author"] == "Christopher D. Rosin"


def test_standard_input_and_output():
    line = clean(run("convert", ROSIN, "--to", "ms1"), 0).stdout
    assert line.startswith("MS1:") and line.count("\n") == 1
    piped = subprocess.run([*MORPION, "verify", "-"], input=line, capture_output=True, text=True)
    assert piped.returncode == 0 and piped.stdout.startswith("-: 5D 82 moves")
    drawn = subprocess.run([*MORPION, "render", "-", "--width", "40"], input=line, capture_output=True, text=True)
    assert drawn.stdout.count("○") == 82


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("convert", ROSIN, "--to", "doc"), 2, "--to: expected msr"),
        (("convert", "{illegal}", "--to", "svg"), 1, "not converted, it is illegal: move 1"),
        (("convert", OPTIMUM, "--to", "pentasol"), 2, "not of 4D"),
        (("render", ROSIN, "-o", "x.bmp"), 2, "--out: expected a name that ends in"),
        (("render", ROSIN, "--theme", "pink"), 2, "--theme: expected light or dark"),
        (("render", ROSIN, "--width", "0"), 2, "--width: expected a number from 1"),
        (("render", ROSIN, "-o", "x.png", "--step", "83"), 2, "--step: expected a number from 0 to 82"),
        (("verify", ROSIN, "--variant", "6D"), 2, "--variant: expected 5T"),
        (("verify", ROSIN, "--variant", "5T"), 2, "the file says 5D, not 5T"),
        (("replay", ROSIN), 2, "replay needs a terminal"),
        (("grids", "{nowhere}"), 2, "no such folder"),
        (("grids", "{folder}", "--sort", "colour"), 2, "--sort: expected score"),
        (("grids", "diff", ROSIN, OPTIMUM), 2, "these are 5D and 4D"),
        (("improve", "{illegal}"), 1, "not improved, it is illegal"),
        (("improve", ROSIN, "--max-memory", "much"), 2, "--max-memory: expected a size"),
        (("improve", ROSIN, "--time", "soon"), 2, "--time: expected a duration"),
        (("search", "--from", "{illegal}"), 2, "--from: {illegal}: illegal: move 1"),
        (("search", "--from", ROSIN, "--keep", "82"), 2, "nothing is left to play"),
        (("search", "--from", ROSIN, "--keep", "83"), 2, "fewer than the 83"),
        (("search", "--from", ROSIN, "--game", "4D"), 2, "another game or board than the 4D"),
        (("search", "--keep", "3"), 2, "no grid is given"),
    ],
)
def test_wrong_use_is_one_clear_line(tmp_path, arguments, code, problem):
    document = json.loads(ROSIN.read_text())
    illegal = tmp_path / "illegal.json"
    illegal.write_text(json.dumps(document | {"moves": document["moves"][::-1]}))
    paths = {"illegal": illegal, "nowhere": tmp_path / "nowhere", "folder": tmp_path}
    result = clean(run(*(str(argument).format(**paths) for argument in arguments), cwd=tmp_path), code)
    assert len(result.stderr.splitlines()) == 1 and problem.format(**paths) in result.stderr
    assert result.stdout == "" and [path.name for path in tmp_path.iterdir()] == ["illegal.json"]


def test_a_missing_extra_is_named(tmp_path):
    code = "import sys; sys.modules['resvg_py'] = None; from morpion_cli.cli import main; main()"
    command = [MORPION[0], "-c", code, "render", str(ROSIN), "-o", str(tmp_path / "x.png")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 2 and "pip install 'morpion-cli[png]'" in result.stderr


def test_the_collection(tmp_path):
    (tmp_path / "a.json").write_bytes(ROSIN.read_bytes())
    clean(run("convert", ROSIN, "--to", "pentasol", "-o", tmp_path / "b.psol"), 0)
    (tmp_path / "c.json").write_text("{")
    listed = clean(run("grids", tmp_path), 0).stdout
    row = next(line for line in listed.splitlines() if "82" in line)
    assert re.search(r"5D +82 +2 +58bd2bc47fb0", row) and "equals Christopher D. Rosin 82 up to symmetry" in row
    assert "1 with something wrong:" in listed and "c.json: damaged: not a JSON grid" in listed
    assert "82" not in clean(run("grids", tmp_path, "--min", "83"), 0).stdout
    rows = json.loads(clean(run("grids", "list", tmp_path, "--json"), 0).stdout)
    assert {row["state"] for row in rows} == {"legal", "damaged"} and len(rows) == 3
    dry = clean(run("grids", "dedupe", tmp_path), 0)
    assert "is the same as" in dry.stdout and (tmp_path / "b.psol").exists()
    clean(run("grids", "dedupe", tmp_path, "--delete"), 0)
    assert sorted(path.name for path in tmp_path.glob("?.*")) == ["a.json", "c.json"]


def test_diff_shows_both():
    folder = ROOT / "grids" / "records"
    result = json.loads(clean(run("grids", "diff", ROSIN, ROSIN, "--json"), 0).stdout)
    assert result["shared_lines"] == result["shared_dots"] == 82
    shown = clean(run("grids", "diff", folder / "5T-rosin177a.json", folder / "5T-rosin178.json"), 0).stdout
    assert "lines and" in shown and "◆" in shown and "│" in shown


def test_search_from_a_grid_keeps_its_first_moves(tmp_path):
    given = ("--from", OPTIMUM, "--keep", "20", "--level", "1", "--tasks", "50", "--seed", "1", "--out", tmp_path)
    result = json.loads(clean(run("search", *given, "--json"), 0).stdout)
    assert result["game"] == "4D" and result["score"] > 20
    grid = json.loads(Path(result["path"]).read_text())
    assert grid["moves"][:20] == json.loads(OPTIMUM.read_text())["moves"][:20]
    assert grid["solver"]["method"] == "nmcs L1 from move 20 of 0e372ca9b0ca"
    clean(run("verify", result["path"]), 0)


def test_improve_says_what_is_proven(tmp_path):
    given = ("improve", OPTIMUM, "--most", "8", "--out", tmp_path)
    result = clean(run(*given), 0)
    assert "proven     no better end from move 28 on" in result.stdout
    again = clean(run(*given, "--json"), 0)
    assert "going on from" in again.stderr
    assert json.loads(again.stdout)["proven_from_move"] == 28


def test_replay_steps_by_the_arrow_keys():
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="100", LINES="45")
        os.execv(MORPION[0], [*MORPION, "replay", str(ROSIN)])
    shown = ""

    def wait_for(text):
        nonlocal shown
        until = time.monotonic() + 20
        while text not in shown:
            assert time.monotonic() < until, shown[-500:]
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
        shown = ""

    wait_for("0 of 82")
    for keys, step in ((b"\x1b[C", 1), (b"\x1b[6~", 11), (b"\x1b[D", 10), (b"\x1b[F", 82), (b"\x1b[H", 0), (b" ", 2)):
        os.write(terminal, keys)
        wait_for(f"{step} of 82")
    os.write(terminal, b"q")
    assert os.waitpid(child, 0)[1] == 0


def test_a_file_is_never_its_own_duplicate(tmp_path):
    grid, folder = tmp_path / "b.json", tmp_path / "again"
    grid.write_bytes(ROSIN.read_bytes())
    (tmp_path / "a.json").symlink_to("b.json")
    folder.symlink_to(tmp_path)
    result = clean(run("grids", "dedupe", tmp_path, folder, f"{tmp_path}/.", "--delete"), 0)
    assert "0 duplicates" in result.stderr and grid.read_bytes() == ROSIN.read_bytes()


def test_names_that_are_no_text_are_one_line_each(tmp_path):
    for name in (b"bad\xff.json", b"new\nline.json", b"esc\x1b[31m.json"):
        (tmp_path / os.fsdecode(name)).write_bytes(ROSIN.read_bytes())
    for _ in range(2):  # with the index too
        lines = clean(run("grids", tmp_path, errors="surrogateescape"), 0).stdout.splitlines()
        assert len(lines) == 2 and "\x1b" not in lines[1]
    result = subprocess.run([*MORPION, "verify", "--json", *tmp_path.glob("*.json")], capture_output=True, text=True)
    assert len(json.loads(clean(result, 0).stdout)) == 3
    assert "2 duplicates" in clean(run("grids", "dedupe", tmp_path), 0).stderr


def test_writing_through_links_and_pipes(tmp_path):
    target, link = tmp_path / "target.msr", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    clean(run("convert", ROSIN, "--to", "ms1", "-o", link), 0)
    assert link.is_symlink() and target.read_text().startswith("MS1:")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    clean(run("convert", ROSIN, "--to", "ms1", "-o", pipe), 0)
    assert reader.communicate(timeout=10)[0].startswith("MS1:") and pipe.is_fifo()
    for out, problem in (("no/where.svg", "no such file or directory"), (".", "is a folder, expected a file")):
        result = clean(run("convert", ROSIN, "--to", "svg", "-o", tmp_path / out), 2)
        assert problem in result.stderr


def test_a_closed_pipe_is_no_verdict():
    command = f"{MORPION[0]} -c '{MORPION[2]}' verify " + " ".join([str(ROSIN)] * 300)
    result = subprocess.run(["bash", "-o", "pipefail", "-c", f"{command} | head -1"], capture_output=True, text=True)
    assert result.returncode == 141 and result.stderr == ""
