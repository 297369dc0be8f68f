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

    Without --step a board of tiles is drawn as it starts, with the first group in brackets, and any other game at its
    end. In Morpion start dots are filled, and a placed dot is the number of its move.

    Example: morpion render grid.json -o grid.svg
    """
    import os
    import sys

    from morpion_cli.errors import UserError
    from morpion_cli.files import write_atomic
    from morpion_cli.grid import msr
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.render import draw

    if out is not None and out.suffix.lower() not in (".svg", ".txt"):
        raise UserError(f"--out: expected a name that ends in .svg or .txt, got {str(out)!r}")
    record = msr.read(file)
    if step is not None and not 0 <= step <= len(record.moves):
        raise UserError(f"--step: expected a number from 0 to {len(record.moves)}, got {step}")
    as_svg = out is not None and out.suffix.lower() == ".svg"
    color = out is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    try:
        drawing = draw.as_svg(record, step) if as_svg else draw.as_text(record, step, color)
    except IllegalMoveError as error:
        print(f"morpion: {file}: not drawn, it is illegal: {error}", file=sys.stderr)
        raise typer.Exit(EXIT_ILLEGAL) from None
    if out is None:
        print(drawing)
    else:
        write_atomic(out, (drawing if as_svg else f"{drawing}\n").encode())
