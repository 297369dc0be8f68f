"""morpion board"""

from pathlib import Path

import typer


def board(
    game: str = typer.Argument(..., metavar="GAME", help="samegame, clickomania or bubble-breaker."),
    size: str | None = typer.Option(None, "--size", metavar="WxH", help="Columns x rows. [that of the papers]"),
    colors: str | None = typer.Option(None, "--colors", metavar="N", help="Colours. [those of the papers]"),
    seed: str = typer.Option("1", "--seed", metavar="N", help="Same seed, same boards."),
    count: str = typer.Option("1", "--count", metavar="N", help="How many boards."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Write to a file, not to stdout."),
) -> None:
    """Make random boards, for `morpion search --board FILE --number N`.

    Board n is what `--game-set board_seed=SEED --number n` plays without a file.

    Example: morpion board samegame --size 15x15 --colors 5 --seed 7 --count 100 -o boards.txt
    """
    from pydantic import ValidationError

    from morpion_cli.config.hunt_config import option_mistakes
    from morpion_cli.errors import UserError
    from morpion_cli.files import write_atomic
    from morpion_cli.games.catalog import find_game
    from morpion_cli.games.options import BlockOptions
    from morpion_cli.grid.samegame import Board
    from morpion_cli.values import parse_count

    entry = find_game(game)
    if not issubclass(entry.options, BlockOptions):
        raise UserError(f"{entry.name} has no boards; expected samegame, clickomania or bubble-breaker")
    try:
        boards = parse_count(count)
    except ValueError as error:
        raise UserError(f"--count: {error}") from None
    if not 1 <= boards <= 100_000:
        raise UserError(f"--count: expected from 1 to 100000, got {boards}")
    chosen = {"size": size, "colors": colors, "board_seed": seed}
    texts = []
    for number in range(1, boards + 1):
        values = {name: value for name, value in chosen.items() if value is not None}
        try:
            puzzle = entry.puzzle(entry.options.model_validate({**values, "number": number}))
        except ValidationError as error:
            raise option_mistakes(error, entry.options, {"board_seed": "--seed"}) from None
        assert isinstance(puzzle, Board)
        texts.append("\n".join(puzzle.rows) + "\n")
    if out is None:
        print("\n".join(texts), end="")
    else:
        write_atomic(out, "\n".join(texts).encode())
