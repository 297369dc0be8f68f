"""Random streams: xoshiro256++ (Blackman and Vigna, 2019), four uint64 words of state.

Who uses which stream is the base of reproducibility:

- task i of a hunt has the stream `task_stream(seed, i)`, from numpy's `SeedSequence(seed, spawn_key=(i,))`;
- evaluation j of step t of a search has the stream `fork(stream, t, j)`, so that the evaluations of a step can run
  anywhere and in any order with the same results.
"""

import numpy as np
from numba import float32, float64, int32, int64, uint64
from numpy.typing import NDArray

from morpion_cli.kernel.compiling import inner

STATE_WORDS = 4


def task_stream(seed: int, *task: int) -> NDArray[np.uint64]:
    """Return the stream of one task, shape (4,), dtype uint64; several numbers name a task within a task."""
    return (
        np.random.SeedSequence(seed, spawn_key=task)
        .generate_state(STATE_WORDS, np.uint64)
        .astype(np.uint64, copy=False)
    )


@inner
def _rotate(x, k):
    return (x << uint64(k)) | (x >> uint64(64 - k))


@inner
def next_word(stream):
    """Return 64 random bits and step the stream."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    word = _rotate(s0 + s3, 23) + s0
    s2 ^= s0
    s3 ^= s1
    stream[0] = s0 ^ s3
    stream[1] = s1 ^ s2
    stream[2] = s2 ^ (s1 << uint64(17))
    stream[3] = _rotate(s3, 45)
    return word


@inner
def below(stream, n):
    """Return a uniform int64 in [0, n), 0 < n < 2^31; its bias is below n / 2^32."""
    return int64(((next_word(stream) >> uint64(32)) * uint64(n)) >> uint64(32))


@inner
def uniform(stream):
    """Return a uniform float64 in [0, 1) with 53 random bits."""
    return float64(next_word(stream) >> uint64(11)) * (1.0 / 9007199254740992.0)


@inner
def weighted(stream, sums, n):
    """Return i in [0, n) with chances as its weight; sums: the weights' running sums, float32, the last above zero."""
    target = float32(uniform(stream)) * sums[n - 1]
    chosen = int32(0)
    for i in range(n - 1):
        chosen = int32(chosen + int32(sums[i] <= target))
    return int64(chosen)


@inner
def _mix(z):
    # Finaliser of splitmix64 (Steele, Lea and Flood, 2014).
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return z ^ (z >> uint64(31))


@inner
def fork(child, parent, step, index):
    """Set `child` to the stream of evaluation `index` of step `step` of `parent`, which does not move."""
    key = _mix(uint64(step) * uint64(0x9E3779B97F4A7C15) + _mix(uint64(index) + uint64(0xD1342543DE82EF95)))
    for i in range(STATE_WORDS):
        key += uint64(0x9E3779B97F4A7C15)
        child[i] = _mix(parent[i] ^ _mix(key))
