"""Drawing any game: which module draws which family of puzzles."""

from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import Board
from morpion_cli.grid.sudoku import Sudoku
from morpion_cli.grid.toys import Toy
from morpion_cli.render import blocks, morpion_svg, morpion_text, sudoku, toys
from morpion_cli.render.morpion_picture import picture


def as_text(record: Record, step: int | None = None, color: bool = False) -> str:
    """Return a title and a drawing as lines of text, with ANSI colours if asked for.

    step: show the game after so many moves. Without it: a board as it starts, any other game at its end.
    Raises IllegalMoveError.
    """
    if isinstance(record.puzzle, Board):
        return blocks.text(record, step or 0, color)
    if isinstance(record.puzzle, Sudoku):
        return sudoku.text(record, step, color)
    if isinstance(record.puzzle, Toy):
        return toys.text(record, step)
    shown = picture(record, step)
    return f"{shown.title}\n\n{morpion_text.draw(shown, color)}"


def as_svg(record: Record, step: int | None = None) -> str:
    """Return a drawing as an SVG document that carries the record; `step` as in `as_text`. Raises IllegalMoveError."""
    if isinstance(record.puzzle, Board):
        return blocks.svg(record, step or 0)
    if isinstance(record.puzzle, Sudoku):
        return sudoku.svg(record, step)
    if isinstance(record.puzzle, Toy):
        return toys.svg(record, step)
    return morpion_svg.draw(picture(record, step), record)
