"""Pentasol, the text format of the Morpion Solitaire community, and the dialect of morpion-solitaire.io.

    # a comment
    (28,28)          the reference: where the cell (3,3) of the cross is
    (27,27) / 0      column, row, direction - | / or \\, and from the new dot to the centre of its line
    (31,35) | -2

Rows grow downward. The dialect has no reference, puts the corner of the cross at (1,1), counts from the centre to the
dot, and knows lines of four too. Neither says which variant is played. Of a record's provenance we write a comment for
each key, `# key: value`, and read it back.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from morpion_cli.errors import UserError, shown
from morpion_cli.grid.morpion import VARIANTS, Move, Variant
from morpion_cli.grid.puzzle import IllegalMoveError, UnreadableGridError, replay
from morpion_cli.grid.record import Record

_REFERENCE_CELL = 3
_REFERENCE = 28  # where we write it: room for any game on positive coordinates
_SIGNS = {"H": "-", "V": "|", "DP": "/", "DN": "\\"}
_DIRECTION_OF = {sign: name for name, sign in _SIGNS.items()}
_POINT = re.compile(r"\(\s*(-?\d{1,5})\s*,\s*(-?\d{1,5})\s*\)")
_STEP = re.compile(r"\s*([-|/\\])\s*([+-]?\s*\d)\s*")
_NOTE = re.compile(r"#\s*([a-z][a-z_]*)\s*:\s*(.*)")
_MOST_LINES = 4096
_TRIED = {
    "5D": "the file does not say, and in 5D it is legal",
    "5T": "the file does not say, and it is not legal in 5D",
}


@dataclass(frozen=True)
class _Line:
    """A move as it is written."""

    number: int
    column: int
    row: int
    direction: str
    offset: int


def looks_like(text: str) -> bool:
    """Tell whether the first line that is not a comment begins with a point."""
    for line in text.split("\n"):
        line = line.strip()
        if line and not line.startswith("#"):
            return _POINT.match(line) is not None
    return False


def parse(text: str, variant: Variant | None = None) -> tuple[Record, str]:
    """Return the record and how it was read, in words.

    Without a variant, 5D is tried first and then 5T. A game that is illegal in every reading is returned in the one in
    which it gets furthest. Raises UnreadableGridError.
    """
    reference, lines, provenance = _lines(text)
    candidates = [variant] if variant is not None else [VARIANTS["5D"], VARIANTS["5T"]]
    if reference is not None and any(each.points != 5 for each in candidates):
        raise UnreadableGridError("Pentasol with a reference point is for lines of five: variant 5T or 5D")
    best: tuple[int, Record, str] | None = None
    impossible: UnreadableGridError | None = None
    for inverted in (False,) if reference is not None else (True, False):
        for each in candidates:
            try:
                moves = tuple(_move(line, each, reference, inverted) for line in lines)
            except UnreadableGridError as error:
                impossible = impossible or error
                continue
            reach = _reach(each, moves)
            if best is None or reach > best[0]:
                kind = "Pentasol" if reference is not None else "Pentasol as morpion-solitaire.io writes it"
                if reference is None and not inverted:
                    kind += ", but with offsets from the dot to the centre"
                how = "asked for" if variant is not None else _TRIED[each.name]
                best = reach, Record(each, moves, {}, provenance), f"{kind}, read as {each.name}: {how}"
            if reach > len(moves):
                return best[1], best[2]
    if best is None:
        raise impossible or UnreadableGridError("no moves")
    return best[1], best[2]


def _reach(variant: Variant, moves: tuple[Move, ...]) -> int:
    """Return the number of the first move that is illegal, or one more than there are."""
    try:
        replay(variant, moves)
    except IllegalMoveError as error:
        return error.number
    return len(moves) + 1


def _lines(text: str) -> tuple[tuple[int, int] | None, list[_Line], dict[str, Any]]:
    reference = None
    lines: list[_Line] = []
    provenance: dict[str, Any] = {}
    comments = []
    rows = text.split("\n")
    if len(rows) > _MOST_LINES:
        raise UnreadableGridError(f"more than {_MOST_LINES} lines")
    first = True
    for number, row in enumerate(rows, 1):
        row = row.strip()
        if row.startswith("#"):
            note = _NOTE.fullmatch(row)
            if note is None:
                comments.append(row[1:].strip())
            else:
                provenance[note[1]] = _value(note[2])
            continue
        if not row:
            continue
        point = _POINT.match(row)
        rest = row[point.end() :] if point else ""
        if point and first and not rest.strip():
            reference = int(point[1]), int(point[2])
        else:
            step = _STEP.fullmatch(rest)
            if point is None or step is None:
                raise UnreadableGridError(
                    f"line {number}: expected (column,row) DIRECTION OFFSET such as '(27,27) / 0', got {shown(row)}"
                )
            offset = int(step[2].replace(" ", ""))
            if abs(offset) > 2:
                raise UnreadableGridError(f"line {number}: offset: expected -2 to 2, got {offset}")
            lines.append(_Line(number, int(point[1]), int(point[2]), _DIRECTION_OF[step[1]], offset))
        first = False
    if comments:
        provenance["comments"] = comments
    return reference, lines, provenance


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _move(line: _Line, variant: Variant, reference: tuple[int, int] | None, inverted: bool) -> Move:
    if reference is None:
        x, y = line.column - 1, line.row - 1
    else:
        x = line.column - reference[0] + _REFERENCE_CELL
        y = line.row - reference[1] + _REFERENCE_CELL
    half = (variant.points - 1) // 2
    pos = half + line.offset if inverted else half - line.offset
    if not 0 <= pos < variant.points:
        raise UnreadableGridError(
            f"line {line.number}: offset {line.offset:+} is outside a line of {variant.points} dots"
        )
    return Move(x, y, line.direction, pos)


def _comments(record: Record) -> list[str]:
    lines = []
    for key, value in record.provenance.items():
        if key == "comments" and isinstance(value, list) and all(_plain(item) for item in value):
            lines += [f"# {comment}" for comment in value]
        elif re.fullmatch(r"[a-z][a-z_]*", key):
            # Text stands as it is, unless it would be read back as something else.
            plain = _plain(value) and value == value.strip() and value and _value(value) == value
            lines.append(f"# {key}: {value if plain else orjson.dumps(value).decode()}")
    return lines


def _plain(value: Any) -> bool:
    return isinstance(value, str) and not set(value) & {"\n", "\r"}


def dump(record: Record) -> str:
    """Return a record of 5T or 5D as text with a reference point. Raises UserError for other games."""
    variant = _variant(record, (5,))
    shift = _REFERENCE - _REFERENCE_CELL
    moves = [
        f"({move.x + shift},{move.y + shift}) {_SIGNS[move.dir]} {_signed((variant.points - 1) // 2 - move.pos)}"
        for move in record.moves
    ]
    return "\n".join([*_comments(record), f"({_REFERENCE},{_REFERENCE})", *moves]) + "\n"


def dump_dialect(record: Record) -> str:
    """Return a record of Morpion Solitaire as morpion-solitaire.io writes it. Raises UserError for other games."""
    variant = _variant(record, (4, 5))
    moves = [
        f"({move.x + 1},{move.y + 1}){_SIGNS[move.dir]}{move.pos - (variant.points - 1) // 2:+}"
        for move in record.moves
    ]
    return "\n".join([*_comments(record), *moves]) + "\n"


def _signed(offset: int) -> str:
    return f"{offset:+}" if offset else "0"


def _variant(record: Record, points: Sequence[int]) -> Variant:
    variant = record.puzzle
    if not isinstance(variant, Variant) or variant.points not in points:
        kinds = "lines of five (5T, 5D); pentasol-io has those of four too" if len(points) == 1 else "Morpion Solitaire"
        raise UserError(f"Pentasol is for games of {kinds}, not of {variant.name}")
    return variant
