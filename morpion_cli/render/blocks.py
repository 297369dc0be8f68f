"""A game of SameGame and its like, as text and as a scene: the tiles at a step, and the group that is removed next."""

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import EMPTY, TILES, BoardPosition, Click
from morpion_cli.render import digits
from morpion_cli.render.room import Room
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import Theme

# Fifteen colours that are told apart by people who see colours differently too (Okabe and Ito, and shades of them);
# the tile's character is drawn on each, so that no colour is needed.
_FILLS = (
    "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#0072b2", "#d55e00", "#999999",
    "#8c510a", "#b2df8a", "#6a3d9a", "#fb9a99", "#333333", "#c7eae5", "#ffffff",
)  # fmt: skip
_TERMINAL = (214, 75, 36, 227, 175, 25, 166, 246, 94, 150, 55, 217, 236, 195, 231)  # of 256 colours, the same order
_DARK = "5acd"  # tiles with light characters: 5, a, c and the like
_TILE = 32  # pixels
_MARGIN = 12


def _next_group(position: BoardPosition, record: Record, step: int) -> set[Click]:
    return position.group(record.moves[step]) if step < len(record.moves) else set()


def _caption(position: BoardPosition, record: Record, step: int, score: int) -> str:
    board = position.board
    text = (
        f"{board.name} {board.score_text(score)}, {board.width}x{board.height}: "
        f"after {step} of {len(record.moves)} moves, {board.score_text(position.score)}"
    )
    group = _next_group(position, record, step)
    if group:
        text += f"; next {len(group)} of colour {position.color(*record.moves[step])}"
    return text


def text(record: Record, step: int | None, color: bool, room: Room) -> str:
    """Return a title and the board, three columns a tile or fewer; the next group in brackets.

    Where brackets do not fit, a tile of the group is a dot. Raises IllegalMoveError.
    """
    step = step or 0
    score = replay(record.puzzle, record.moves).score  # all of it must be legal
    position: BoardPosition = replay(record.puzzle, record.moves[:step])
    group = _next_group(position, record, step)
    columns = next((n for n in (3, 2) if n * position.board.width <= room.columns), 1)
    lines = []
    for y, row in enumerate(position.rows()):
        line = ""
        for x, tile in enumerate(row):
            if tile == EMPTY:
                drawn = " " * columns
            elif columns == 3:
                drawn = f"[{tile}]" if (x, y) in group else f" {tile} "
            else:
                drawn = ("•" if (x, y) in group else tile).ljust(columns)
            if color and tile != EMPTY:
                ink = 231 if tile in _DARK else 16
                drawn = f"\x1b[48;5;{_TERMINAL[TILES.index(tile)]};38;5;{ink}m{drawn}\x1b[0m"
            line += drawn
        lines.append(line.rstrip())
    return f"{_caption(position, record, step, score)}\n\n" + "\n".join(lines)


def scene(record: Record, theme: Theme, numbers: bool) -> Scene:
    """Return the game as a scene. Raises IllegalMoveError."""
    score = replay(record.puzzle, record.moves).score
    position: BoardPosition = replay(record.puzzle, ())
    board = position.board
    width, height = board.width * _TILE + 2 * _MARGIN, board.height * _TILE + 2 * _MARGIN
    steps, captions = [], []
    for step in range(len(record.moves) + 1):
        group = _next_group(position, record, step)
        tiles = marks = ""
        for y, row in enumerate(position.rows()):
            for x, tile in enumerate(row):
                if tile == EMPTY:
                    continue
                left, top = _MARGIN + x * _TILE, _MARGIN + y * _TILE
                tiles += f'<use href="#t{tile}" x="{left}" y="{top}"/>'
                if (x, y) in group:
                    marks += f"M{left + 3} {top + 3}h26v26h-26z"
        steps.append((tiles, f'<path d="{marks}"/>' if marks else ""))
        captions.append(_caption(position, record, step, score))
        if step < len(record.moves):
            position.play(record.moves[step])
    used = sorted({tile for row in board.rows for tile in row} - {EMPTY})
    background = [
        digits.DEFINITIONS if numbers else "",
        "<defs>",
        *(_tile(tile, numbers) for tile in used),
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="{theme.paper}"/>',
    ]
    return Scene(
        width,
        height,
        "\n".join(background),
        layers=("", f'fill="none" stroke="{theme.ink}" stroke-width="4"'),
        steps=tuple(steps),
        cumulative=False,
        marked=("", ""),
        captions=tuple(captions),
    )


def _tile(tile: str, numbers: bool) -> str:
    number = digits.number(TILES.index(tile), _TILE / 2, _TILE / 2) if numbers else ""
    ink = "#fff" if tile in _DARK else "#000"
    side = _TILE - 2
    return (
        f'<g id="t{tile}"><rect x="1" y="1" width="{side}" height="{side}" rx="5" fill="{_FILLS[TILES.index(tile)]}"/>'
        f'<g stroke="{ink}" {digits.STROKES}>{number}</g></g>'
    )
