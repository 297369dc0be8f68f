"""How two games of one variant differ: what they share under the symmetry under which they share most."""

from dataclasses import dataclass

from morpion_cli.grid.morpion import Move, Variant
from morpion_cli.grid.symmetry import SYMMETRIES, Symmetry, image_of_move


@dataclass(frozen=True)
class Difference:
    """Two games, the second turned and mirrored to be most like the first.

    second: its moves in that frame.
    shared_lines: lines that both have.
    shared_dots: placed dots that both have.
    """

    symmetry: Symmetry
    second: tuple[Move, ...]
    shared_lines: int
    shared_dots: int


def difference(variant: Variant, first: tuple[Move, ...], second: tuple[Move, ...]) -> Difference:
    """Return the difference of two games; of symmetries with equally many shared lines the one with more dots."""
    lines, dots = _lines(variant, first), _dots(first)
    best: Difference | None = None
    for symmetry in SYMMETRIES:
        image = tuple(image_of_move(variant, move, symmetry) for move in second)
        found = Difference(symmetry, image, len(lines & _lines(variant, image)), len(dots & _dots(image)))
        if best is None or (found.shared_lines, found.shared_dots) > (best.shared_lines, best.shared_dots):
            best = found
    assert best is not None
    return best


def _lines(variant: Variant, moves: tuple[Move, ...]) -> set[tuple[str, tuple[int, int]]]:
    return {(move.dir, move.line(variant)[0]) for move in moves}


def _dots(moves: tuple[Move, ...]) -> set[tuple[int, int]]:
    return {(move.x, move.y) for move in moves}
