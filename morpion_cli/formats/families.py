"""Which families of puzzles there are, by the key `game` of a file; each is imported when it is asked for."""

from importlib import import_module

from morpion_cli.grid.puzzle import Puzzle

_CLASSES = {
    "morpion": "morpion_cli.grid.morpion:Variant",
    "samegame": "morpion_cli.grid.samegame:Board",
    "sudoku": "morpion_cli.grid.sudoku:Sudoku",
    "toy": "morpion_cli.grid.toys:Toy",
}
FAMILIES = tuple(_CLASSES)


def puzzle_class(family: str) -> type[Puzzle]:
    """Return the class of a family of FAMILIES."""
    module, name = _CLASSES[family].split(":")
    found: type[Puzzle] = getattr(import_module(module), name)
    return found
