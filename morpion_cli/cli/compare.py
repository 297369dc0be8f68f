"""morpion compare"""

from pathlib import Path

import typer

from morpion_cli.cli.common import parsed, print_json

_NAMES = ("A", "B")


def compare(
    first: Path = typer.Argument(..., metavar="A.yaml", help="The config of a hunt."),
    second: Path = typer.Argument(..., metavar="B.yaml", help="Another."),
    duration: str | None = typer.Option(
        None, "--time", metavar="TIME", help="CPU time of each run, e.g. 60s; without it a run is one task."
    ),
    runs: int = typer.Option(40, "--runs", metavar="N", help="Pairs of runs, on the same seeds.", min=2, max=10**6),
    boards: int | None = typer.Option(
        None, "--boards", metavar="N", help="Run i plays board i of the game, of N; without it all play one.", min=1
    ),
    seed: int = typer.Option(1, "--seed", metavar="N", help="Of both.", min=0, max=2**64 - 1),
    workers: int | None = typer.Option(None, "--workers", metavar="N", help="Threads. [one a core]", min=1, max=1024),
    out: Path | None = typer.Option(None, "--out", metavar="DIR", help="Keep every run in this folder."),
    resume: bool = typer.Option(False, "--resume", help="Go on with the runs in that folder."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as one JSON object on stdout."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show no progress."),
) -> None:
    """Tell which of two hunts is better at equal time: runs in pairs, and an interval on the difference.

    Of the configs only game, board and algorithm count.

    Example: morpion compare configs/5d.yaml configs/5d-level3.yaml --time 60s --runs 40
    """
    import contextlib
    import os

    from morpion_cli.cli.signals import on_signals
    from morpion_cli.config.hunt_config import build_settings
    from morpion_cli.config.yaml_tree import read_yaml
    from morpion_cli.errors import UserError
    from morpion_cli.experiment.plan import Cell, Plan
    from morpion_cli.values import parse_duration

    seconds = None if duration is None else parsed(parse_duration, duration, "--time")
    cells = []
    for name, path in zip(_NAMES, (first, second), strict=True):
        settings = build_settings(read_yaml(path), {}, {})
        if settings.opening:
            raise UserError(f"{path}: from: games that are continued cannot be compared")
        cells.append(
            Cell(
                name=name,
                row="",
                column="",
                game=settings.game,
                game_options=settings.game_options,
                algorithm=settings.algorithm,
                options=settings.options,
                searches=runs,
                boards=boards,
                time=seconds,
                target=settings.puzzle.reaches,
            )
        )
        if boards is not None and "number" not in settings.game.options.model_fields:
            raise UserError(f"--boards: {settings.game.name} has no boards")
        cells[-1].puzzle((boards or 1) - 1)
    both = list(zip(cells, (first, second), strict=True))
    if cells[0].game is not cells[1].game:
        raise UserError(f"two games cannot be compared: {cells[0].game.name} and {cells[1].game.name}")

    if resume and out is None:
        raise UserError("--resume goes on with the runs in a folder; which one is said by --out")

    from morpion_cli.experiment.comparison import compared
    from morpion_cli.experiment.journal import Journal
    from morpion_cli.experiment.origin import machine, versions
    from morpion_cli.experiment.progress import progress
    from morpion_cli.experiment.trials import Trial, run_trials

    plan = Plan(f"{first.stem} against {second.stem}", "", "", seed, tuple(cells))
    interrupted: list[str] = []
    received = on_signals(interrupted.append)
    with contextlib.nullcontext() if out is None else Journal(out, plan, resume) as journal:
        trials = [] if journal is None else list(journal.trials)
        done = {(trial.cell, trial.search) for trial in trials}
        with progress("compare", 2 * runs - len(done), quiet) as advance:

            def take(finished: list[Trial]) -> None:
                if journal is not None:
                    journal.add(finished)
                trials.extend(finished)
                advance(len(finished))

            run_trials(cells, seed, workers or len(os.sched_getaffinity(0)), done, take, lambda: bool(interrupted))
    result = compared(trials, _NAMES)
    if as_json:
        origin = {"seed": seed, "time": seconds, "runs": runs, "versions": versions(), "machine": machine()}
        searches = {
            cell.name: {"file": str(path), "game": cell.game.name, "method": cell.method} for cell, path in both
        }
        print_json({**result.document(), **origin, "searches": searches})
    else:
        for cell, path in both:
            print(f"{cell.name}  {path}: {cell.game.name}, {cell.method}")
            print(f"   {result.describe(cell.name)}")
        if cells[0].key == cells[1].key:
            print("A and B are the same search")
        print(result.sentence)
        if interrupted:
            print(f"stopped: {len(result.trials['A']):,} of {runs:,} pairs")
    if received:
        raise typer.Exit(128 + received[0])
