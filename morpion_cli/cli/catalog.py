"""morpion games, morpion algorithms"""

from typing import Any

import typer

from morpion_cli.cli.common import print_json


def games(as_json: bool = typer.Option(False, "--json", help="Print a JSON list on stdout.")) -> None:
    """List the games that can be searched.

    Example: morpion games
    """
    from morpion_cli.games.catalog import GAMES

    if as_json:
        print_json(
            [
                {
                    "name": game.name,
                    "title": game.title,
                    "rules_version": game.rules_version,
                    "bounds": game.puzzle().bounds,
                    "bounds_source": game.bounds_source,
                    "record": game.record,
                    "rollouts": game.rollouts,
                    "options": _options(game),
                }
                for game in GAMES.values()
            ]
        )
        return
    for game in GAMES.values():
        low, high = game.puzzle().bounds
        print(f"{game.name}  {game.title}")
        print(f"    scores from {low} to {high}: {game.bounds_source}")
        print(f"    record: {game.record}")
        print(f"    rollouts: {', '.join(game.rollouts)}")
        _print_options(_options(game))


def algorithms(
    name: str | None = typer.Argument(None, metavar="NAME", help="Show one algorithm in full."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON on stdout."),
) -> None:
    """List the search algorithms, or show one with its options.

    Example: morpion algorithms mcbs
    """
    from morpion_cli.algorithms.catalog import ALGORITHMS, find_algorithm

    chosen = list(ALGORITHMS.values()) if name is None else [find_algorithm(name)]
    if as_json:
        print_json([_describe(entry) for entry in chosen])
        return
    if name is None:
        for entry in chosen:
            print(f"{entry.name:12}  {entry.summary}")
            print(f"{'':12}  {entry.source}")
        print("\n'morpion algorithms NAME' shows the options of one.")
        return
    for entry in chosen:
        row = _describe(entry)
        print(f"{entry.name}  {entry.summary}")
        print(f"    source: {entry.source}")
        _print_options(row["options"])


def _print_options(options: list[dict[str, Any]]) -> None:
    for option in options:
        print(f"    {option['name']}: {option['meaning']}")
        print(f"        default {option['default']}, from {option['source']}")


def _describe(entry: Any) -> dict[str, Any]:
    return {"name": entry.name, "summary": entry.summary, "source": entry.source, "options": _options(entry)}


def _options(entry: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "meaning": field.description,
            "default": list(field.default) if isinstance(field.default, tuple) else field.default,
            "source": field.json_schema_extra["source"],
        }
        for name, field in entry.options.model_fields.items()
    ]
