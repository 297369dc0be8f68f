"""morpion experiment"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import parsed, print_json, say

if TYPE_CHECKING:
    from morpion_cli.experiment.report import Report
    from morpion_cli.experiment.trials import Trial


def experiment(
    config: Path = typer.Argument(..., metavar="CONFIG.yaml", help="An experiment (see configs/papers/)."),
    scale: float = typer.Option(1.0, "--scale", metavar="X", help="Run this share of the searches, e.g. 0.1."),
    cell: list[str] = typer.Option(
        [], "--cell", metavar="GLOB", help="Run only cells with such a name, e.g. 'level 2*'; may be repeated."
    ),
    duration: str | None = typer.Option(
        None, "--time", metavar="TIME", help="Stop after that long and show what there is; --resume goes on."
    ),
    resume: bool = typer.Option(False, "--resume", help="Go on with the results in the folder."),
    workers: int | None = typer.Option(None, "--workers", metavar="N", help="Threads. [one a core]", min=1, max=1024),
    out: Path | None = typer.Option(None, "--out", metavar="DIR", help="Folder of the results. [results/CONFIG]"),
    as_json: bool = typer.Option(False, "--json", help="Print the result as one JSON object on stdout."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show no progress."),
) -> None:
    """Run a table or figure of a paper: many searches a cell, with the paper's figure beside ours.

    Every finished search is a line of results.jsonl; table.md, table.csv and, with the extra "plots", the figures are
    made from them. Times are CPU times.

    Example: morpion experiment configs/papers/mcbs-table1.yaml --scale 0.1
    """
    import dataclasses
    import fnmatch
    import math
    import os
    import time

    from morpion_cli.cli.signals import on_signals
    from morpion_cli.config.experiment_config import build_plan
    from morpion_cli.config.yaml_tree import read_yaml
    from morpion_cli.errors import UserError
    from morpion_cli.values import parse_duration

    if not 0 < scale <= 1000:
        raise UserError(f"--scale: expected a number more than 0, such as 0.1, got {scale}")
    seconds = math.inf if duration is None else parsed(parse_duration, duration, "--time")
    plan = build_plan(read_yaml(config), scale)
    if cell:
        chosen = tuple(c for c in plan.cells if any(fnmatch.fnmatch(c.name, glob) for glob in cell))
        if not chosen:
            raise UserError(f"--cell: no cell has such a name (cells: {', '.join(c.name for c in plan.cells[:12])})")
        plan = dataclasses.replace(plan, cells=chosen)

    from morpion_cli.experiment.journal import Journal
    from morpion_cli.experiment.origin import machine, versions
    from morpion_cli.experiment.progress import progress
    from morpion_cli.experiment.report import as_document, as_markdown, as_table, report
    from morpion_cli.experiment.trials import run_trials

    folder = out or Path("results") / plan.name
    interrupted: list[str] = []
    received = on_signals(interrupted.append)
    begun = time.monotonic()
    with Journal(folder, plan, resume) as journal, progress(plan, journal.trials, quiet) as advance:

        def take(trials: "list[Trial]") -> None:
            journal.add(trials)
            advance(journal.trials)

        done = {(trial.cell, trial.search) for trial in journal.trials}
        cores = workers or len(os.sched_getaffinity(0))
        run_trials(
            plan.cells, plan.seed, cores, done, take, lambda: bool(interrupted) or time.monotonic() - begun > seconds
        )
        trials = journal.trials
    shown = report(plan, trials)
    spent = sum(trial.cpu for trial in trials)
    made = f"{time.strftime('%Y-%m-%d')}, {versions()}, {machine()}, {spent:,.0f} s of CPU time"
    _write(folder, shown, trials, as_markdown(shown, made))
    if as_json:
        print_json({**as_document(shown), "path": str(folder)})
    else:
        print(f"{plan.title}\n\n{as_table(shown)}\n")
        print(f"results   {len(trials):,} of {sum(c.searches for c in plan.cells):,} searches, in {folder}")
        if scale != 1:
            print(f"scale     {scale:g} of the searches")
    if received:
        raise typer.Exit(128 + received[0])


def _write(folder: Path, shown: "Report", trials: "list[Trial]", markdown: str) -> None:
    """Write the tables, and the figures if there is matplotlib."""
    from morpion_cli.errors import UserError
    from morpion_cli.experiment.report import as_csv
    from morpion_cli.files import write_atomic

    write_atomic(folder / "table.md", markdown.encode())
    write_atomic(folder / "table.csv", as_csv(shown).encode())
    if not shown.results:
        return
    from morpion_cli.experiment.figures import draw
    from morpion_cli.experiment.report import figure_names

    for name, figure in figure_names(shown.plan):
        try:
            drawn = draw(figure, shown, trials)
        except UserError as error:
            say(str(error))
            return
        for kind, data in drawn.items():
            write_atomic(folder / f"{name}.{kind}", data)
