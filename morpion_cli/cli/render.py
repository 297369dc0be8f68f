"""morpion render"""

from pathlib import Path

import typer

from morpion_cli.cli.common import VARIANT, illegal

_KINDS = "svg, png, pdf, gif, webp, html or txt"


def render(
    file: Path = typer.Argument(..., metavar="FILE", help="The grid to draw, or - for standard input."),
    out: Path | None = typer.Option(
        None,
        "--out",
        "-o",
        metavar="OUT",
        help=f"Draw to a file, whose name ends in {_KINDS}.",
    ),
    step: int | None = typer.Option(None, "--step", metavar="N", help="Show the game after N moves."),
    width: int | None = typer.Option(None, "--width", metavar="N", help="Pixels across, or columns of text."),
    theme: str = typer.Option("light", "--theme", metavar="NAME", help="Colours: light or dark."),
    numbers: bool = typer.Option(True, "--numbers/--no-numbers", help="Number the dots, or name the tiles."),
    variant: str | None = VARIANT,
) -> None:
    """Draw a grid on the terminal, or to a file.

    Without --step a board of tiles is drawn as it starts, with the first group in brackets, and any other game at its
    end. In Morpion start dots are filled, and a placed dot is the number of its move. .gif and .webp play the game, and
    .html is a page on which one can step through it.

    Example: morpion render grid.json -o grid.svg
    """
    import shutil
    import sys

    from morpion_cli.cli.common import read_grid, terminal_color
    from morpion_cli.errors import UserError
    from morpion_cli.files import write_atomic
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.render import draw
    from morpion_cli.render.export import KINDS, MAX_WIDTH, Look, export
    from morpion_cli.render.room import EVERYWHERE, Room
    from morpion_cli.render.theme import THEMES

    kind = "txt" if out is None else out.suffix.lower().removeprefix(".")
    if kind not in (*KINDS, "txt"):
        raise UserError(f"--out: expected a name that ends in {_KINDS}, got {str(out)!r}")
    if theme not in THEMES:
        raise UserError(f"--theme: expected {' or '.join(THEMES)}, got {theme!r}")
    if width is not None and not 1 <= width <= MAX_WIDTH:
        raise UserError(f"--width: expected a number from 1 to {MAX_WIDTH}, got {width}")
    record = read_grid(file, variant).record
    if step is not None and not 0 <= step <= len(record.moves):
        raise UserError(f"--step: expected a number from 0 to {len(record.moves)}, got {step}")
    try:
        if kind != "txt":
            picture = export(record, kind, Look(step, theme, numbers, width))
        else:
            room = EVERYWHERE if width is None else Room(width)
            if width is None and out is None and sys.stdout.isatty():
                room = Room(shutil.get_terminal_size().columns)
            drawing = draw.as_text(record, step, out is None and terminal_color(), room)
            picture = f"{drawing}\n".encode()
    except IllegalMoveError as error:
        raise illegal(file, "drawn", error) from None
    if out is None:
        print(drawing)
    else:
        write_atomic(out, picture)
