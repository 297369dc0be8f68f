"""morpion runs, morpion watch"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from morpion_cli.cli.common import print_json
from morpion_cli.files import plain

if TYPE_CHECKING:
    from rich.console import Group

_RUNS = Path("runs")
_EVERY = 0.5  # seconds between two looks at a run


def runs(
    folder: Path = typer.Argument(_RUNS, metavar="DIR", help="A run's folder, or one that holds some."),
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list on stdout."),
) -> None:
    """List runs with their state, best score, time and rate; the newest last.

    A run that no process holds and that has not said why it stopped was killed; `morpion search --resume` goes on with
    it.

    Example: morpion runs
    """
    from morpion_cli.errors import UserError
    from morpion_cli.hunt.progress import duration

    if not folder.is_dir():
        raise UserError(f"{plain(folder)}: no such folder")
    rows = sorted(_rows([folder, *sorted(folder.iterdir())]), key=lambda row: row["saved_at"])
    if as_json:
        print_json(rows)
        return
    if not rows:
        print("no runs")
    for row in rows:
        best = "none yet" if row["best"] is None else f"{row['best']:,}"
        print(
            f"{plain(row['run'])}  {row['game']} {row['method']}, seed {row['seed']}: {row['state']}, best {best}, "
            f"{row['tasks_done']:,} tasks, {duration(row['elapsed_secs'])}, {row['rate']:,}/s"
        )


def watch(
    folders: list[Path] = typer.Argument(..., metavar="RUN...", help="Folders of runs."),
    once: bool = typer.Option(False, "--once", help="Show them once and end."),
) -> None:
    """Watch runs that go on in other terminals, until they all have stopped or Ctrl-C.

    Example: morpion watch runs/*
    """
    import time

    from rich.console import Console
    from rich.live import Live

    from morpion_cli.errors import UserError

    for folder in folders:
        if _row(folder) is None:
            raise UserError(f"{plain(folder)}: not the folder of a run")
    console = Console(highlight=False)
    if once or not console.is_terminal:
        console.print(_view(_rows(folders), console))
        return
    with Live(console=console, auto_refresh=False) as live:
        while True:
            rows = _rows(folders)
            live.update(_view(rows, console), refresh=True)
            if not any(row["state"] == "running" for row in rows):
                return
            time.sleep(_EVERY)


def _row(path: Path) -> dict[str, Any] | None:
    """Return what is to be said of a run, or None if the folder holds none."""
    from morpion_cli.errors import UserError
    from morpion_cli.hunt.run_folder import is_running, read_state

    try:
        state = read_state(path)
        best = state["best"]
        stopped = f"stopped by {state['stopped_by']}" if state["stopped_by"] else "killed"
        return {
            "run": str(path),
            "game": state["game"],
            "method": state["method"],
            "seed": state["seed"],
            "state": "running" if is_running(path) else stopped,
            "best": None if best is None else best["score"],
            "path": None if best is None else best["path"],
            "tasks_done": sum(state["scores"].values()),
            "scores": state["scores"],
            "playouts": state["playouts"],
            "elapsed_secs": round(state["elapsed"], 3),
            "rate": round(state["playouts"] / state["elapsed"]) if state["elapsed"] else 0,
            "saved_at": state["saved_at"],
        }
    except (UserError, KeyError, TypeError, AttributeError):
        return None


def _rows(folders: Iterable[Path]) -> list[dict[str, Any]]:
    return [row for folder in folders if (row := _row(folder)) is not None]


def _view(rows: list[dict[str, Any]], console: Any) -> "Group":
    from collections import Counter

    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from morpion_cli.hunt.progress import duration, histogram

    parts: list[Any] = []
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("run", "game", "method", "state", "best", "tasks", "playouts", "rate", "time"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(
            plain(row["run"]), row["game"], row["method"], row["state"],
            "" if row["best"] is None else f"{row['best']:,}", f"{row['tasks_done']:,}", f"{row['playouts']:,}",
            f"{row['rate']:,}/s", duration(row["elapsed_secs"]),
        )  # fmt: skip
    parts.append(table)
    if len(rows) == 1 and rows[0]["scores"]:
        scores = Counter({int(score): count for score, count in rows[0]["scores"].items()})
        parts.append(Text(f"\nscores  {histogram(scores, min(console.width - 30, 60))}"))
    if len(rows) == 1 and rows[0]["path"] is not None:
        drawing = _drawing(Path(rows[0]["path"]), console)
        if drawing is not None:
            parts += [Text(), drawing]
    return Group(*parts)


def _drawing(path: Path, console: Any) -> Any:
    """Return the best grid as large as there is room for, or None if it is not there."""
    from rich.text import Text

    from morpion_cli.errors import UserError
    from morpion_cli.formats.reading import read
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.render import draw
    from morpion_cli.render.room import Room

    try:
        drawing = draw.as_text(read(path).record, None, not console.no_color, Room(console.width, console.height - 8))
    except (UserError, IllegalMoveError):
        return None
    return Text.from_ansi(drawing)
