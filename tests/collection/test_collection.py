import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.collection import index
from morpion_cli.collection.difference import difference
from morpion_cli.collection.entry import DAMAGED, FALSE, ILLEGAL, LEGAL, OTHER
from morpion_cli.collection.index import NAME, scan
from morpion_cli.collection.known import known_as, records_folder
from morpion_cli.errors import UserError
from morpion_cli.formats.msr import dump
from morpion_cli.formats.reading import read
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.symmetry import SYMMETRIES, image_of_move
from tests.conftest import RECORDS, ROOT
from tests.grid.strategies import games, random_game


@pytest.fixture
def folder(tmp_path):
    """A folder with a grid of every state."""
    record = read(ROOT / "grids" / "records" / "4D-hyyroporanen35.json").record
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "legal.json").write_bytes(dump(record))
    (tmp_path / "false.json").write_bytes(dump(replace(record, claims={"score": 36})))
    (tmp_path / "illegal.json").write_bytes(dump(replace(record, moves=record.moves[1:], claims={})))
    (tmp_path / "damaged.json").write_bytes(dump(record)[:-40])
    (tmp_path / "picture.svg").write_text("<svg/>")
    (tmp_path / "README.md").write_text("not looked at")
    (tmp_path / ".hidden.json").write_text("not looked at")
    return tmp_path


def states(folder):
    return {path.name: entry.state for path, entry in scan(folder).items()}


EXPECTED = {
    "legal.json": LEGAL,
    "false.json": FALSE,
    "illegal.json": ILLEGAL,
    "damaged.json": DAMAGED,
    "picture.svg": OTHER,
}


def test_every_file_is_what_it_is_with_and_without_the_index(folder):
    assert states(folder) == EXPECTED
    assert (folder / NAME).exists()
    first = scan(folder)
    assert first == scan(folder)
    (folder / NAME).unlink()
    assert scan(folder) == first


def test_only_what_is_new_or_has_changed_is_replayed(folder, monkeypatch):
    seen = []
    examine = index.examine
    monkeypatch.setattr(index, "examine", lambda path: seen.append(path.name) or examine(path))
    scan(folder)
    assert len(seen) == 5
    seen.clear()
    (folder / "deep" / "legal.json").rename(folder / "moved.json")
    (folder / "false.json").write_bytes((folder / "moved.json").read_bytes())
    (folder / "damaged.json").unlink()
    entries = {path.name: entry.state for path, entry in scan(folder).items()}
    assert sorted(seen) == ["false.json", "moved.json"]
    assert entries == {"moved.json": LEGAL, "false.json": LEGAL, "illegal.json": ILLEGAL, "picture.svg": OTHER}


@pytest.mark.parametrize("junk", [b"", b"not a database" * 100, b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_index_is_made_anew(folder, junk):
    (folder / NAME).write_bytes(junk)
    assert states(folder) == EXPECTED
    assert states(folder) == EXPECTED


def test_a_folder_that_cannot_be_written_is_read(folder):
    (folder / NAME).mkdir()  # even root cannot open that as a file
    assert states(folder) == EXPECTED


def test_two_processes_at_once(tmp_path):
    for seed in range(60):
        game = random_game("4D", seed)
        (tmp_path / f"{seed}.json").write_bytes(dump(Record(game.variant, tuple(game.moves), game.claims(), {})))
    code = "import pathlib, sys; from morpion_cli.collection.index import scan; "
    code += "print(len(scan(pathlib.Path(sys.argv[1]))))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    assert [int(process.communicate()[0]) for process in processes] == [60] * 4
    assert len(scan(tmp_path)) == 60


def test_no_folder_is_one_clear_line(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        scan(tmp_path / "nowhere")


def test_many_files_are_replayed_by_many_processes(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "_WORTH_PROCESSES", 3)
    record = read(ROOT / "grids" / "records" / "4D-demaine31.json").record
    for number in range(10):
        (tmp_path / f"{number}.json").write_bytes(dump(record))
    told = []
    entries = scan(tmp_path, lambda done, total: told.append((done, total)))
    assert {entry.score for entry in entries.values()} == {31}
    assert told == [(number, 10) for number in range(1, 11)]


def test_known_records_are_known_up_to_symmetry(tmp_path):
    assert len(list(records_folder().glob("*.json"))) == len(RECORDS)
    record = read(ROOT / "grids" / "records" / "5D-rosin82.json").record
    turned = tuple(image_of_move(record.puzzle, move, SYMMETRIES[5]) for move in record.moves)
    (tmp_path / "mine.json").write_bytes(dump(Record(record.puzzle, turned)))
    (entry,) = scan(tmp_path).values()
    assert entry.state == LEGAL and known_as(entry) == "Christopher D. Rosin 82"
    other = random_game("5D", 1)
    (tmp_path / "mine.json").write_bytes(dump(Record(other.variant, tuple(other.moves))))
    (entry,) = scan(tmp_path).values()
    assert known_as(entry) is None


@settings(max_examples=30, deadline=None)
@given(games, st.sampled_from(SYMMETRIES), games)
def test_difference_finds_the_symmetry(position, symmetry, other):
    variant, moves = position.variant, tuple(position.moves)
    turned = tuple(image_of_move(variant, move, symmetry) for move in moves)
    assert len(replay(variant, turned).moves) == len(moves)  # it is as legal
    found = difference(variant, moves, turned)
    assert found.shared_lines == found.shared_dots == len(moves)
    assert {tuple(sorted(m.line(variant))) for m in found.second} == {tuple(sorted(m.line(variant))) for m in moves}
    if other.variant == variant:
        one, two = tuple(other.moves), moves
        there, back = difference(variant, one, two), difference(variant, two, one)
        assert (there.shared_lines, there.shared_dots) == (back.shared_lines, back.shared_dots)
        assert there.shared_lines <= min(len(one), len(two))


@pytest.mark.slow
def test_ten_thousand_grids_list_in_three_seconds(tmp_path):
    for seed in range(100):
        game = random_game("4D", seed)
        data = dump(Record(game.variant, tuple(game.moves), game.claims(), {}))
        for copy in range(100):
            (tmp_path / f"{seed}-{copy}.json").write_bytes(data)
    command = [str(Path(sys.executable).parent / "morpion"), "grids", str(tmp_path)]
    subprocess.run(command, capture_output=True, check=True)
    before = os.times()
    listed = subprocess.run(command, capture_output=True, check=True, text=True)
    after = os.times()
    assert after.children_user + after.children_system - before.children_user - before.children_system < 3
    assert sum(int(line.split()[2]) for line in listed.stdout.splitlines()[1:]) == 10_000
