"""A Sudoku as text and as a scene: the clues stand apart from the cells that the game has filled."""

import math

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.sudoku import BLANK, Sudoku, SudokuPosition
from morpion_cli.render import digits
from morpion_cli.render.room import Room
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme

_CELL = 32  # pixels
_MARGIN = 12


def _caption(sudoku: Sudoku, score: int, step: int, length: int) -> str:
    after = "" if step == length else f", after {step} of {length} entries"
    return f"{sudoku.name} {sudoku.size}x{sudoku.size}, {sudoku.score_text(score)} of {sudoku.size**2}{after}"


def text(record: Record, step: int | None, color: bool, room: Room) -> str:
    """Return a title and the Sudoku; clues are bold, or in brackets without colour.

    Where it does not fit, cells and boxes stand closer and clues are not marked. Raises IllegalMoveError.
    """
    replay(record.puzzle, record.moves)  # all of it must be legal
    step = len(record.moves) if step is None else step
    position: SudokuPosition = replay(record.puzzle, record.moves[:step])
    sudoku = position.sudoku
    side = math.isqrt(sudoku.size)
    digit = len(str(sudoku.size))
    width = next((n for n in (4, digit + 1) if n * sudoku.size + 2 * side <= room.columns), digit)
    bar = "+".join("-" * (width * side + 1) for _ in range(side))
    lines = [_caption(sudoku, position.score, step, len(record.moves)), ""]
    for y, row in enumerate(position.cells):
        if y and y % side == 0:
            lines.append(bar)
        boxes = []
        for left in range(0, sudoku.size, side):
            box = ""
            for x in range(left, left + side):
                clue = sudoku.rows[y][x] != BLANK
                value = "." if row[x] == BLANK else str(row[x])
                if width < 4 or color:
                    cell = f"{value:>{width}}" if width < 4 else f"{value:>3} "
                    box += (f"\x1b[1m{cell}\x1b[0m" if clue else f"\x1b[36m{cell}\x1b[0m") if color else cell
                else:
                    box += f"{f'[{value}]' if clue else f'{value} ':>4}"
            boxes.append(box + " ")
        lines.append("|".join(boxes).rstrip())
    return "\n".join(lines)


def scene(record: Record, theme: Theme, _numbers: bool) -> Scene:
    """Return the game as a scene. Raises IllegalMoveError."""
    position: SudokuPosition = replay(record.puzzle, record.moves)
    sudoku = position.sudoku
    side, far = math.isqrt(sudoku.size), sudoku.size * _CELL + _MARGIN
    total = far + _MARGIN
    clues = numbers = ""
    filled = 0
    for y, row in enumerate(sudoku.rows):
        for x, value in enumerate(row):
            if value != BLANK:
                left, top = _MARGIN + x * _CELL, _MARGIN + y * _CELL
                clues += f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="{theme.clue}"/>'
                numbers += digits.number(value, left + _CELL / 2, top + _CELL / 2)
                filled += 1
    lines = ""
    for thick in (False, True):
        places = [_MARGIN + i * _CELL for i in range(sudoku.size + 1) if (i % side == 0) == thick]
        path = "".join(f"M{at} {_MARGIN}V{far}M{_MARGIN} {at}H{far}" for at in places)
        lines += f'<path d="{path}" stroke="{theme.ink}" stroke-width="{2.5 if thick else 0.7}" fill="none"/>'
    steps = [("", f'<g stroke="{theme.number}">{numbers}</g>')]
    for move in record.moves:
        left, top = _MARGIN + move.x * _CELL, _MARGIN + move.y * _CELL
        back = f'<rect x="{left + 2}" y="{top + 2}" width="{_CELL - 4}" height="{_CELL - 4}"/>'
        steps.append((back, digits.number(move.value, left + _CELL / 2, top + _CELL / 2)))
    length = len(record.moves)
    return Scene(
        total,
        total,
        f'{digits.DEFINITIONS}\n<rect width="{total}" height="{total}" fill="{theme.paper}"/>\n{clues}\n{lines}',
        layers=('fill="none"', f'stroke="{theme.accent}" {digits.STROKES}'),
        steps=tuple(steps),
        cumulative=True,
        marked=(f"fill:{theme.last}", ""),
        captions=tuple(_caption(sudoku, filled + step, step, length) for step in range(length + 1)),
    )
