"""morpion convert"""

from pathlib import Path

import typer

from morpion_cli.cli.common import VARIANT, illegal

_STDOUT = Path("-")
_BINARY = ("png", "pdf", "gif", "webp")


def convert(
    file: Path = typer.Argument(..., metavar="FILE", help="The grid, in any format, or - for standard input."),
    to: str = typer.Option(
        ...,
        "--to",
        metavar="FORMAT",
        help="msr (JSON), ms1 (one line), pentasol, pentasol-io (as morpion-solitaire.io writes it), pymorpion (JSON), "
        "or a picture: svg, png, pdf, gif, webp, html.",
    ),
    out: Path = typer.Option(_STDOUT, "--out", "-o", metavar="OUT", help="The file to write; - is standard output."),
    variant: str | None = VARIANT,
) -> None:
    """Convert a grid to another format.

    The format of FILE is told by its content. What the new format has no place for is said on stderr. SVG, PNG and HTML
    pictures carry the whole record, and can be converted back.

    Example: morpion convert grid.json --to pentasol -o grid.psol
    """
    import sys

    from morpion_cli.cli.common import read_grid, say
    from morpion_cli.errors import UserError, shown
    from morpion_cli.files import write_atomic
    from morpion_cli.formats.writing import FORMATS, write
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.render.export import CARRY_RECORD, KINDS, Look, export

    if to not in (*FORMATS, *KINDS):
        raise UserError(f"--to: expected {', '.join((*FORMATS, *KINDS))}, got {shown(to)}")
    if out == _STDOUT and to in _BINARY and sys.stdout.isatty():
        raise UserError(f"{to} is not for a terminal: name a file with -o")
    record = read_grid(file, variant).record
    try:
        if to in FORMATS:
            data, dropped = write(record, to)
        else:
            data, dropped = export(record, to, Look()), [] if to in CARRY_RECORD else ["the record itself"]
    except IllegalMoveError as error:
        raise illegal(file, "converted", error) from None
    if out == _STDOUT:
        sys.stdout.buffer.write(data)
    else:
        write_atomic(out, data)
    if dropped:
        say(f"{to} has no place for: {'; '.join(dropped)}")
