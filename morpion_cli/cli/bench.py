"""morpion bench"""

import typer

from morpion_cli.cli.common import print_json


def bench(
    seconds: float = typer.Option(3.0, "--seconds", min=0.01, max=3600, help="CPU time for each figure."),
    game: list[str] = typer.Option(
        [], "--game", metavar="NAME", help="Measure only this game; may be repeated. [5D 5T samegame sudoku]"
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the figures as one JSON object on stdout."),
) -> None:
    """Measure this machine: random games, nested searches, nrpa, and uct alone and in parallel.

    Example: morpion bench --game 5D --json
    """
    import sys
    from dataclasses import asdict

    from morpion_cli.errors import UserError
    from morpion_cli.games.catalog import find_game

    if not seconds < float("inf"):  # nan passes the limits of the option
        raise UserError(f"--seconds: expected a number of seconds, got {seconds}")
    entries = [find_game(name) for name in game] or None
    from morpion_cli.experiment.bench import run_bench

    playouts, nested, searches = run_bench(seconds, entries, lambda text: print(text, file=sys.stderr))
    if as_json:
        tables = {"playouts": playouts, "nmcs": nested, "searches": searches}
        print_json({name: [asdict(row) for row in rows] for name, rows in tables.items()})  # type: ignore[attr-defined]
        return
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
