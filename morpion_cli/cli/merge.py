"""morpion merge"""

from pathlib import Path

import typer


def merge(
    folders: list[Path] = typer.Argument(..., metavar="RUN...", help="Folders of runs, of different shares."),
    out: Path = typer.Option(..., "--out", "-o", metavar="DIR", help="The folder of the new run."),
) -> None:
    """Join runs of one hunt that were run in shares (search --shard) to one, which --resume can go on with.

    Example: morpion merge runs/a runs/b -o runs/both
    """
    from morpion_cli.files import plain
    from morpion_cli.hunt.merging import merge as join

    state = join(folders, out)
    best = "none" if state["best"] is None else f"{state['best']['score']:,}, {state['best']['path']}"
    print(f"{plain(out)}: {sum(state['scores'].values()):,} tasks, best {best}")
