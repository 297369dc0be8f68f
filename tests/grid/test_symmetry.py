import random

from hypothesis import given, settings
from hypothesis import strategies as st

from morpion_cli.formats.reading import read
from morpion_cli.grid.morpion import DIRECTIONS, MorpionPosition, Move, Variant
from morpion_cli.grid.symmetry import dots_id, game_id
from tests.conftest import RECORDS
from tests.grid.strategies import games


def mirrored(variant: Variant, move: Move, flip_x: bool, flip_y: bool, swap: bool) -> Move:
    """Return the move in a mirrored frame, found from the images of its line's points."""

    def image(point):
        x, y = point
        x = variant.box - x if flip_x else x
        y = variant.box - y if flip_y else y
        return (y, x) if swap else (x, y)

    line = [image(point) for point in move.line(variant)]
    dot = image((move.x, move.y))
    for direction, (dx, dy) in DIRECTIONS.items():
        for candidate in (line, line[::-1]):
            if (candidate[1][0] - candidate[0][0], candidate[1][1] - candidate[0][1]) == (dx, dy):
                return Move(*dot, direction, candidate.index(dot))
    raise AssertionError("no direction fits")


@settings(max_examples=60, deadline=None)
@given(games, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_mirrored_and_reordered_games_are_the_same(position, flip_x, flip_y, swap, seed):
    variant = position.variant
    images = [mirrored(variant, move, flip_x, flip_y, swap) for move in position.moves]
    # Another order that is legal too: play any of the moves that can be played.
    rng = random.Random(seed)
    other = MorpionPosition(variant)
    left = set(images)
    while left:
        move = rng.choice(sorted(move for move in left if other.problem(move) is None))
        other.play(move)
        left.remove(move)
    assert game_id(variant, other.moves) == game_id(variant, position.moves)
    assert dots_id(variant, other.moves) == dots_id(variant, position.moves)


def test_different_games_differ():
    records = [read(path).record for path in RECORDS]
    assert len({game_id(record.puzzle, record.moves) for record in records}) == len(records)
    record = records[-1]
    assert game_id(record.puzzle, record.moves) != game_id(record.puzzle, record.moves[:-1])


def test_ids_are_stable():
    # Golden: file names in everybody's collections carry them.
    record = read(next(path for path in RECORDS if path.stem == "5D-rosin82")).record
    assert game_id(record.puzzle, record.moves) == "22d7d0ad1060"
    assert dots_id(record.puzzle, record.moves) == "58bd2bc47fb0"
