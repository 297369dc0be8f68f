"""A game of Morpion Solitaire as text.

In full: four columns and two rows a point, lines in box-drawing characters, starting dots ●, and placed dots as their
move's number; a 5D record takes 60 columns, a 5T record 68. Where that does not fit: two columns or one a point, no
lines, and placed dots as ○.
"""

from dataclasses import dataclass

from morpion_cli.grid.morpion import DIRECTIONS, Point
from morpion_cli.render.morpion_picture import Picture
from morpion_cli.render.room import EVERYWHERE, Room

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


def draw(picture: Picture, step: int | None = None, color: bool = False, room: Room = EVERYWHERE) -> str:
    """Return the picture after `step` moves, or at its end, as lines of text, with ANSI colours if asked for."""
    left, top, right, bottom = picture.box
    step = len(picture.moves) if step is None else step
    if (right - left) * _ACROSS + 3 <= room.columns and (bottom - top) * _DOWN + 1 <= room.rows:
        canvas = _in_full(picture, step)
    else:
        canvas = _small(picture, step, 2 if (right - left) * 2 + 1 <= room.columns else 1)
    return "\n".join(_row(canvas, row, color) for row in range(canvas.height))


def _small(picture: Picture, step: int, across: int) -> _Canvas:
    left, top, right, bottom = picture.box
    canvas = _Canvas((right - left) * across + 1, bottom - top + 1)
    for x, y in picture.start:
        canvas.put((x - left) * across, y - top, "●", START)
    for number, move in enumerate(picture.moves[:step], 1):
        canvas.put((move.x - left) * across, move.y - top, "○", LAST if number == step else PLACED)
    return canvas


def _in_full(picture: Picture, step: int) -> _Canvas:
    left, top, right, bottom = picture.box
    # One column before the first point for the centred numbers of three digits.
    canvas = _Canvas((right - left) * _ACROSS + 3, (bottom - top) * _DOWN + 1)

    def at(point: Point) -> tuple[int, int]:
        return (point[0] - left) * _ACROSS + 1, (point[1] - top) * _DOWN

    for move in picture.moves[:step]:
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
    for number, move in enumerate(picture.moves[:step], 1):
        column, row = at((move.x, move.y))
        text = str(number)
        kind = LAST if number == step else PLACED
        canvas.put(column - (len(text) > 1), row, text, kind)
    return canvas


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
