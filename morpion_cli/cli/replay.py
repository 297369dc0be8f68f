"""morpion replay"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import VARIANT, illegal, read_grid, terminal_color

if TYPE_CHECKING:
    from rich.text import Text

    from morpion_cli.grid.record import Record

_HELP = ("← → a step, PgUp PgDn ten, Home End, space plays, q ends", "← → steps, space plays, q ends", "q ends")
_LOOK = 0.2  # seconds between two looks at the terminal's size
_PLAYING = 0.25  # seconds a step
# What terminals send, and what it means here.
_MEANING = {
    "\x1b[D": "back", "\x1bOD": "back", "h": "back", "\x1b[C": "on", "\x1bOC": "on", "l": "on",
    "\x1b[5~": "far back", "\x1b[6~": "far on",
    "\x1b[H": "start", "\x1bOH": "start", "\x1b[1~": "start", "\x1b[F": "end", "\x1bOF": "end", "\x1b[4~": "end",
    " ": "play", "q": "quit", "Q": "quit", "\x1b": "quit",
}  # fmt: skip


def replay(
    file: Path = typer.Argument(..., metavar="FILE", help="The grid to play."),
    step: int = typer.Option(0, "--step", metavar="N", help="Begin after N moves.", min=0),
    variant: str | None = VARIANT,
) -> None:
    """Step through a game on the terminal, with the arrow keys; space plays it.

    Example: morpion replay grids/records/5D-rosin82.json
    """
    import sys

    from morpion_cli.errors import UserError
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.grid.puzzle import replay as check

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("replay needs a terminal; 'morpion render FILE --step N' draws one step anywhere")
    record = read_grid(file, variant).record
    try:
        check(record.puzzle, record.moves)
    except IllegalMoveError as error:
        raise illegal(file, "played", error) from None
    _play(record, min(step, len(record.moves)))


def _play(record: "Record", step: int) -> None:
    import sys
    import termios
    import tty

    from rich.console import Console

    last = len(record.moves)
    playing = False
    console = Console(highlight=False)
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        with console.screen() as screen:
            while True:
                screen.update(_frame(record, step))
                keys = _keys(_PLAYING if playing else None)
                for key in keys:
                    jumps = {"back": step - 1, "on": step + 1, "far back": step - 10, "far on": step + 10}
                    jumps |= {"start": 0, "end": last}
                    if key == "quit":
                        return
                    if key in jumps:
                        playing, step = False, max(0, min(last, jumps[key]))
                    elif key == "play":
                        playing = not playing
                        step = 0 if playing and step == last else step
                if not keys and playing:
                    step += 1
                    playing = step < last
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _frame(record: "Record", step: int) -> "Text":
    """Return the game at a step, as large as the terminal has room for it now; the last line says where we are."""
    import shutil

    from rich.text import Text

    from morpion_cli.render import draw
    from morpion_cli.render.room import Room

    columns, rows = shutil.get_terminal_size()
    drawing = draw.as_text(record, step, terminal_color(), Room(columns, rows - 4)).splitlines()[: max(rows - 2, 0)]
    where = f"{step} of {len(record.moves)}"
    footer = next((text for text in (f"{where}   {each}" for each in _HELP) if len(text) <= columns), where)
    return Text.from_ansi("\n".join([*drawing, "", footer]), no_wrap=True, overflow="crop")


def _keys(timeout: float | None) -> list[str]:
    """Wait for keys and return what they mean; nothing if none comes in time, or the terminal has a new size."""
    import os
    import re
    import select
    import shutil
    import sys
    import time

    size = shutil.get_terminal_size()
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        left = _LOOK if until is None else min(_LOOK, max(until - time.monotonic(), 0))
        if select.select([sys.stdin], [], [], left)[0]:
            break
        if shutil.get_terminal_size() != size or (until is not None and time.monotonic() >= until):
            return []
    text = os.read(sys.stdin.fileno(), 1024).decode(errors="replace")
    if not text:
        return ["quit"]  # the terminal has gone
    # Several keys may have come at once; an escape that begins nothing is one of its own.
    return [_MEANING.get(key, "") for key in re.findall(r"\x1b[O\[][0-9;]*[A-Za-z~]|.", text, re.DOTALL)]
