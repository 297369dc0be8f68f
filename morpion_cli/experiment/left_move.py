"""The theory of the left-move problem: exact probabilities of nested search without memory (NMCS 2009, section 4.2)."""

import numpy as np
from numpy.typing import NDArray


def distribution(level: int, depth: int) -> NDArray[np.float64]:
    """Return the probability of each score 0 .. depth of a search without memory, shape (depth + 1,).

    At a step with n moves left, the left move is tried by a search that scores 1 + X, the right one by one that scores
    Y, X and Y independent and distributed as a search of the level below over n - 1 moves. The greater is played, and
    of equals either; what the rest of the game scores does not depend on it.
    """
    table = [_binomial(n) for n in range(depth + 1)]  # of level 0, for each number of moves
    for _ in range(level):
        below, table = table, [np.ones(1)]
        for n in range(1, depth + 1):
            scores = below[n - 1]
            less = np.concatenate(([0.0], np.cumsum(scores)))  # P(Y < k)
            # P(1 + X > Y) + P(1 + X = Y) / 2, by the value x of X.
            equal = np.append(scores[1:], 0.0)
            left = float(np.sum(scores * (less[1:] + equal / 2)))
            table.append(left * np.append(0.0, table[-1]) + (1 - left) * np.append(table[-1], 0.0))
    return table[depth]


def _binomial(n: int) -> NDArray[np.float64]:
    row = np.ones(1)
    for _ in range(n):
        row = (np.append(row, 0.0) + np.append(0.0, row)) / 2
    return row
