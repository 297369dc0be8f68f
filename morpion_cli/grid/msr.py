"""MSR 0.1, the JSON format of Morpion Solitaire records, read and written."""

from pathlib import Path
from typing import Any

import orjson

from morpion_cli.errors import shown
from morpion_cli.files import read_file
from morpion_cli.grid.morpion import DIRECTIONS, VARIANTS, Move, Variant
from morpion_cli.grid.record import Record, UnreadableGridError

SIZE_LIMIT = 4 << 20  # bytes; a record of 178 moves has 14,000
_MOVES_LIMIT = 1024  # proven: no game of any variant is longer than 485 moves
_COORDINATE_LIMIT = 1000
_CLAIMS = ("score", "terminal", "bbox", "available_moves")
_VERSION = "0.1"


def read(path: Path) -> Record:
    """Return the record in a file. Raises UserError if there is none."""
    try:
        return parse(read_file(path, SIZE_LIMIT))
    except UnreadableGridError as error:
        raise UnreadableGridError(f"{path}: {error}") from None


def parse(data: bytes) -> Record:
    """Return the record in JSON text; its moves are well-formed, but need not be legal.

    Raises UnreadableGridError.
    """
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UnreadableGridError(f"not a JSON grid: {error}") from None
    if not isinstance(document, dict):
        raise UnreadableGridError(f"expected a JSON object with 'variant' and 'moves', got {_kind(document)}")
    if document.get("game", "morpion") != "morpion":
        raise UnreadableGridError(f"game: expected 'morpion', got {shown(document['game'])}")
    version = document.get("version", _VERSION)
    if version != _VERSION:
        raise UnreadableGridError(f"version: expected '{_VERSION}', got {shown(version)}")
    variant = document.get("variant")
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise UnreadableGridError(f"variant: expected one of {', '.join(VARIANTS)}, got {shown(variant)}")
    moves = document.get("moves")
    if not isinstance(moves, list):
        raise UnreadableGridError(f"moves: expected a list, got {_kind(moves)}")
    if len(moves) > _MOVES_LIMIT:
        raise UnreadableGridError(f"moves: {len(moves)} moves, but no game has more than {_MOVES_LIMIT}")
    return Record(
        variant=VARIANTS[variant],
        moves=tuple(_parse_move(item, number, VARIANTS[variant]) for number, item in enumerate(moves, 1)),
        claims={key: document[key] for key in _CLAIMS if key in document},
        provenance={k: v for k, v in document.items() if k not in (*_CLAIMS, "version", "game", "variant", "moves")},
    )


def _parse_move(item: Any, number: int, variant: Variant) -> Move:
    where = f"move {number}"
    if not isinstance(item, dict):
        raise UnreadableGridError(f"{where}: expected an object with x, y, dir and pos, got {_kind(item)}")
    for key in ("x", "y"):
        value = item.get(key)
        if type(value) is not int or abs(value) > _COORDINATE_LIMIT:
            raise UnreadableGridError(
                f"{where}: {key}: expected a whole number from -{_COORDINATE_LIMIT} to {_COORDINATE_LIMIT}, "
                f"got {shown(value)}"
            )
    direction = item.get("dir")
    if not isinstance(direction, str) or direction not in DIRECTIONS:
        raise UnreadableGridError(f"{where}: dir: expected one of {', '.join(DIRECTIONS)}, got {shown(direction)}")
    pos = item.get("pos")
    if type(pos) is not int or not 0 <= pos < variant.points:
        raise UnreadableGridError(
            f"{where}: pos: expected a whole number from 0 to {variant.points - 1}, got {shown(pos)}"
        )
    return Move(item["x"], item["y"], direction, pos)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def dump(record: Record) -> bytes:
    """Return the record as JSON text, one move a line."""
    head = {"version": _VERSION, "game": "morpion", "variant": record.variant.name, **record.claims}
    lines = [f"  {_json(key)}: {_json(value)}" for key, value in {**head, **record.provenance}.items()]
    moves = ",\n".join(f"    {_json(move._asdict())}" for move in record.moves)
    lines.append(f'  "moves": [\n{moves}\n  ]' if moves else '  "moves": []')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
