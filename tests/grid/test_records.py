"""The known records against the referee, and the referee against a second, different way to say the rules."""

import random

import pytest

from morpion_cli.formats import msr
from morpion_cli.formats.reading import read
from morpion_cli.grid.morpion import DIRECTIONS, Move, Variant, cross
from morpion_cli.grid.puzzle import IllegalMoveError, replay
from morpion_cli.grid.verify import verify
from tests.conftest import RECORDS


def test_there_are_records():
    assert len(RECORDS) == 16


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_record_is_legal_and_finished(path):
    verdict = verify(read(path).record)
    assert verdict.legal and verdict.terminal and verdict.error is None


@pytest.mark.parametrize(("name", "dots", "moves"), [("5T", 36, 28), ("5D", 36, 28), ("4T", 24, 40), ("4D", 24, 40)])
def test_start(name, dots, moves):
    from morpion_cli.grid.morpion import VARIANTS, MorpionPosition

    position = MorpionPosition(VARIANTS[name])
    assert len(position.dots) == dots
    assert len(position.legal_moves()) == moves


def first_mistake(variant: Variant, moves: list[Move]) -> tuple[int, str] | None:
    """Return (number, kind) of the first illegal move, by positions along tracks instead of sets of points."""
    dots = set(cross(variant))
    lines: list[tuple[str, int, int]] = []  # direction, track, position of the first point along it
    overlap = 0 if variant.disjoint else 1
    for number, move in enumerate(moves, 1):
        dx, dy = DIRECTIONS[move.dir]
        x, y = move.x - move.pos * dx, move.y - move.pos * dy
        if (move.x, move.y) in dots:
            return number, "there is a dot already"
        points = [(x + i * dx, y + i * dy) for i in range(variant.points)]
        if any(point not in dots for point in points if point != (move.x, move.y)):
            return number, "needs a dot"
        track, position = (x * dy - y * dx), (x if dx else y)
        for direction, other_track, other in lines:
            if (direction, other_track) == (move.dir, track) and abs(position - other) <= variant.points - 1 - overlap:
                return number, "shares the point" if variant.disjoint else "overlaps"
        dots.add((move.x, move.y))
        lines.append((move.dir, track, position))
    return None


def test_mutated_records_are_refused_for_the_right_reason():
    rng = random.Random(1)
    refused = 0
    kinds = set()
    while refused < 500:
        record = read(rng.choice(RECORDS)).record
        moves = list(record.moves)
        i = rng.randrange(len(moves))
        move = moves[i]
        moves[i] = rng.choice(
            [
                move._replace(x=move.x + rng.choice((-1, 1))),
                move._replace(y=move.y + rng.choice((-1, 1))),
                move._replace(dir=rng.choice(list(DIRECTIONS))),
                move._replace(pos=rng.randrange(record.puzzle.points)),
                rng.choice(moves),
            ]
        )
        expected = first_mistake(record.puzzle, moves)
        if expected is None:
            replay(record.puzzle, moves)
            continue
        with pytest.raises(IllegalMoveError) as caught:
            replay(record.puzzle, moves)
        assert caught.value.number == expected[0]
        assert expected[1] in caught.value.reason
        refused += 1
        kinds.add(expected[1])
    assert kinds == {"there is a dot already", "needs a dot", "shares the point", "overlaps"}


def test_message_names_the_other_line():
    record = read(next(path for path in RECORDS if path.stem == "5T-rosin178")).record
    first = record.moves[0]
    position = replay(record.puzzle, record.moves[:1])
    dx, dy = DIRECTIONS[first.dir]
    # One step along the same track: the lines share three steps, the first of them one step further.
    shifted = Move(first.x + (5 - first.pos) * dx, first.y + (5 - first.pos) * dy, first.dir, 4)
    position.dots.discard((shifted.x, shifted.y))
    start = (first.x - first.pos * dx + dx, first.y - first.pos * dy + dy)
    assert position.problem(shifted) == (
        f"its line overlaps the line of move 1 at ({start[0]},{start[1]})-({start[0] + dx},{start[1] + dy})"
    )


def test_lies_are_reported():
    record = read(RECORDS[0]).record
    for key, lie in (("score", 99), ("terminal", False), ("bbox", [0, 0, 1, 1]), ("available_moves", 3)):
        verdict = verify(msr.Record(record.puzzle, record.moves, {**record.claims, key: lie}))
        assert verdict.legal and not verdict.honest
        assert key in verdict.error
