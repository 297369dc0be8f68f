"""Showing a hunt: a live view on a terminal, plain lines elsewhere. All of it on stderr."""

import time
from collections import Counter
from collections.abc import Callable

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from morpion_cli.hunt.hunt import Listener, Status
from morpion_cli.render import draw
from morpion_cli.render.room import Room

_PLAIN_EVERY = 10.0  # seconds between two plain lines
_COMPILING_AFTER = 2.5  # seconds; loading a compiled engine takes less
_REDRAW_EVERY = 0.25  # seconds between two live frames
_FIGURES = 9  # rows, with their frame; a warning takes more
_BARS = " ▁▂▃▄▅▆▇█"


def duration(seconds: float) -> str:
    """Return a duration as people write it: 42 s, 3:05, 2:15:00, 3 d 4:00:00."""
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    hours, minutes, secs = rest // 3600, rest // 60 % 60, rest % 60
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    clock = f"{hours}:{minutes:02}:{secs:02}" if whole >= 3600 else f"{minutes}:{secs:02}"
    return f"{days} d {clock}" if days else clock


def histogram(scores: Counter[int], width: int) -> str:
    """Return task scores as one line: the lowest score, a bar for each score or group of scores, the highest.

    There is one bar at least, whatever the width.
    """
    low, high = min(scores), max(scores)
    group = (high - low) // max(width, 1) + 1
    bars = Counter[int]()
    for score, count in scores.items():
        bars[(score - low) // group] += count
    most = max(bars.values())
    # A bar that is not empty is at least one step high.
    line = "".join(_BARS[-(-8 * bars[i] // most)] for i in range((high - low) // group + 1))
    return f"{low} {line} {high}"


def left(status: Status) -> float | None:
    """Return about how many seconds are left of the budget that ends first; None if there is none, or no telling."""
    budget, estimates = status.settings.budget, []
    if budget.time is not None:
        estimates.append(budget.time - status.elapsed)
    if budget.tasks is not None and status.tasks_done:
        estimates.append((budget.tasks - status.tasks_done) * status.elapsed / status.tasks_done)
    if budget.playouts is not None and status.rate > 0:
        estimates.append((budget.playouts - status.playouts) / status.rate)
    return max(0.0, min(estimates)) if estimates else None


def best_line(status: Status) -> str:
    """Return the best grid in one line: score, who found it, when, and where it is."""
    best = status.best
    if best is None:
        return "none yet"
    return (
        f"{status.settings.game.name} {status.settings.puzzle.score_text(best.grid.score)}, task {best.task}, "
        f"after {duration(best.elapsed)}, {best.grid.path}"
    )


class PlainProgress(Listener):
    """A line for each improvement, and one every ten seconds."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._last = clock()
        self._said_compiling = False
        self._searching = False

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def tick(self, status: Status) -> None:
        """Print a line if the last one is ten seconds old."""
        if status.phase == "compiling":
            if not self._said_compiling and self._clock() - self._last > _COMPILING_AFTER:
                self._say("compiling the engine, needed once")
                self._said_compiling = True
            return
        if status.phase == "searching" and not self._searching:
            self._searching = True
            self._last = self._clock()  # the time of compiling does not count
        if status.phase == "searching" and self._clock() - self._last >= _PLAIN_EVERY:
            self._last = self._clock()
            best = status.best.grid.score if status.best else "none"
            self._say(
                f"{duration(status.elapsed)}: best {best}, {status.tasks_done:,} tasks, "
                f"{status.playouts:,} playouts, {status.rate:,.0f}/s"
            )

    def improved(self, status: Status) -> None:
        """Print the best grid."""
        self._say(f"best: {best_line(status)}")

    def problem(self, text: str) -> None:
        """Print the problem."""
        self._say(f"warning: {text}")


class LiveProgress(Listener):
    """A view that is redrawn in place. A context manager: it owns the terminal while it is open."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._last = float("-inf")
        self._problem: str | None = None
        self._drawing: Text | None = None

    def __enter__(self) -> "LiveProgress":
        self._live.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._live.__exit__(None, None, None)

    def tick(self, status: Status) -> None:
        """Redraw, but not more often than an eye can follow."""
        now = time.monotonic()
        if now - self._last >= _REDRAW_EVERY or status.phase == "done":
            self._last = now
            self._live.update(view(status, self._console, self._problem, self._drawing), refresh=True)

    def improved(self, status: Status) -> None:
        """Draw the new best grid, and redraw at the next tick."""
        if status.best is not None:
            room = Room(self._console.width, self._console.height - _FIGURES)
            drawing = draw.as_text(status.best.grid.record, None, not self._console.no_color, room)
            self._drawing = Text.from_ansi(drawing.split("\n\n", 1)[1])  # its title stands elsewhere
        self._last = float("-inf")
        self._problem = None

    def problem(self, text: str) -> None:
        """Show the problem under the figures."""
        self._problem = text


def view(status: Status, console: Console, problem: str | None, drawing: Text | None) -> Group:
    """Return the live view: figures above, the best grid below if there is room for it."""
    settings = status.settings
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    if status.phase == "compiling":
        table.add_row("engine", "loading (the first time it is compiled, which takes some seconds)")
    best = status.best
    table.add_row("best", Text(best_line(status), style="bold" if best else "", overflow="ellipsis", no_wrap=True))
    mean = "" if status.mean_score is None else f", mean score {status.mean_score:.2f}"
    table.add_row("tasks", f"{status.tasks_done:,} done{_of(settings.budget.tasks)}{mean}")
    table.add_row(
        "playouts",
        f"{status.playouts:,}{_of(settings.budget.playouts)}, "
        f"{status.rate:,.0f}/s now, {status.overall_rate:,.0f}/s overall",
    )
    seconds = left(status)
    table.add_row("time", duration(status.elapsed) + ("" if seconds is None else f", about {duration(seconds)} left"))
    rows = 6
    if status.task_scores:
        table.add_row("scores", histogram(status.task_scores, min(console.width - 30, 60)))
        rows += 1
    if status.truncated:
        table.add_row("too large", f"{status.truncated:,} games, for the engine's board; thrown away")
        rows += 1
    if problem:
        table.add_row("warning", Text(problem, style="red"))
        rows += 2
    title = f"{settings.game.name}  {settings.method}  seed {settings.seed}  {settings.crew}"
    parts: list[Panel | Text] = [Panel(table, title=title, title_align="left", subtitle="Ctrl-C stops and saves")]
    if drawing is not None:
        lines = drawing.split()
        if len(lines) + rows + 2 <= console.height and max(len(line) for line in lines) <= console.width:
            parts.append(drawing)
    return Group(*parts)


def _of(limit: int | None) -> str:
    return "" if limit is None else f" of {limit:,}"
