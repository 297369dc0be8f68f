"""morpion bench"""

from pathlib import Path

import typer

from morpion_cli.cli.common import print_json, say

_EXIT_SLOWER = 1
_SIZE_LIMIT = 1 << 20


def bench(
    seconds: float = typer.Option(
        3.0, "--seconds", min=0.01, max=3600, help="For each figure: CPU time; of parallel searches, wall time."
    ),
    game: list[str] = typer.Option(
        [], "--game", metavar="NAME", help="Measure only this game; may be repeated. [5D 5T samegame sudoku]"
    ),
    against: Path | None = typer.Option(
        None,
        "--against",
        metavar="FILE",
        help="Compare with what --json gave earlier; exit code 1 if a figure is slower.",
    ),
    scaling: bool = typer.Option(
        False, "--scaling", help="Instead, how time and memory grow with the work; takes some minutes, or --quick."
    ),
    quick: bool = typer.Option(False, "--quick", help="With --scaling: leave out what takes more than some seconds."),
    as_json: bool = typer.Option(False, "--json", help="Print the figures as one JSON object on stdout."),
) -> None:
    """Measure this machine: random games, nested and priority searches, nrpa, and uct alone and in parallel.

    Example: morpion bench --game 5D --json
    """
    import sys
    from dataclasses import asdict

    from morpion_cli.errors import UserError
    from morpion_cli.games.catalog import find_game

    if not seconds < float("inf"):  # nan passes the limits of the option
        raise UserError(f"--seconds: expected a number of seconds, got {seconds}")
    if quick and not scaling:
        raise UserError("--quick: only with --scaling; --seconds is for the other figures")
    if scaling:
        _scaling(quick, as_json)
        return
    entries = [find_game(name) for name in game] or None
    earlier, its_machine = ({}, None) if against is None else _read(against, seconds)
    from morpion_cli.bench.rates import changes, figures, run_bench
    from morpion_cli.experiment.origin import machine, versions

    playouts, nested, searches = run_bench(seconds, entries, lambda text: print(text, file=sys.stderr))
    now = figures(playouts, nested, searches)
    compared = changes(earlier, now)
    if against is not None and not compared:
        raise UserError(f"{against}: has none of these figures; it has {', '.join(earlier)}")
    if its_machine not in (None, machine()):
        say(f"{against}: made on another machine, {its_machine}")
    if as_json:
        tables = {"playouts": playouts, "nmcs": nested, "searches": searches}
        document = {name: [asdict(row) for row in rows] for name, rows in tables.items()}  # type: ignore[attr-defined]
        print_json(
            {
                **document,
                "figures": now,
                "against": [{**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in compared],
                "seconds": seconds,
                "versions": versions(),
                "machine": machine(),
            }
        )
    else:
        print("random games   playouts/s   ns/move   mean length")
        for row in playouts:
            print(f"{row.game:12} {row.playouts_per_sec:12,.0f} {row.ns_per_move:9.1f} {row.mean_length:13.2f}")
        print("\nnested search  level   s/search   mean score   runs")
        for search in nested:
            print(f"{search.game:14} {search.level:5} {search.secs:10.5f} {search.mean_score:12.2f} {search.runs:6}")
        print("\nsearch                               playouts/s   against one thread")
        for rate in searches:
            speedup = "" if rate.speedup is None else f"{rate.speedup:.2f}"
            print(f"{rate.game:8} {rate.search:26} {rate.playouts_per_sec:12,.0f} {speedup:>20}")
        if compared:
            print(f"\n{'against ' + str(against):36} {'then/s':>12} {'now/s':>12}  ratio")
            for change in compared:
                rates = f"{change.earlier:12,.4g} {change.now:12,.4g}"
                print(f"{change.figure:36} {rates}  {change.ratio:5.2f}  {change.verdict}")
    if any(change.verdict == "slower" for change in compared):
        raise typer.Exit(_EXIT_SLOWER)


def _scaling(quick: bool, as_json: bool) -> None:
    """Measure how time and memory grow."""
    from dataclasses import asdict

    from morpion_cli.bench.scaling import run_scaling

    rows = []
    table = ""
    for row in run_scaling(quick):
        rows.append({**asdict(row), "microseconds": row.microseconds})
        if as_json:
            continue
        if row.table != table:
            table = row.table
            print(f"\n{table}\n{'size':>10} {'seconds':>9} {'work':>20} {'us each':>9} {'MB':>7}")
        memory = "" if row.megabytes is None else f"{row.megabytes:,.1f}"
        work = f"{row.work:,.0f} {row.unit}"
        print(f"{row.size:10,} {row.seconds:9.3f} {work:>20} {row.microseconds:9.2f} {memory:>7}", flush=True)
    if as_json:
        print_json(rows)


def _read(path: Path, seconds: float) -> tuple[dict[str, float], str]:
    """Return the figures of an earlier bench, and its machine.

    Raises UserError if the file is none, or is of a bench of other `seconds`, of which several figures depend.
    """
    import orjson

    from morpion_cli.errors import UserError
    from morpion_cli.files import read_file

    try:
        document = orjson.loads(read_file(path, _SIZE_LIMIT))
        figures = {str(name): float(value) for name, value in document["figures"].items()}
        if not figures or min(figures.values()) <= 0:
            raise ValueError
        its_seconds, its_machine = float(document["seconds"]), str(document["machine"])
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: expected what 'morpion bench --json' has printed") from None
    if its_seconds != seconds:
        raise UserError(f"{path}: was made with --seconds {its_seconds:g}; give the same")
    return figures, its_machine
