"""A Sudoku as text and as SVG: the clues stand apart from the cells that the game has filled."""

import math

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.sudoku import BLANK, SudokuPosition
from morpion_cli.render import digits
from morpion_cli.render.svg import document

_CELL = 32  # pixels
_MARGIN = 12


def _title(position: SudokuPosition, record: Record, step: int | None) -> str:
    replay(record.puzzle, record.moves)  # all of it must be legal
    sudoku = position.sudoku
    after = "" if step is None else f", after {step} of {len(record.moves)} entries"
    return f"{sudoku.name} {sudoku.size}x{sudoku.size}, {sudoku.score_text(position.score)} of {sudoku.size**2}{after}"


def text(record: Record, step: int | None, color: bool) -> str:
    """Return a title and the Sudoku; clues are bold, or in brackets without colour. Raises IllegalMoveError."""
    position: SudokuPosition = replay(record.puzzle, record.moves[:step])
    sudoku = position.sudoku
    side = math.isqrt(sudoku.size)
    bar = "+".join("-" * (4 * side + 1) for _ in range(side))
    lines = [_title(position, record, step), ""]
    for y, row in enumerate(position.cells):
        if y and y % side == 0:
            lines.append(bar)
        boxes = []
        for left in range(0, sudoku.size, side):
            box = ""
            for x in range(left, left + side):
                clue = sudoku.rows[y][x] != BLANK
                value = "." if row[x] == BLANK else str(row[x])
                if color:
                    box += f"\x1b[1m{value:>3} \x1b[0m" if clue else f"\x1b[36m{value:>3} \x1b[0m"
                else:
                    box += f"{f'[{value}]' if clue else f'{value} ':>4}"
            boxes.append(box + " ")
        lines.append("|".join(boxes).rstrip())
    return "\n".join(lines)


def svg(record: Record, step: int | None) -> str:
    """Return the Sudoku as an SVG document that carries the record. Raises IllegalMoveError."""
    position: SudokuPosition = replay(record.puzzle, record.moves[:step])
    sudoku = position.sudoku
    side, far = math.isqrt(sudoku.size), sudoku.size * _CELL + _MARGIN
    total = far + _MARGIN
    parts = [
        f'<rect width="{total}" height="{total}" fill="#fff"/>',
        digits.DEFINITIONS,
        f"<g {digits.STROKES}>",
    ]
    for y, row in enumerate(position.cells):
        for x, value in enumerate(row):
            left, top = _MARGIN + x * _CELL, _MARGIN + y * _CELL
            clue = sudoku.rows[y][x] != BLANK
            if clue:
                parts.append(f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="#e6e6e6"/>')
            if value != BLANK:
                number = digits.number(value, left + _CELL / 2, top + _CELL / 2)
                parts.append(f'<g stroke="{"#000" if clue else "#0072b2"}">{number}</g>')
    parts.append("</g>")
    for thick in (False, True):
        lines = [_MARGIN + i * _CELL for i in range(sudoku.size + 1) if (i % side == 0) == thick]
        path = "".join(f"M{at} {_MARGIN}V{far}M{_MARGIN} {at}H{far}" for at in lines)
        parts.append(f'<path d="{path}" stroke="#222" stroke-width="{2.5 if thick else 0.7}" fill="none"/>')
    return document(total, total, _title(position, record, step), record, parts)
