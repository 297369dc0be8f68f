"""A game of Morpion Solitaire, as text and as a scene."""

from morpion_cli.grid.record import Record
from morpion_cli.render import morpion_scene, morpion_text
from morpion_cli.render.morpion_picture import picture
from morpion_cli.render.room import Room
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme


def text(record: Record, step: int | None, color: bool, room: Room) -> str:
    """Return a title and the board. Raises IllegalMoveError."""
    shown = picture(record)
    step = len(shown.moves) if step is None else step
    return f"{shown.caption(step)}\n\n{morpion_text.draw(shown, step, color, room)}"


def scene(record: Record, theme: Theme, numbers: bool) -> Scene:
    """Return the game as a scene. Raises IllegalMoveError."""
    return morpion_scene.scene(picture(record), theme, numbers)
