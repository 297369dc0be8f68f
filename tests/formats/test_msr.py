import time
import tracemalloc

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.errors import UserError
from morpion_cli.formats import msr
from morpion_cli.formats.reading import read
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record
from tests.conftest import RECORDS
from tests.grid.strategies import games

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
RESERVED = {"version", "game", "variant", "moves", "score", "terminal", "bbox", "available_moves"}
provenance = st.dictionaries(st.text(max_size=8).filter(lambda key: key not in RESERVED), json_values, max_size=4)


@settings(max_examples=60, deadline=None)
@given(games, provenance)
def test_round_trip(position, extra):
    claims = {"score": len(position.moves), "terminal": not position.legal_moves()}
    record = Record(position.variant, tuple(position.moves), claims, extra)
    assert msr.parse(msr.dump(record)) == record


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_records_keep_everything(path):
    record = read(path).record
    again = msr.parse(msr.dump(record))
    assert again == record
    assert again.provenance["author"]


def grid(**changes):
    move = {"x": 4, "y": -1, "dir": "V", "pos": 0}
    return orjson.dumps({"variant": "5T", "moves": [{**move, **changes}]})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a JSON grid"),
        (b'{"variant": "5D", "moves": [', "not a JSON grid"),
        (b"[1, 2]", "expected a JSON object with 'game' and 'moves', got a list"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not a JSON grid"),
        (b"[" * 100_000, "not a JSON grid"),
        (b'{"variant": "5D", "moves": [NaN]}', "not a JSON grid"),
        (b'{"variant": "6D", "moves": []}', "variant: expected one of 5T, 5D, 4T, 4D, got '6D'"),
        (b'{"moves": []}', "variant: expected one of 5T, 5D, 4T, 4D, got nothing"),
        (b'{"variant": "5D"}', "moves: expected a list, got nothing"),
        (b'{"variant": "5D", "moves": [3]}', "move 1: expected an object"),
        (
            b'{"game": "chess", "variant": "5D", "moves": []}',
            "game: expected one of morpion, samegame, sudoku, toy, got 'chess'",
        ),
        (b'{"version": "9", "variant": "5D", "moves": []}', "version: expected '0.1', got '9'"),
        (grid(x=10**9), "move 1: x: expected a whole number from -1000 to 1000, got 1000000000"),
        (grid(y=True), "move 1: y: expected a whole number"),
        (grid(x=1.5), "move 1: x: expected a whole number"),
        (grid(dir="UP"), "move 1: dir: expected one of H, V, DP, DN, got 'UP'"),
        (grid(pos=5), "move 1: pos: expected a whole number from 0 to 4, got 5"),
        (grid(pos=None), "move 1: pos: expected a whole number from 0 to 4, got nothing"),
        (orjson.dumps({"variant": "5T", "moves": [{}] * 100_000}), "100000 moves, but no game has more than"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_bad_grids_are_one_clear_line(data, message):
    tracemalloc.start()
    begun = time.perf_counter()
    with pytest.raises(UnreadableGridError) as caught:
        msr.parse(data)
    assert time.perf_counter() - begun < 1
    assert tracemalloc.get_traced_memory()[1] < 200 << 20
    tracemalloc.stop()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=300, deadline=1000)
@given(st.data())
def test_mutated_bytes_never_crash(data):
    text = bytearray(RECORDS[0].read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    try:
        msr.parse(bytes(text))
    except UnreadableGridError as error:
        assert "\n" not in str(error)


def test_files_that_are_none(tmp_path):
    with pytest.raises(UserError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(UserError, match="cannot read: no such file"):
        read(tmp_path / "missing.json")
    big = tmp_path / "big.json"
    with big.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(UserError, match="too large"):
        read(big)
