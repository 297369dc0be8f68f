"""Showing how far an experiment is: a bar on a terminal, a line now and then elsewhere. All of it on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_PLAIN_EVERY = 10.0  # seconds


@contextmanager
def progress(name: str, total: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show progress until the end of the block; what is yielded is called with how many more are done."""
    console = Console(stderr=True, quiet=quiet)
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
            task = bar.add_task(name, total=total)
            yield lambda more: bar.advance(task, more)
        return
    begun = last = time.monotonic()
    done = 0

    def say(more: int) -> None:
        nonlocal last, done
        done += more
        if time.monotonic() - last >= _PLAIN_EVERY:
            last = time.monotonic()
            line = f"{last - begun:.0f} s: {done:,} of {total:,} searches"
            console.print(line, markup=False, highlight=False, soft_wrap=True)

    yield say
