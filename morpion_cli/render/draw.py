"""Drawing any game: which module draws which family of puzzles."""

from typing import Protocol

from morpion_cli.grid.record import Record
from morpion_cli.render import blocks, morpion, sudoku, toys
from morpion_cli.render.room import EVERYWHERE, Room
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme


class _Drawer(Protocol):
    """A module that draws a family of puzzles."""

    def text(self, record: Record, step: int | None, color: bool, room: Room, /) -> str: ...
    def scene(self, record: Record, theme: Theme, numbers: bool, /) -> Scene: ...


_DRAWN_BY: dict[str, _Drawer] = {"morpion": morpion, "samegame": blocks, "sudoku": sudoku, "toy": toys}


def as_text(record: Record, step: int | None = None, color: bool = False, room: Room = EVERYWHERE) -> str:
    """Return a title and a drawing as lines of text, with ANSI colours if asked for.

    step: show the game after so many moves. Without it: a board of tiles as it starts, any other game at its end.
    room: for the drawing below the title and an empty line.
    Raises IllegalMoveError.
    """
    return _DRAWN_BY[record.puzzle.family].text(record, step, color, room)


def as_scene(record: Record, theme: Theme, numbers: bool = True) -> Scene:
    """Return a game as a scene. Raises IllegalMoveError."""
    return _DRAWN_BY[record.puzzle.family].scene(record, theme, numbers)
