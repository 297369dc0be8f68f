"""MSR 0.1, the JSON format of Morpion Solitaire records, read and written; other puzzles use the same envelope."""

from typing import Any

import orjson

from morpion_cli.errors import shown
from morpion_cli.formats.families import FAMILIES, puzzle_class
from morpion_cli.grid.puzzle import Puzzle, UnreadableGridError
from morpion_cli.grid.record import Record

SIZE_LIMIT = 4 << 20  # bytes; a record of 178 moves has 14,000
_CLAIMS = ("score", "terminal", "bbox", "available_moves", "tiles_left")
_VERSION = "0.1"


def parse(data: bytes) -> Record:
    """Return the record in JSON text; its moves are well-formed, but need not be legal.

    Raises UnreadableGridError.
    """
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UnreadableGridError(f"not a JSON grid: {error}") from None
    if not isinstance(document, dict):
        raise UnreadableGridError(f"expected a JSON object with 'game' and 'moves', got {_kind(document)}")
    return from_document(document)


def from_document(document: dict[str, Any]) -> Record:
    """Return the record of a JSON object, as `parse`."""
    family = document.get("game", "morpion")
    if not isinstance(family, str) or family not in FAMILIES:
        raise UnreadableGridError(f"game: expected one of {', '.join(FAMILIES)}, got {shown(family)}")
    version = document.get("version", _VERSION)
    if version not in (_VERSION, 1) or isinstance(version, bool):  # 1 was written before 0.1 was
        raise UnreadableGridError(f"version: expected '{_VERSION}', got {shown(version)}")
    puzzle = puzzle_class(family).parse(document)
    moves = document.get("moves")
    if not isinstance(moves, list):
        raise UnreadableGridError(f"moves: expected a list, got {_kind(moves)}")
    if len(moves) > puzzle.moves_limit:
        raise UnreadableGridError(f"moves: {len(moves)} moves, but no game has more than {puzzle.moves_limit}")
    known = (*_CLAIMS, "version", "game", "moves", *puzzle.header())
    return Record(
        puzzle=puzzle,
        moves=tuple(_parse_move(puzzle, item, f"move {number}") for number, item in enumerate(moves, 1)),
        claims={key: document[key] for key in _CLAIMS if key in document},
        provenance={key: value for key, value in document.items() if key not in known},
    )


def _parse_move(puzzle: Puzzle, item: Any, where: str) -> Any:
    if not isinstance(item, dict):
        raise UnreadableGridError(f"{where}: expected an object, got {_kind(item)}")
    return puzzle.parse_move(item, where)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "nothing"}
    return names.get(type(value), "a number")


def dump(record: Record) -> bytes:
    """Return the record as JSON text, one move a line."""
    puzzle = record.puzzle
    head = {"version": _VERSION, "game": puzzle.family, **puzzle.header(), **record.claims}
    lines = [f"  {_json(key)}: {_json(value)}" for key, value in {**head, **record.provenance}.items()]
    moves = ",\n".join(f"    {_json(puzzle.dump_move(move))}" for move in record.moves)
    lines.append(f'  "moves": [\n{moves}\n  ]' if moves else '  "moves": []')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
