"""Reading a record in any format, told apart by content and not by name."""

import sys
from dataclasses import dataclass
from pathlib import Path

import orjson

from morpion_cli.files import read_file
from morpion_cli.formats import carriers, ms1, msr, pentasol, pymorpion
from morpion_cli.grid.morpion import Variant
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record

STDIN = Path("-")
_PICTURE_LIMIT = 32 << 20  # bytes
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Reading:
    """A record and how it stood in its file.

    note: what had to be guessed, in words; None if nothing.
    """

    record: Record
    format: str
    note: str | None = None


def read(path: Path, variant: Variant | None = None) -> Reading:
    """Return the record in a file, or in standard input if the path is `-`.

    variant: of a game in a format that does not say it. Raises UserError if there is no record.
    """
    data = _read_stdin() if path == STDIN else read_file(path, _PICTURE_LIMIT)
    try:
        return parse(data, variant)
    except UnreadableGridError as error:
        raise UnreadableGridError(f"{path}: {error}") from None


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise UnreadableGridError("-: standard input is closed")
    data = sys.stdin.buffer.read(_PICTURE_LIMIT + 1)
    if len(data) > _PICTURE_LIMIT:
        raise UnreadableGridError(f"-: too large: more than {_PICTURE_LIMIT:,} bytes")
    return data


def parse(data: bytes, variant: Variant | None = None) -> Reading:
    """Return the record in a file's content; its moves are well-formed, but need not be legal.

    Raises UnreadableGridError.
    """
    reading = _parse(data, variant)
    if variant is not None and reading.record.puzzle != variant:
        raise UnreadableGridError(f"the file says {reading.record.puzzle.name}, not {variant.name}")
    return reading


def _parse(data: bytes, variant: Variant | None) -> Reading:
    if data.startswith(carriers.PNG_SIGNATURE):
        return Reading(_carried(carriers.text_in_png(data)), "png")
    data = data.removeprefix(_BYTE_ORDER_MARK).strip()
    if not data:
        raise UnreadableGridError("empty")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise UnreadableGridError("not a grid: neither text nor PNG") from None
    if text.startswith("<"):
        kind = "html" if text[:100].lower().startswith("<!doctype html") else "svg"
        return Reading(_carried(carriers.text_in_markup(text)), kind)
    if len(data) > msr.SIZE_LIMIT:
        raise UnreadableGridError(f"too large: more than {msr.SIZE_LIMIT:,} bytes")
    if text.startswith(ms1.PREFIX):
        return Reading(ms1.parse(text), "ms1")
    if text.startswith(("{", "[")):
        try:
            document = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise UnreadableGridError(f"not a JSON grid: {error}") from None
        if isinstance(document, dict) and pymorpion.looks_like(document):
            return Reading(pymorpion.parse(document), "pymorpion")
        return Reading(msr.parse(data) if not isinstance(document, dict) else msr.from_document(document), "msr")
    if pentasol.looks_like(text):
        record, note = pentasol.parse(text, variant)
        return Reading(record, "pentasol", note)
    raise UnreadableGridError(
        "not a grid: expected MSR or PyMorpionSolitaire JSON, MS1, Pentasol, or a picture with a record"
    )


def _carried(text: str) -> Record:
    return ms1.parse(text) if text.startswith(ms1.PREFIX) else msr.parse(text.encode())
