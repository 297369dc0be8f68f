"""morpion experiment"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import parsed, print_json, say

if TYPE_CHECKING:
    from morpion_cli.experiment.plan import Plan
    from morpion_cli.experiment.report import Report
    from morpion_cli.experiment.trials import Trial
    from morpion_cli.hunt.store import Store


def experiment(
    config: Path = typer.Argument(..., metavar="CONFIG.yaml", help="An experiment (see configs/papers/)."),
    scale: float = typer.Option(
        1.0, "--scale", metavar="X", help="Run this share of each cell's searches, at least one; e.g. 0.1."
    ),
    cell: list[str] = typer.Option(
        [], "--cell", metavar="GLOB", help="Run only cells with such a name, e.g. 'level 2*'; may be repeated."
    ),
    duration: str | None = typer.Option(
        None,
        "--time",
        metavar="TIME",
        help="Stop after that long and show what there is; --resume goes on with the rest.",
    ),
    show_cells: bool = typer.Option(False, "--list", help="Only list the cells, with how many searches each."),
    resume: bool = typer.Option(False, "--resume", help="Go on with the results in the folder."),
    workers: int | None = typer.Option(None, "--workers", metavar="N", help="Threads. [one a core]", min=1, max=1024),
    out: Path | None = typer.Option(None, "--out", metavar="DIR", help="Folder of the results. [results/CONFIG]"),
    grids: Path | None = typer.Option(None, "--grids", metavar="DIR", help="Keep the best game of every search there."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as one JSON object on stdout."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show no progress."),
) -> None:
    """Run a table or figure of a paper: many searches a cell, with the paper's figure beside ours.

    Every finished search is a line of results.jsonl; table.md, table.csv and, with the extra "plots", the figures are
    made from all that fits the config. Times are CPU times. docs/experiments.md tells what a config says.

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
        raise UserError(f"--scale: expected a number from above 0 to 1000, such as 0.1, got {scale}")
    seconds = math.inf if duration is None else parsed(parse_duration, duration, "--time")
    plan = build_plan(read_yaml(config))
    chosen = [c for c in plan.cells if not cell or any(fnmatch.fnmatch(c.name, glob) for glob in cell)]
    if not chosen:
        raise UserError(f"--cell: no cell has such a name; the first is {plan.cells[0].name!r}, --list shows all")
    cells = [dataclasses.replace(c, searches=max(1, round(c.searches * scale))) for c in chosen]
    if show_cells:
        for c in cells:
            print(f"{c.searches:9,}  {c.name}: {c.game.name}, {c.method}")
        return

    from morpion_cli.experiment.journal import Journal
    from morpion_cli.experiment.progress import progress
    from morpion_cli.experiment.report import as_document, as_markdown, as_table, report
    from morpion_cli.experiment.trials import run_trials
    from morpion_cli.hunt.store import Store

    folder = out or Path("results") / plan.name
    store = None if grids is None else Store(grids)
    if store is not None:
        store.check_writable()
    interrupted: list[str] = []
    received = on_signals(interrupted.append)
    begun = time.monotonic()
    with Journal(folder, plan, resume) as journal:
        if journal.unused:
            say(f"{journal.path}: {journal.unused:,} results of another config or seed are not used")
        done = {(trial.cell, trial.search) for trial in journal.trials}
        waiting = sum((c.name, search) not in done for c in cells for search in range(c.searches))
        with progress(plan.name, waiting, quiet) as advance:

            def over() -> bool:
                return bool(interrupted) or time.monotonic() - begun > seconds

            def take(trials: "list[Trial]") -> None:
                if store is not None:
                    for trial in trials:
                        _keep(store, trial, plan)
                journal.add(trials)
                advance(len(trials))

            cores = workers or len(os.sched_getaffinity(0))
            run_trials(cells, plan.seed, cores, done, take, over)
        trials = journal.trials
    shown = report(plan, trials)
    made = "; ".join([time.strftime("%Y-%m-%d"), *journal.origins, f"{_hours(sum(t.cpu for t in trials))} of CPU time"])
    _write(folder, shown, trials, as_markdown(shown, made))
    if as_json:
        print_json({**as_document(shown), "path": str(folder)})
    else:
        print(f"{plan.title}\n\n{as_table(shown)}\n")
        print(f"results   {len(trials):,} of {sum(c.searches for c in plan.cells):,} searches, in {folder}")
        if scale != 1 or cell:
            print(f"scale     {scale:g} of the searches of {len(cells)} of {len(plan.cells)} cells were asked for")
        if seconds < math.inf and time.monotonic() - begun > seconds:
            print("time      over; searches that had not ended will be run again")
    if received:
        raise typer.Exit(128 + received[0])


def _keep(store: "Store", trial: "Trial", plan: "Plan") -> None:
    """Write the best game of a search, once the referee has replayed it."""
    from morpion_cli.hunt.store import provenance

    found = trial.found
    assert found is not None
    cell = next(cell for cell in plan.cells if cell.name == trial.cell)
    origin = provenance(
        method=cell.method,
        seed=plan.seed,
        task=trial.search,
        nodes_explored=trial.playouts,
        elapsed_secs=round(trial.cpu, 3),
    )
    store.write(store.check(found.loaded.record(found.moves, origin), found.score))


def _hours(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 600 else f"{seconds / 3600:.1f} h"


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
