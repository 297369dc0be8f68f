"""morpion render"""

from pathlib import Path

import typer

from morpion_cli.cli.common import EXIT_ILLEGAL


def render(
    file: Path = typer.Argument(..., metavar="FILE", help="The grid file to draw.", show_default=False),
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="OUT", help="Draw to this .svg or .txt file instead of the terminal."
    ),
    step: int | None = typer.Option(None, "--step", metavar="N", help="Show the game after N moves."),
) -> None:
    """Draw a grid on the terminal, or to a file.

    Start dots are filled; a placed dot is the number of its move.

    Example: morpion render grid.json -o grid.svg
    """
    import os
    import sys

    from morpion_cli.errors import UserError
    from morpion_cli.files import write_atomic
    from morpion_cli.grid import msr
    from morpion_cli.grid.morpion import IllegalMoveError
    from morpion_cli.render.picture import picture

    if out is not None and out.suffix.lower() not in (".svg", ".txt"):
        raise UserError(f"--out: expected a name that ends in .svg or .txt, got {str(out)!r}")
    record = msr.read(file)
    if step is not None and not 0 <= step <= len(record.moves):
        raise UserError(f"--step: expected a number from 0 to {len(record.moves)}, got {step}")
    try:
        shown = picture(record, step)
    except IllegalMoveError as error:
        print(f"morpion: {file}: not drawn, it is illegal: {error}", file=sys.stderr)
        raise typer.Exit(EXIT_ILLEGAL) from None
    if out is not None and out.suffix.lower() == ".svg":
        from morpion_cli.render import svg

        write_atomic(out, svg.draw(shown, record).encode())
        return
    from morpion_cli.render import text

    if out is not None:
        write_atomic(out, f"{shown.title}\n\n{text.draw(shown)}\n".encode())
        return
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    print(f"{shown.title}\n\n{text.draw(shown, color=color)}")
