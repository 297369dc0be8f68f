"""The control block: how a running kernel and the main thread talk.

One block per thread of a search. The main thread writes STOP, LIMIT and TARGET, the kernel the rest. A new
best line is published under a sequence lock: VERSION is odd while it is being written, so a reader that sees the same
even VERSION before and after has read a whole line.
"""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.kernel import atomic
from morpion_cli.kernel.compiling import inner
from morpion_cli.kernel.memory import private_zeros

# Indices into the block; STOP has a cache line of its own, which only the main thread writes.
STOP, LIMIT, TARGET = 8, 9, 10
PLAYOUTS, MOVES, BEST, LENGTH, VERSION, TRUNCATED = 16, 17, 18, 19, 20, 21
_SIZE = 32

NO_SCORE = -(1 << 62)
NO_LIMIT = 1 << 62


@inner
def should_stop(control):
    """Tell whether the kernel must return: the flag is up, its playouts are used up, or its best is good enough."""
    return atomic.load(control, STOP) != 0 or control[PLAYOUTS] >= control[LIMIT] or control[BEST] >= control[TARGET]


@inner
def publish(control, best_line, line, length, score):
    """Make `line[:length]` this worker's best, readable by `snapshot` at any moment."""
    version = control[VERSION]
    atomic.store(control, VERSION, version + int64(1))
    atomic.fence()  # the line must not be written before VERSION is odd
    for i in range(length):
        best_line[i] = line[i]
    control[BEST] = score
    control[LENGTH] = length
    atomic.store(control, VERSION, version + int64(2))


def new_control() -> NDArray[np.int64]:
    """Return a fresh block on cache lines of its own."""
    block = private_zeros(_SIZE, np.int64)
    block[LIMIT] = NO_LIMIT
    block[TARGET] = NO_LIMIT
    forget_best(block)
    return block


def forget_best(control: NDArray[np.int64]) -> None:
    """Forget the published best; only between two calls of a kernel."""
    control[VERSION] += 1  # others may be looking
    control[BEST] = NO_SCORE
    control[LENGTH] = 0
    control[VERSION] += 1


def restore_best(control: NDArray[np.int64], best_line: NDArray[np.int64], score: int, line: NDArray[np.int64]) -> None:
    """Make a line the published best; only between two calls of a kernel."""
    control[VERSION] += 1
    best_line[: len(line)] = line
    control[BEST] = score
    control[LENGTH] = len(line)
    control[VERSION] += 1


def snapshot(control: NDArray[np.int64], best_line: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """Return (score, moves) of the published best, whole even while the kernel writes; NO_SCORE if there is none."""
    while True:
        version = int(control[VERSION])
        if version % 2 == 0:
            score, length = int(control[BEST]), int(control[LENGTH])
            line = best_line[:length].copy()
            if int(control[VERSION]) == version:
                return score, line
