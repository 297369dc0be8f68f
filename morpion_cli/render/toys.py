"""A game of a toy problem, as text and as SVG: a row of turns."""

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.render.svg import document

_STEP = 12  # pixels


def _title(record: Record) -> str:
    score = replay(record.puzzle, record.moves).score
    return f"{record.puzzle.name} {record.puzzle.score_text(score)} of {record.puzzle.moves_limit}"


def text(record: Record, step: int | None, _color: bool) -> str:
    """Return a title and the turns, L and R. Raises IllegalMoveError."""
    turns = "".join("L" if move.left else "R" for move in record.moves[:step])
    rows = [turns[i : i + 60] for i in range(0, len(turns), 60)]
    return f"{_title(record)}\n\n" + "\n".join(rows)


def svg(record: Record, step: int | None) -> str:
    """Return the way through the tree as an SVG document that carries the record. Raises IllegalMoveError."""
    moves = record.moves[:step]
    x, y = (len(moves) + 1) * _STEP, _STEP
    path = f"M{x} {y}"
    for move in moves:
        x, y = x + (-_STEP if move.left else _STEP), y + _STEP
        path += f"L{x} {y}"
    width, height = 2 * (len(moves) + 1) * _STEP, (len(moves) + 2) * _STEP
    parts = [
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<path d="{path}" stroke="#0072b2" stroke-width="3" fill="none"/>',
    ]
    return document(width, height, _title(record), record, parts)
