"""When are two games the same? Identity up to the order of moves and the eight symmetries of the cross."""

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from morpion_cli.grid.puzzle import digest

if TYPE_CHECKING:
    from morpion_cli.grid.morpion import Move, Point, Variant

Segment = tuple[int, int, int, int]  # the two ends of a line, the smaller first


class Symmetry(NamedTuple):
    """Swap x and y, or not, and then mirror either."""

    swap: bool
    mirror_x: bool
    mirror_y: bool


SYMMETRIES = [Symmetry(*choice) for choice in product((False, True), repeat=3)]


def image(variant: "Variant", point: "Point", symmetry: Symmetry) -> "Point":
    """Return where a symmetry takes a point."""
    far = variant.box
    x, y = point[::-1] if symmetry.swap else point
    return far - x if symmetry.mirror_x else x, far - y if symmetry.mirror_y else y


def image_of_move(variant: "Variant", move: "Move", symmetry: Symmetry) -> "Move":
    """Return where a symmetry takes a move."""
    from morpion_cli.grid.morpion import DIRECTIONS, Move

    line = move.line(variant)
    (x1, y1), (x2, y2) = (image(variant, point, symmetry) for point in (line[0], line[1]))
    x, y = image(variant, (move.x, move.y), symmetry)
    step = x2 - x1, y2 - y1
    for name, (dx, dy) in DIRECTIONS.items():
        if step == (dx, dy):
            return Move(x, y, name, move.pos)
        if step == (-dx, -dy):
            return Move(x, y, name, variant.points - 1 - move.pos)
    raise AssertionError("a symmetry takes lines to lines")


def _images_of_lines(variant: "Variant", moves: Iterable["Move"]) -> list[list[Segment]]:
    """Return the sorted list of lines under each of the eight symmetries."""
    ends = [(line[0], line[-1]) for line in (move.line(variant) for move in moves)]
    images = []
    for symmetry in SYMMETRIES:
        pairs = ((image(variant, a, symmetry), image(variant, b, symmetry)) for a, b in ends)
        images.append(sorted((*min(a, b), *max(a, b)) for a, b in pairs))
    return images


def canonical_lines(variant: "Variant", moves: Iterable["Move"]) -> list[Segment]:
    """Return the smallest, over the eight symmetries, of the sorted lists of lines."""
    return min(_images_of_lines(variant, moves))


def is_symmetric(variant: "Variant", moves: Iterable["Move"]) -> bool:
    """Tell whether two of the eight symmetries give the same lines."""
    images = _images_of_lines(variant, moves)
    return len(set(map(tuple, images))) < len(images)


def canonical_dots(variant: "Variant", moves: Iterable["Move"]) -> list["Point"]:
    """Return the smallest, over the eight symmetries, of the sorted lists of placed dots."""
    dots = [(move.x, move.y) for move in moves]
    return min(sorted(image(variant, dot, symmetry) for dot in dots) for symmetry in SYMMETRIES)


def _digest(kind: str, variant: "Variant", items: Iterable[tuple[int, ...]]) -> str:
    text = f"{kind} {variant.name} " + ";".join(",".join(map(str, item)) for item in items)
    return digest(text)


def game_id(variant: "Variant", moves: Iterable["Move"]) -> str:
    """Return 12 hex digits that two games share exactly when their lines are the same up to symmetry."""
    return _digest("lines", variant, canonical_lines(variant, moves))


def dots_id(variant: "Variant", moves: Iterable["Move"]) -> str:
    """Return 12 hex digits that two games share exactly when their dots are the same up to symmetry."""
    return _digest("dots", variant, canonical_dots(variant, moves))
