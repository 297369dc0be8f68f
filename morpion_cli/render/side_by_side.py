"""Two games of Morpion Solitaire beside each other, with what only one of them has marked."""

from morpion_cli.grid.morpion import Move, Variant, cross
from morpion_cli.grid.puzzle import replay

_GAP = "   │   "
_RESET = "\x1b[0m"
_ONLY = "\x1b[1;33m"


def side_by_side(
    variant: Variant, first: tuple[Move, ...], second: tuple[Move, ...], color: bool, width: int | None
) -> str:
    """Return both as text: starting dots ●, placed dots ○, and ◆ where only this one of the two has a dot.

    width: columns there are; where they are too few for both, the second comes below the first.
    """
    boxes = [replay(variant, moves).bbox() for moves in (first, second)]
    left, top = (min(box[i] for box in boxes) for i in (0, 1))
    right, bottom = (max(box[i] for box in boxes) for i in (2, 3))
    dots = [{(move.x, move.y) for move in moves} for moves in (first, second)]
    start = cross(variant)
    across = (right - left) * 2 + 1

    def cell(x: int, y: int, own: set[tuple[int, int]], other: set[tuple[int, int]]) -> str:
        if (x, y) in start:
            return "●"
        if (x, y) not in own:
            return " "
        if (x, y) in other:
            return "○"
        return f"{_ONLY}◆{_RESET}" if color else "◆"

    pictures = [
        [" ".join(cell(x, y, own, other) for x in range(left, right + 1)) for y in range(top, bottom + 1)]
        for own, other in (dots, dots[::-1])
    ]
    if width is not None and 2 * across + len(_GAP) > width:
        return "\n".join([*pictures[0], "─" * across, *pictures[1]])
    return "\n".join(f"{a}{_GAP}{b}".rstrip() for a, b in zip(*pictures, strict=True))
