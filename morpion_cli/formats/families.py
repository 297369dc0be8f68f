"""Which families of puzzles there are, by the key `game` of a file."""

from morpion_cli.grid.morpion import Variant
from morpion_cli.grid.puzzle import Puzzle
from morpion_cli.grid.samegame import Board
from morpion_cli.grid.sudoku import Sudoku
from morpion_cli.grid.toys import Toy

FAMILIES: dict[str, type[Puzzle]] = {family.family: family for family in (Variant, Board, Sudoku, Toy)}
