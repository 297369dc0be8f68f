"""morpion verify"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import EXIT_ILLEGAL, EXIT_USAGE, VARIANT, print_json, read_grid
from morpion_cli.files import plain

if TYPE_CHECKING:
    from morpion_cli.grid.puzzle import Puzzle
    from morpion_cli.grid.verify import Verdict


def verify(
    files: list[Path] = typer.Argument(..., metavar="FILE...", help="Grid files to check.", show_default=False),
    variant: str | None = VARIANT,
    as_json: bool = typer.Option(False, "--json", help="Print a JSON list of verdicts on stdout."),
) -> None:
    """Replay each grid by the rules, and check what it says of itself.

    Exit code: 0 all are legal, 1 one is illegal or says something false of itself, 2 one cannot be read.

    Example: morpion verify grids/*.json
    """
    import sys

    from morpion_cli.errors import UserError
    from morpion_cli.grid.verify import verify as check

    results = []
    code = 0
    for file in files:
        try:
            record = read_grid(file, variant).record
        except UserError as error:
            code = EXIT_USAGE
            if not as_json:
                print(f"morpion: {error}", file=sys.stderr)
            results.append(_row(file, legal=False, error=str(error).removeprefix(f"{file}: ")))
            continue
        verdict = check(record)
        if not verdict.honest:
            code = max(code, EXIT_ILLEGAL)
        puzzle = record.puzzle
        results.append(
            _row(
                file,
                legal=verdict.legal,
                game=puzzle.family,
                variant=puzzle.name,
                score=verdict.score,
                terminal=verdict.terminal,
                id=verdict.id,
                dots_id=verdict.dots_id,
                error=verdict.error,
            )
        )
        if not as_json:
            print(f"{plain(file)}: {_sentence(puzzle, verdict)}")
    if as_json:
        print_json(results)
    raise typer.Exit(code)


def _row(file: Path, **values: object) -> dict[str, object]:
    empty: dict[str, object] = dict.fromkeys(
        ("legal", "game", "variant", "score", "terminal", "id", "dots_id", "error")
    )
    return {"file": str(file), **empty, **values}


def _sentence(puzzle: "Puzzle", verdict: "Verdict") -> str:
    if not verdict.legal:
        return f"{puzzle.name} ILLEGAL: {verdict.error}"
    end = "finished" if verdict.terminal else "not finished"
    dots = "" if verdict.dots_id is None else f", dots {verdict.dots_id}"
    text = f"{puzzle.name} {puzzle.score_text(verdict.score)}, legal, {end}, id {verdict.id}{dots}"
    return text if verdict.honest else f"{text}, BUT {verdict.error}"
