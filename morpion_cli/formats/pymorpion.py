"""PyMorpionSolitaire JSON 1.0: the dots and lines of a game of Morpion Solitaire in absolute coordinates.

`Moves` are [x1, y1, x2, y2, x, y]: the two ends of the line and the new dot. `LineLength` counts steps, one less than
the dots. The starting cross may be anywhere; the program that made the format puts it at 27 or 28.
"""

from typing import Any

import orjson

from morpion_cli.errors import shown
from morpion_cli.grid.morpion import DIRECTIONS, VARIANTS, Move, Variant, cross
from morpion_cli.grid.puzzle import UnreadableGridError
from morpion_cli.grid.record import Record

_VERSION = "1.0"
_CORNER = {5: 27, 4: 28}  # least coordinate of the cross, by dots on a line
_FAR = 10_000


def looks_like(document: dict[str, Any]) -> bool:
    """Tell whether a JSON object is of this format."""
    return "LineLength" in document or "InitialDots" in document


def parse(document: dict[str, Any]) -> Record:
    """Return the record. Raises UnreadableGridError."""
    version = document.get("Version", _VERSION)
    if version != _VERSION:
        raise UnreadableGridError(f"Version: expected '{_VERSION}', got {shown(version)}")
    segments, disjoint = document.get("LineLength"), document.get("Disjoint")
    if type(segments) is not int or segments not in (3, 4):
        raise UnreadableGridError(f"LineLength: expected 3 or 4, got {shown(segments)}")
    if not isinstance(disjoint, bool):
        raise UnreadableGridError(f"Disjoint: expected true or false, got {shown(disjoint)}")
    variant = VARIANTS[f"{segments + 1}{'D' if disjoint else 'T'}"]
    left, top = _corner(document.get("InitialDots"), variant)
    moves = document.get("Moves")
    if not isinstance(moves, list):
        raise UnreadableGridError("Moves: expected a list")
    if len(moves) > variant.moves_limit:
        raise UnreadableGridError(f"Moves: {len(moves)} moves, but no game has more than {variant.moves_limit}")
    known = ("Title", "Version", "Disjoint", "LineLength", "InitialDots", "Moves")
    return Record(
        variant,
        tuple(_parse_move(item, variant, left, top, f"move {number}") for number, item in enumerate(moves, 1)),
        {},
        {key: value for key, value in document.items() if key not in known},
    )


def _numbers(item: Any, count: int, where: str) -> list[int]:
    if not isinstance(item, list) or len(item) != count or not all(type(i) is int and abs(i) <= _FAR for i in item):
        raise UnreadableGridError(f"{where}: expected a list of {count} whole numbers, got {shown(item)}")
    return item


def _corner(dots: Any, variant: Variant) -> tuple[int, int]:
    """Return the least coordinates of the cross."""
    start = cross(variant)
    if not isinstance(dots, list) or len(dots) != len(start):
        raise UnreadableGridError(f"InitialDots: expected the {len(start)} dots of the cross of {variant.name}")
    points = [tuple(_numbers(item, 2, f"InitialDots: dot {number}")) for number, item in enumerate(dots, 1)]
    left, top = min(x for x, _ in points), min(y for _, y in points)
    if {(x - left, y - top) for x, y in points} != start:
        raise UnreadableGridError(f"InitialDots: they are not the cross of {variant.name}, the only start known here")
    return left, top


def _parse_move(item: Any, variant: Variant, left: int, top: int, where: str) -> Move:
    x1, y1, x2, y2, x, y = _numbers(item, 6, where)
    for name, (dx, dy) in DIRECTIONS.items():
        for x0, y0, x3, y3 in ((x1, y1, x2, y2), (x2, y2, x1, y1)):
            if (x3 - x0, y3 - y0) == ((variant.points - 1) * dx, (variant.points - 1) * dy):
                for pos in range(variant.points):
                    if (x0 + pos * dx, y0 + pos * dy) == (x, y):
                        return Move(x - left, y - top, name, pos)
                raise UnreadableGridError(f"{where}: its dot ({x},{y}) is not on its line")
    raise UnreadableGridError(f"{where}: ({x1},{y1}) to ({x2},{y2}) is not a line of {variant.points} dots")


def dump(record: Record) -> bytes:
    """Return the moves of a record of Morpion Solitaire; what else it says has no place in the format."""
    variant: Any = record.puzzle
    corner = _CORNER[variant.points]
    moves = []
    for move in record.moves:
        line = move.line(variant)
        # As the program that made the format has it: the end with the smaller x first, and of equals the upper.
        (x1, y1), (x2, y2) = sorted((line[0], line[-1]))
        moves.append([corner + i for i in (x1, y1, x2, y2, move.x, move.y)])
    dots = [[corner + x, corner + y] for x, y in sorted(cross(variant), key=lambda point: point[::-1])]
    return orjson.dumps(
        {
            "Disjoint": variant.disjoint,
            "InitialDots": dots,
            "LineLength": variant.points - 1,
            "Moves": moves,
            "Title": "Morpion Solitaire",
            "Version": _VERSION,
        }
    )
