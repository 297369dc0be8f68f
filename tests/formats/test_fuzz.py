"""Whatever is in a file, reading it gives a grid or a clean error, soon and in little memory."""

import random
import resource
import time

import pytest

from morpion_cli.errors import UserError
from morpion_cli.formats.reading import parse, read
from morpion_cli.formats.writing import FORMATS, write
from morpion_cli.grid.verify import verify
from morpion_cli.render.export import CARRY_RECORD, Look, export
from tests.conftest import ROOT

SECONDS = 1.0
KIBIBYTES = 200 << 10
TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b":",
    b",",
    b"(",
    b")",
    b"\n",
    b"#",
    b"<",
    b">",
    b"MS1:",
    b"moves",
    b"null",
    b"-1",
]
TOKENS += [
    b"1e999",
    b"99999999999999999999",
    b"\\u0000",
    b"\xff",
    b"\x00",
    b"true",
    b"5T",
    b"variant",
    b"game",
    b"samegame",
]


def seeds(name):
    records = [read(ROOT / "grids" / "records" / f"{stem}.json").record for stem in ("4D-hyyroporanen35", "5D-rosin82")]
    if name in CARRY_RECORD:
        return [export(records[0], name, Look(width=40))]
    return [write(record, name)[0] for record in records if name != "pentasol" or record.puzzle.points == 5]


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[at:at] = rng.choice(TOKENS)
        elif kind == 2:
            del data[at : at + rng.randrange(1, 40)]
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other : other + rng.randrange(1, 200)]
        elif kind == 4:
            data[at : at + 1] = str(rng.choice((0, -1, 5, 40, 10**6, 2**63, rng.randrange(100)))).encode()
        elif rng.random() < 0.1:
            data = data[:at]
    return bytes(data)


def fuzz(name, count, seed):
    rng = random.Random(f"{name} {seed}")
    originals = seeds(name)
    grids = 0
    slowest = 0.0
    for _ in range(count):
        data = mutate(rng, rng.choice(originals))
        start = time.perf_counter()
        try:
            verify(parse(data).record)
            grids += 1
        except UserError as error:
            assert "\n" not in str(error)
        slowest = max(slowest, time.perf_counter() - start)
    assert slowest < SECONDS
    return grids


@pytest.mark.parametrize("name", [*FORMATS, *CARRY_RECORD])
def test_mutated_files(name):
    grids = fuzz(name, 300, seed=1)
    assert grids < 300


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*FORMATS, *CARRY_RECORD])
def test_a_hundred_thousand_mutated_files(name):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fuzz(name, 100_000, seed=2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < KIBIBYTES
