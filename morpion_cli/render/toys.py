"""A game of a toy problem, as text and as SVG: a row of turns."""

from xml.sax.saxutils import escape

from morpion_cli.grid.msr import dump
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record

_STEP = 12  # pixels


def _title(record: Record) -> str:
    score = replay(record.puzzle, record.moves).score
    return f"{record.puzzle.name} {record.puzzle.score_text(score)} of {record.puzzle.moves_limit}"


def text(record: Record, step: int | None) -> str:
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
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"',
            f' height="{height}">',
            f"<title>{escape(_title(record))}</title>",
            f'<metadata id="msr">{escape(dump(record).decode())}</metadata>',
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            f'<path d="{path}" stroke="#0072b2" stroke-width="3" fill="none"/>',
            "</svg>",
            "",
        ]
    )
