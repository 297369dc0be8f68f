"""Drawing any game: which module draws which family of puzzles."""

from typing import Protocol

from morpion_cli.grid.record import Record
from morpion_cli.render import blocks, morpion, sudoku, toys


class _Drawer(Protocol):
    """A module that draws a family of puzzles."""

    def text(self, record: Record, step: int | None, color: bool, /) -> str: ...
    def svg(self, record: Record, step: int | None, /) -> str: ...


_DRAWN_BY: dict[str, _Drawer] = {"morpion": morpion, "samegame": blocks, "sudoku": sudoku, "toy": toys}


def as_text(record: Record, step: int | None = None, color: bool = False) -> str:
    """Return a title and a drawing as lines of text, with ANSI colours if asked for.

    step: show the game after so many moves. Without it: a board of tiles as it starts, any other game at its end.
    Raises IllegalMoveError.
    """
    return _DRAWN_BY[record.puzzle.family].text(record, step, color)


def as_svg(record: Record, step: int | None = None) -> str:
    """Return a drawing as an SVG document that carries the record; `step` as in `as_text`. Raises IllegalMoveError."""
    return _DRAWN_BY[record.puzzle.family].svg(record, step)
