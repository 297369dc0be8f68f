"""A board of SameGame and its like, as text and as SVG: the tiles at some step, and the group that is removed next."""

from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.samegame import EMPTY, TILES, BoardPosition, Click
from morpion_cli.render import digits
from morpion_cli.render.svg import document

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


class _Shown:
    """A game at some step."""

    def __init__(self, record: Record, step: int) -> None:
        whole: BoardPosition = replay(record.puzzle, record.moves)  # all of it must be legal
        self.position: BoardPosition = replay(record.puzzle, record.moves[:step])
        self.board = self.position.board
        last = step >= len(record.moves)
        self.group: set[Click] = set() if last else self.position.group(record.moves[step])
        self.title = (
            f"{self.board.name} {self.board.score_text(whole.score)}, {self.board.width}x{self.board.height}: "
            f"after {step} of {len(record.moves)} moves, {self.board.score_text(self.position.score)}"
        )
        if self.group:
            color = self.position.color(*record.moves[step])
            self.title += f"; next {len(self.group)} of colour {color}"


def text(record: Record, step: int | None, color: bool) -> str:
    """Return a title and the board, three columns a tile; the next group in brackets. Raises IllegalMoveError."""
    shown = _Shown(record, step or 0)
    lines = []
    for y, row in enumerate(shown.position.rows()):
        line = ""
        for x, tile in enumerate(row):
            drawn = "   " if tile == EMPTY else f"[{tile}]" if (x, y) in shown.group else f" {tile} "
            if color and tile != EMPTY:
                ink = 231 if tile in _DARK else 16
                drawn = f"\x1b[48;5;{_TERMINAL[TILES.index(tile)]};38;5;{ink}m{drawn}\x1b[0m"
            line += drawn
        lines.append(line.rstrip())
    return f"{shown.title}\n\n" + "\n".join(lines)


def svg(record: Record, step: int | None) -> str:
    """Return the board as an SVG document that carries the record. Raises IllegalMoveError."""
    shown = _Shown(record, step or 0)
    board = shown.board
    width, height = board.width * _TILE + 2 * _MARGIN, board.height * _TILE + 2 * _MARGIN
    parts = [
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        digits.DEFINITIONS,
        f"<g {digits.STROKES}>",
    ]
    for y, row in enumerate(shown.position.rows()):
        for x, tile in enumerate(row):
            if tile == EMPTY:
                continue
            left, top = _MARGIN + x * _TILE, _MARGIN + y * _TILE
            marked = (x, y) in shown.group
            edge = 'stroke="#000" stroke-width="4"' if marked else 'stroke="#fff" stroke-width="2"'
            inset = 3 if marked else 1
            side = _TILE - 2 * inset
            parts.append(
                f'<rect x="{left + inset}" y="{top + inset}" width="{side}" height="{side}" rx="5" '
                f'fill="{_FILLS[TILES.index(tile)]}" {edge}/>'
            )
            ink = "#fff" if tile in _DARK else "#000"
            number = digits.number(TILES.index(tile), left + _TILE / 2, top + _TILE / 2)
            parts.append(f'<g stroke="{ink}">{number}</g>')
    return document(width, height, shown.title, record, [*parts, "</g>"])
