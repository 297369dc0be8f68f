"""morpion improve"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import VARIANT, illegal, parsed, print_json, read_grid, say

if TYPE_CHECKING:
    from morpion_cli.hunt.improve import Listener, Progress


def improve(
    file: Path = typer.Argument(..., metavar="GRID", help="The game to improve."),
    most: int | None = typer.Option(None, "--most", metavar="K", help="Take back at most K moves. [all]", min=1),
    duration: str | None = typer.Option(None, "--time", metavar="TIME", help="Stop after 90s, 10m, 2h or 1:30:00."),
    memory: str = typer.Option("1G", "--max-memory", metavar="SIZE", help="For the table of positions, e.g. 500M."),
    workers: int | None = typer.Option(None, "--workers", metavar="N", help="Threads. [one a core]", min=1, max=1024),
    out: Path = typer.Option(Path("grids"), "--out", metavar="DIR", help="Where better games are written."),
    state: Path | None = typer.Option(
        None, "--state", metavar="FILE", help="What is proven, to go on from. [OUT/NAME-ID.improve]"
    ),
    variant: str | None = VARIANT,
    as_json: bool = typer.Option(False, "--json", help="Print the result as one JSON object on stdout."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show no progress."),
) -> None:
    """Take back the last moves of a game, one more each round, and search everything that can follow.

    Each round finds a better end or proves that there is none. It can be stopped at any time, and the same command goes
    on from there.

    Example: morpion improve grids/records/5D-rosin82.json --time 10m
    """
    import os
    import sys

    from morpion_cli.cli.signals import on_signals
    from morpion_cli.grid.puzzle import IllegalMoveError
    from morpion_cli.hunt.improve import Improver
    from morpion_cli.values import parse_bytes, parse_duration

    record = read_grid(file, variant).record
    seconds = None if duration is None else parsed(parse_duration, duration, "--time")
    table = parsed(parse_bytes, memory, "--max-memory")
    identity = record.puzzle.ids(record.moves)["id"]
    state = state or out / f"{record.puzzle.name}-{identity}.improve"
    threads = workers or len(os.sched_getaffinity(0))
    try:
        improver = Improver(record, out, state, threads, table, _listener(quiet), most, seconds)
    except IllegalMoveError as error:
        raise illegal(file, "improved", error) from None
    if improver.progress.proven and not quiet:
        say(f"going on from {state}: {_proven(improver.progress)}")
    received = on_signals(improver.interrupt)
    progress = improver.run()
    best = progress.best
    if as_json:
        print_json(
            {
                "game": record.puzzle.name,
                "id": progress.id,
                "score": progress.score,
                "proven_from_move": progress.proven_from if progress.proven else None,
                "best_score": progress.to_beat,
                "path": None if best is None else str(best.path),
                "positions": progress.positions,
                "elapsed_secs": round(progress.elapsed, 3),
                "stopped_by": progress.stopped_by,
            }
        )
    else:
        found = "no better end found" if best is None else f"{record.puzzle.score_text(best.score)}: {best.path}"
        print(f"best       {found}")
        print(f"proven     {_proven(progress) if progress.proven else 'nothing yet'}")
        print(f"positions  {progress.positions:,}, told apart by 64-bit hashes")
        print(f"ended      {progress.stopped_by}")
    sys.stdout.flush()
    if received:
        os._exit(128 + received[0])  # a thread may still be compiling


def _proven(progress: "Progress") -> str:
    better = "no better end" if progress.best is None else f"nothing better than {progress.best.score:,}"
    return f"{better} from move {progress.proven_from} on"


def _listener(quiet: bool) -> "Listener":
    import time

    from morpion_cli.hunt.improve import Listener
    from morpion_cli.hunt.progress import duration

    class Lines(Listener):
        def __init__(self) -> None:
            self._last = time.monotonic()

        def improved(self, progress: "Progress") -> None:
            assert progress.best is not None
            say(f"better: {progress.record.puzzle.score_text(progress.best.score)}, {progress.best.path}")

        def proved(self, progress: "Progress") -> None:
            now = time.monotonic()
            if now - self._last >= 1:  # the first rounds take no time
                say(f"{_proven(progress)}: proven ({progress.positions:,} positions, {duration(progress.elapsed)})")
                self._last = now

        def tick(self, progress: "Progress") -> None:
            if time.monotonic() - self._last >= 10:
                self._last = time.monotonic()
                say(
                    f"the last {progress.taken_back} moves taken back: {len(progress.parts_done)} of {progress.parts} "
                    f"parts, {progress.positions:,} positions, {duration(progress.elapsed)}"
                )

    return Listener() if quiet else Lines()
