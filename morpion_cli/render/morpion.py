"""A game of Morpion Solitaire, as text and as SVG."""

from morpion_cli.grid.record import Record
from morpion_cli.render import morpion_svg, morpion_text
from morpion_cli.render.morpion_picture import picture


def text(record: Record, step: int | None, color: bool) -> str:
    """Return a title and the board. Raises IllegalMoveError."""
    shown = picture(record, step)
    return f"{shown.title}\n\n{morpion_text.draw(shown, color)}"


def svg(record: Record, step: int | None) -> str:
    """Return the board as an SVG document that carries the record. Raises IllegalMoveError."""
    return morpion_svg.draw(picture(record, step), record)
