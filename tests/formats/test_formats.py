"""Formats of other programs: what they wrote is read, and what we write comes back."""

import base64
import json
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.errors import UserError
from morpion_cli.formats import carriers, ms1, msr, pymorpion
from morpion_cli.formats.reading import parse, read
from morpion_cli.formats.writing import FORMATS, write
from morpion_cli.grid.morpion import VARIANTS
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import Board
from morpion_cli.grid.verify import verify
from tests.conftest import ROOT
from tests.grid.strategies import games

DATA = Path(__file__).parent / "data"
SHIPPED = ROOT / "grids" / "records"
# What people write of themselves: any text, and lists and objects of it.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PROVENANCE = st.dictionaries(
    st.sampled_from(["author", "source", "transcribed_by", "description", "solver", "saved_at"]),
    TEXTS | st.dictionaries(st.sampled_from(["tool", "seed"]), st.integers(0, 2**53) | TEXTS, min_size=1),
) | st.fixed_dictionaries({"tags": st.lists(TEXTS, max_size=3)})


@pytest.mark.parametrize(
    ("file", "same_as"),
    [
        ("5d-82-rosin.psol", "5D-rosin82"),
        ("5t-146-akiyama.psol", "5T-akiyama146"),
        ("5t-170-bruneau.psol", "5T-bruneau170"),
        ("5t-178-rosin.psol", "5T-rosin178"),
        ("5T-rosin178.msr", "5T-rosin178"),
    ],
)
def test_files_of_others_are_the_games_they_say(file, same_as):
    reading = read(DATA / file)
    assert reading.record.moves == read(SHIPPED / f"{same_as}.json").record.moves
    assert verify(reading.record).honest


@pytest.mark.parametrize("path", sorted(DATA.glob("cross*.json")), ids=lambda path: path.stem)
def test_pymorpion_files_come_back_byte_for_byte_but_for_spaces(path):
    reading = read(path)
    variant, score = path.stem[5:7], int(path.stem.split("_")[1])
    assert reading.format == "pymorpion" and reading.record.puzzle.name == variant
    assert (verify(reading.record).legal, len(reading.record.moves)) == (True, score)
    assert json.loads(pymorpion.dump(reading.record)) == json.loads(path.read_bytes())


@settings(max_examples=60, deadline=None)
@given(games, PROVENANCE)
def test_round_trips(position, provenance):
    record = Record(position.variant, tuple(position.moves), position.claims(), provenance)
    for name in FORMATS:
        if name == "pentasol" and position.variant.points == 4:
            with pytest.raises(UserError, match="5T, 5D"):
                write(record, name)
            continue
        data, dropped = write(record, name)
        if not record.moves and name.startswith("pentasol"):
            continue  # nothing tells what it is
        back = parse(data, position.variant).record
        assert back.moves == record.moves
        assert back.provenance == ({} if name == "pymorpion" else provenance)
        assert bool(dropped) == (name.startswith("pentasol") or (name == "pymorpion" and bool(provenance)))


def test_pentasol_says_which_variant_it_took():
    five_d = parse((DATA / "5d-82-rosin.psol").read_bytes())
    assert five_d.record.puzzle.name == "5D" and "read as 5D" in five_d.note
    assert parse((DATA / "5d-82-rosin.psol").read_bytes(), VARIANTS["5T"]).record.puzzle.name == "5T"
    five_t = parse((DATA / "5t-178-rosin.psol").read_bytes())
    assert five_t.record.puzzle.name == "5T" and "not legal" in five_t.note


