import numpy as np
import pytest
from numba import int64, njit

from morpion_cli.kernel import bits, vectors

SHAPES = [(16, 16), (32, 32), (4, 64)]


def shift(column, by, width):
    return (column << by if by >= 0 else column >> -by) & ((1 << width) - 1)


def kernel(columns):
    """Return a kernel that does everything to one vector."""

    @njit
    def run(array, other, out, n, index):
        v, w = vectors.load(array, int64(0), columns), vectors.load(other, int64(0), columns)
        mixed = v & w
        mixed |= v ^ w
        results = (
            mixed, ~v, vectors.up(v), vectors.down(v), vectors.left(v), vectors.right(v), vectors.lowest(v),
            vectors.under(v), vectors.lone_bit(index, v), v + w, v - w,
            vectors.lowered(v, 3), vectors.turned(v, 3), vectors.spread((index, n), v),
        )  # fmt: skip
        for i in range(len(results)):
            vectors.store(out, int64(i * columns), results[i])
        return (
            vectors.population_of(v), vectors.n_filled(v), vectors.first_bit(v), vectors.nth_bit(v, n),
            vectors.is_empty(v), vectors.is_empty(v & ~v), vectors.nonzero(v), vectors.above(v, w),
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("columns", "width"), SHAPES)
def test_vectors_do_to_columns_what_they_say(columns, width):
    rng = np.random.default_rng(columns)
    dtype, full = np.dtype(f"u{width // 8}"), (1 << width) - 1
    run = kernel(columns)
    for density in (0.01, 0.1, 0.5, 0.9) * 5:
        boards = rng.random((2, columns, width)) < density
        boards[0, rng.integers(columns), rng.integers(width)] = True
        a, b = ([sum(int(bit) << i for i, bit in enumerate(column)) for column in board] for board in boards)
        places = [c * width + i for c in range(columns) for i in range(width) if a[c] >> i & 1]
        n, index = int(rng.integers(len(places))), int(rng.integers(columns * width))
        out = np.zeros((14, columns), dtype)
        numbers = run(np.array(a, dtype), np.array(b, dtype), out.reshape(-1), n, index)
        assert numbers == (
            len(places), sum(map(bool, a)), places[0], places[n], False, True,
            sum(1 << c for c in range(columns) if a[c]), sum(1 << c for c in range(columns) if a[c] > b[c]),
        )  # fmt: skip
        assert [[int(column) for column in row] for row in out] == [
            [x | y for x, y in zip(a, b, strict=True)],
            [full - x for x in a],
            [shift(x, 1, width) for x in a],
            [shift(x, -1, width) for x in a],
            [*a[1:], 0],
            [0, *a[:-1]],
            [x & -x for x in a],
            [(x & -x) - 1 if x else full for x in a],
            [1 << index % width if c == index // width else 0 for c in range(columns)],
            [x + y & full for x, y in zip(a, b, strict=True)],
            [x - y & full for x, y in zip(a, b, strict=True)],
            [shift(x, -3, width) for x in a],
            [shift(x, -3, width) | x << width - 3 & full for x in a],
            [index & full] * (columns // 2) + [n & full] * (columns // 2),
        ]


@njit
def pick(array, out, indices, n, flags):
    """Append the columns of four loads of 8; return how many there are then, and then of a vector of 16."""
    n = vectors.append(out, n, vectors.load_each(array, indices, 8), flags)
    return n, vectors.append(out, n, vectors.load(array, indices[0], 16), flags & 0xFFFF)


def test_columns_are_appended_where_flags_are_up():
    rng = np.random.default_rng(1)
    array = np.arange(1000, 1064, dtype=np.uint32)
    for density in (0.0, 0.1, 0.5, 1.0) * 5:
        indices = tuple(map(int, rng.integers(48, size=4)))
        up = np.flatnonzero(rng.random(32) < density)
        out = np.zeros(200, np.uint32)
        first, second = pick(array, out, indices, 7, sum(1 << int(i) for i in up))
        expected = [1000 + indices[i // 8] + i % 8 for i in up]
        expected += [1000 + indices[0] + i for i in up if i < 16]
        assert (first, second) == (7 + len(up), 7 + len(expected))
        assert list(out[7:second]) == expected and not out[:7].any() and not out[second + 32 :].any()


def test_the_nth_set_bit_is_found_with_and_without_the_instruction():
    plain = njit(bits._nth_by_loop)
    for word in (1, -1, 0b101100, -(1 << 63), 0x1234_5678_9ABC_DEF0):
        places = [i for i in range(64) if word >> i & 1]
        for n, place in enumerate(places):
            assert bits.nth_set(word, n) == plain(word, n) == place
