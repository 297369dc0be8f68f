"""morpion board"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from morpion_cli.games.catalog import GameEntry

_EMPTY = "66%"


def board(
    game: str = typer.Argument(..., metavar="GAME", help="samegame, clickomania, bubble-breaker or sudoku."),
    size: str | None = typer.Option(
        None, "--size", metavar="WxH", help="Columns x rows; rows of a Sudoku. [those of the papers]"
    ),
    colors: str | None = typer.Option(None, "--colors", metavar="N", help="Colours. [those of the papers]"),
    empty: str | None = typer.Option(
        None, "--empty", metavar="N", help=f"Empty cells of a Sudoku, a number or a percentage. [{_EMPTY}]"
    ),
    seed: str = typer.Option("1", "--seed", metavar="N", help="Same seed, same boards."),
    count: str = typer.Option("1", "--count", metavar="N", help="How many boards."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="FILE", help="Write to a file, not to stdout."),
) -> None:
    """Make random boards, or Sudokus that have a solution, for `morpion search --board FILE --number N`.

    Board n of the tile games is what `--game-set board_seed=SEED --number n` plays without a file.

    Example: morpion board samegame --size 15x15 --colors 5 --seed 7 --count 100 -o boards.txt
    """
    import re

    from morpion_cli.errors import UserError
    from morpion_cli.files import write_atomic
    from morpion_cli.games.catalog import find_game
    from morpion_cli.games.options import BlockOptions, SudokuOptions

    entry = find_game(game)
    boards, number = _whole("--count", count, 1, 100_000), _whole("--seed", seed, 0, 2**64 - 1)
    if issubclass(entry.options, BlockOptions):
        if empty is not None:
            raise UserError(f"--empty: for sudoku, not for {entry.name}")
        texts = _tiles(entry, {"size": size, "colors": colors, "board_seed": seed}, boards)
    elif entry.options is SudokuOptions:
        if colors is not None:
            raise UserError("--colors: for samegame and its like, not for sudoku")
        side = None if size is None else re.sub(r"^(\d+)x\1$", r"\1", size)  # 9x9 is 9
        texts = _sudokus(entry, {} if side is None else {"size": side}, empty or _EMPTY, number, boards)
    else:
        raise UserError(f"{entry.name} has no boards; expected samegame, clickomania, bubble-breaker or sudoku")
    if out is None:
        print("\n".join(texts), end="")
    else:
        write_atomic(out, "\n".join(texts).encode())


def _whole(option: str, text: str, low: int, high: int) -> int:
    from morpion_cli.errors import UserError
    from morpion_cli.values import parse_count

    try:
        value = parse_count(text)
    except ValueError as error:
        raise UserError(f"{option}: {error}") from None
    if not low <= value <= high:
        raise UserError(f"{option}: expected from {low} to {high}, got {value}")
    return value


def _tiles(entry: "GameEntry", chosen: dict[str, str | None], boards: int) -> list[str]:
    from pydantic import ValidationError

    from morpion_cli.config.mistakes import option_mistakes
    from morpion_cli.grid.samegame import Board

    texts = []
    for number in range(1, boards + 1):
        values = {name: value for name, value in chosen.items() if value is not None}
        try:
            puzzle = entry.puzzle(entry.options.model_validate({**values, "number": number}))
        except ValidationError as error:
            raise option_mistakes(error, entry.options, {"board_seed": "--seed"}) from None
        assert isinstance(puzzle, Board)
        texts.append("\n".join(puzzle.rows) + "\n")
    return texts


def _sudokus(entry: "GameEntry", chosen: dict[str, str], empty: str, seed: int, boards: int) -> list[str]:
    from pydantic import ValidationError

    from morpion_cli.config.mistakes import option_mistakes
    from morpion_cli.grid.sudoku import Sudoku

    try:
        size = entry.puzzle(entry.options.model_validate(chosen))
    except ValidationError as error:
        raise option_mistakes(error, entry.options, {}) from None
    assert isinstance(size, Sudoku)
    cells = size.moves_limit
    percent = empty.endswith("%")
    value = _whole("--empty", empty.removesuffix("%"), 0, 100 if percent else cells)
    from morpion_cli.experiment.problems import make_sudoku  # imports numba

    texts = []
    for number in range(1, boards + 1):
        rows = make_sudoku(size.size, round(cells * value / 100) if percent else value, seed, number)
        texts.append("".join(" ".join(f"{value:2}" for value in row) + "\n" for row in rows))
    return texts
