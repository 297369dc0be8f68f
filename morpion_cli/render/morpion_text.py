"""A game as text: four columns and two rows a point, lines in box-drawing characters.

Starting dots are ●, placed dots are their move's number. A 5D record takes 60 columns, a 5T record 68.
"""

from dataclasses import dataclass

from morpion_cli.grid.morpion import DIRECTIONS, Point
from morpion_cli.render.morpion_picture import Picture

_ACROSS, _DOWN = 4, 2  # from a point to the next
_STROKES = {"V": "│", "DP": "╱", "DN": "╲"}

# Kinds of characters, for colour.
BLANK, LINE, START, PLACED, LAST = range(5)
_COLOURS = {LINE: "\x1b[2m", START: "\x1b[1m", PLACED: "\x1b[36m", LAST: "\x1b[1;33m"}
_RESET = "\x1b[0m"


@dataclass
class _Canvas:
    width: int
    height: int

    def __post_init__(self) -> None:
        self.characters = [[" "] * self.width for _ in range(self.height)]
        self.kinds = [[BLANK] * self.width for _ in range(self.height)]

    def put(self, column: int, row: int, text: str, kind: int) -> None:
        for i, character in enumerate(text):
            self.characters[row][column + i] = character
            self.kinds[row][column + i] = kind


def draw(picture: Picture, color: bool = False) -> str:
    """Return the picture as lines of text, with ANSI colours if asked for."""
    left, top, right, bottom = picture.box
    # One column before the first point for the centred numbers of three digits.
    canvas = _Canvas((right - left) * _ACROSS + 3, (bottom - top) * _DOWN + 1)

    def at(point: Point) -> tuple[int, int]:
        return (point[0] - left) * _ACROSS + 1, (point[1] - top) * _DOWN

    for move in picture.moves:
        line = move.line(picture.variant)
        dx, dy = DIRECTIONS[move.dir]
        for point in line[:-1]:
            column, row = at(point)
            if move.dir == "H":
                canvas.put(column + 1, row, "───", LINE)
            else:
                between = column + dx * _ACROSS // 2, row + dy * _DOWN // 2
                stroke = _STROKES[move.dir]
                if {stroke, canvas.characters[between[1]][between[0]]} == {"╱", "╲"}:
                    stroke = "╳"
                canvas.put(*between, stroke, LINE)
    for point in picture.start:
        canvas.put(*at(point), "●", START)
    for number, move in enumerate(picture.moves, 1):
        column, row = at((move.x, move.y))
        text = str(number)
        kind = LAST if number == len(picture.moves) else PLACED
        canvas.put(column - (len(text) > 1), row, text, kind)
    return "\n".join(_row(canvas, row, color) for row in range(canvas.height))


def _row(canvas: _Canvas, row: int, color: bool) -> str:
    text = "".join(canvas.characters[row]).rstrip()
    if not color:
        return text
    parts = []
    last = BLANK
    for character, kind in zip(text, canvas.kinds[row], strict=False):
        if kind != last:
            parts.append((_RESET if last != BLANK else "") + _COLOURS.get(kind, ""))
            last = kind
        parts.append(character)
    return "".join(parts) + (_RESET if last != BLANK else "")
