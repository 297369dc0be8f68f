"""Showing how far an experiment is: a bar on a terminal, a line now and then elsewhere. All of it on stderr."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from morpion_cli.experiment.plan import Plan
from morpion_cli.experiment.trials import Trial

_PLAIN_EVERY = 10.0  # seconds


@contextmanager
def progress(plan: Plan, done: Sequence[Trial], quiet: bool) -> Iterator[Callable[[Sequence[Trial]], None]]:
    """Show progress until the end of the block; what is yielded is called with everything finished so far.

    done: what was finished before.
    """
    console = Console(stderr=True, quiet=quiet)
    total = sum(cell.searches for cell in plan.cells)
    if console.is_terminal and not console.is_dumb_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("searches"),
            TimeElapsedColumn(),
            TextColumn("about"),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(plan.name, total=total, completed=len(done))
            yield lambda trials: bar.update(task, completed=len(trials))
        return
    last = time.monotonic()

    def say(trials: Sequence[Trial]) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_EVERY:
            last = time.monotonic()
            line = f"{plan.name}: {len(trials):,} of {total:,} searches"
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    yield say
