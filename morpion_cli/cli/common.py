"""What several commands share. Imports nothing heavy."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from morpion_cli.files import plain

if TYPE_CHECKING:
    from morpion_cli.formats.reading import Reading
    from morpion_cli.grid.puzzle import IllegalMoveError

T = TypeVar("T")

EXIT_ILLEGAL = 1
EXIT_USAGE = 2
EXIT_PIPE = 141  # whoever read our output has gone, as a shell says it

VARIANT = typer.Option(
    None, "--variant", metavar="NAME", help="5T, 5D, 4T or 4D, of a Pentasol file, which does not say."
)


def print_json(value: Any) -> None:
    """Print one JSON value on stdout."""
    import json

    import orjson

    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:  # a file's name that is not text
        text = json.dumps(value, indent=2, default=str)
    print(text)


def parsed(parse: Callable[[str], T], text: str, option: str) -> T:
    """Return what `parse` makes of an option's text. Raises UserError where it raises ValueError."""
    from morpion_cli.errors import UserError

    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None


def terminal_color() -> bool:
    """Tell whether stdout shows colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str) -> None:
    """Print a line for a person on stderr."""
    print(f"morpion: {plain(text)}", file=sys.stderr)


def read_grid(file: Path, variant: str | None) -> "Reading":
    """Return the grid in a file, and say what had to be guessed. Raises UserError."""
    from morpion_cli.errors import UserError, shown
    from morpion_cli.formats.reading import read
    from morpion_cli.grid.morpion import VARIANTS

    if variant is not None and variant.upper() not in VARIANTS:
        raise UserError(f"--variant: expected {', '.join(VARIANTS)}, got {shown(variant)}")
    reading = read(file, None if variant is None else VARIANTS[variant.upper()])
    if reading.note:
        say(f"{file}: {reading.note}")
    return reading


def illegal(file: Path, what: str, error: "IllegalMoveError") -> typer.Exit:
    """Say why something was not done with a game; return what ends the command."""
    say(f"{file}: not {what}, it is illegal: {error}")
    return typer.Exit(EXIT_ILLEGAL)