@pytest.mark.parametrize("spaces", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_dialect_is_confirmed_by_replay(spaces, sign):
    record = read(SHIPPED / "5D-rosin82.json").record
    signs = {"H": "-", "V": "|", "DP": "/", "DN": "\\"}
    space = " " if spaces else ""
    lines = [
        f"({move.x + 1},{space}{move.y + 1}){space}{signs[move.dir]}{space}{sign * (move.pos - 2):+d}"
        for move in record.moves
    ]
    reading = parse("\r\n".join(["# by hand", *lines]).encode())
    assert reading.record.moves == record.moves
    assert reading.record.provenance == {"comments": ["by hand"]}
    assert ("from the dot to the centre" in reading.note) == (sign == -1)


def test_pictures_of_morpion_solitaire_io_are_read():
    """Its SVG has a bare MS1 in an element of that id, its PNG a tEXt chunk `msr` after the header."""
    record = read(SHIPPED / "5T-rosin178.json").record
    line = ms1.dump(record)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">\n<metadata id="morpion-solitaire-record">{line}</metadata></svg>'
    assert parse(svg.encode()).record == record

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = carriers.PNG_SIGNATURE + chunk(b"IHDR", bytes(13))
    png = head + chunk(b"tEXt", b"Title\0x") + chunk(b"tEXt", b"msr\0" + line.encode()) + chunk(b"IEND", b"")
    assert parse(png).record == record
    assert parse(carriers.into_png(head + chunk(b"IEND", b""), record)).record == record


def test_a_puzzle_that_is_not_morpion_has_formats_too():
    board = Board("samegame", "none", ("001", "011"))
    position = board.start()
    position.play(position.legal_moves()[0])
    record = Record(board, tuple(position.moves), position.claims(), {})
    for name in ("msr", "ms1"):
        assert parse(write(record, name)[0]).record == record
    for name in ("pentasol", "pentasol-io", "pymorpion"):
        with pytest.raises(UserError, match="not of samegame"):
            write(record, name)


def test_what_is_written_claims_what_is_true():
    record = read(SHIPPED / "5D-rosin82.json").record
    liar = replace(record, claims={"score": 99})
    assert verify(parse(write(liar, "msr")[0]).record).honest


def _ms1(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"MS1:" + base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).rstrip(b"=")


CROSS = json.loads((DATA / "cross4D_035_11016.json").read_bytes())
GOOD = orjson.dumps({"version": "0.1", "variant": "4D", "moves": []})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"hello", "not a grid"),
        (b"\xff\xfe\x00", "neither text nor PNG"),
        (b"MS1:!!", "MS1: expected"),
        (b"MS1:AAAA", "MS1: "),
        (_ms1(GOOD)[:-4], "MS1: "),
        (_ms1(b" " * (5 << 20)), "more than"),
        (b"<svg/>", "without a record"),
        (carriers.PNG_SIGNATURE, "without a record"),
        (carriers.PNG_SIGNATURE + b"\xff" * 40, "without a record"),
        (b"(1,1)\n(2,2) * 1", "line 2: expected"),
        (b"(1,1)\n(2,2) / 3", "line 2: offset"),
        (b"(1,1)\n" + b"(2,2) / 0\n" * 5000, "more than 4096 lines"),
        (orjson.dumps({**CROSS, "LineLength": 5}), "LineLength: expected 3 or 4, got 5"),
        (orjson.dumps({**CROSS, "Disjoint": 1}), "Disjoint"),
        (orjson.dumps({**CROSS, "InitialDots": []}), "InitialDots"),
        (orjson.dumps({**CROSS, "InitialDots": [[0, 0]] * 24}), "not the cross"),
        (orjson.dumps({**CROSS, "Moves": [[1, 2, 3]]}), "move 1: expected"),
        (orjson.dumps({**CROSS, "Moves": [[0, 0, 3, 3, 9, 9]]}), "move 1: its dot"),
        (orjson.dumps({**CROSS, "Moves": [[0, 0, 3, 2, 1, 1]]}), "move 1: .* is not a line"),
        (b"{" * 5000, "JSON"),
    ],
)
def test_what_is_no_grid_is_refused_in_one_line(data, message):
    with pytest.raises(UnreadableGridError, match=message) as caught:
        parse(data)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_a_variant_that_the_file_contradicts_is_refused():
    with pytest.raises(UnreadableGridError, match="the file says 5D, not 5T"):
        parse((SHIPPED / "5D-rosin82.json").read_bytes(), VARIANTS["5T"])
    assert msr.parse((SHIPPED / "5D-rosin82.json").read_bytes()).puzzle.name == "5D"
