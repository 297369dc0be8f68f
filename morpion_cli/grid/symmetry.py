"""When are two games the same? Identity up to the order of moves and the eight symmetries of the cross."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from morpion_cli.grid.puzzle import digest

if TYPE_CHECKING:
    from morpion_cli.grid.morpion import Move, Point, Variant

Segment = tuple[int, int, int, int]  # the two ends of a line, the smaller first


def _images(variant: "Variant", point: "Point") -> list["Point"]:
    far = variant.box
    x, y = point
    images = []
    for u, v in ((x, y), (y, x)):
        images += [(u, v), (far - u, v), (u, far - v), (far - u, far - v)]
    return images


def _images_of_lines(variant: "Variant", moves: Iterable["Move"]) -> list[list[Segment]]:
    """Return the sorted list of lines under each of the eight symmetries."""
    candidates: list[list[Segment]] = [[] for _ in range(8)]
    for move in moves:
        line = move.line(variant)
        ends = zip(_images(variant, line[0]), _images(variant, line[-1]), strict=True)
        for candidate, (a, b) in zip(candidates, ends, strict=True):
            candidate.append((*min(a, b), *max(a, b)))
    return [sorted(candidate) for candidate in candidates]


def canonical_lines(variant: "Variant", moves: Iterable["Move"]) -> list[Segment]:
    """Return the smallest, over the eight symmetries, of the sorted lists of lines."""
    return min(_images_of_lines(variant, moves))


def is_symmetric(variant: "Variant", moves: Iterable["Move"]) -> bool:
    """Tell whether two of the eight symmetries give the same lines."""
    images = _images_of_lines(variant, moves)
    return len(set(map(tuple, images))) < len(images)


def canonical_dots(variant: "Variant", moves: Iterable["Move"]) -> list["Point"]:
    """Return the smallest, over the eight symmetries, of the sorted lists of placed dots."""
    candidates: list[list[Point]] = [[] for _ in range(8)]
    for move in moves:
        for candidate, image in zip(candidates, _images(variant, (move.x, move.y)), strict=True):
            candidate.append(image)
    return min(sorted(candidate) for candidate in candidates)


def _digest(kind: str, variant: "Variant", items: Iterable[tuple[int, ...]]) -> str:
    text = f"{kind} {variant.name} " + ";".join(",".join(map(str, item)) for item in items)
    return digest(text)


def game_id(variant: "Variant", moves: Iterable["Move"]) -> str:
    """Return 12 hex digits that two games share exactly when their lines are the same up to symmetry."""
    return _digest("lines", variant, canonical_lines(variant, moves))


def dots_id(variant: "Variant", moves: Iterable["Move"]) -> str:
    """Return 12 hex digits that two games share exactly when their dots are the same up to symmetry."""
    return _digest("dots", variant, canonical_dots(variant, moves))
