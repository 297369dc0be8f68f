"""A game of a toy problem, as text and as a scene: a row of turns."""

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.render.room import Room
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme

_STEP = 12  # pixels


def _caption(record: Record) -> str:
    score = replay(record.puzzle, record.moves).score
    return f"{record.puzzle.name} {record.puzzle.score_text(score)} of {record.puzzle.moves_limit}"


def text(record: Record, step: int | None, _color: bool, room: Room) -> str:
    """Return a title and the turns, L and R. Raises IllegalMoveError."""
    turns = "".join("L" if move.left else "R" for move in record.moves[:step])
    columns = min(60, room.columns)
    rows = [turns[i : i + columns] for i in range(0, len(turns), columns)]
    return f"{_caption(record)}\n\n" + "\n".join(rows)


def scene(record: Record, theme: Theme, _numbers: bool) -> Scene:
    """Return the way through the tree as a scene. Raises IllegalMoveError."""
    moves = record.moves
    x, y = (len(moves) + 1) * _STEP, _STEP
    steps = [("",)]
    for move in moves:
        to = x + (-_STEP if move.left else _STEP)
        steps.append((f'<path d="M{x} {y}L{to} {y + _STEP}"/>',))
        x, y = to, y + _STEP
    width, height = 2 * (len(moves) + 1) * _STEP, (len(moves) + 2) * _STEP
    return Scene(
        width,
        height,
        f'<rect width="{width}" height="{height}" fill="{theme.paper}"/>',
        layers=(f'stroke="{theme.accent}" stroke-width="3" stroke-linecap="round"',),
        steps=tuple(steps),
        cumulative=True,
        marked=("",),
        captions=(_caption(record),) * (len(moves) + 1),
    )
