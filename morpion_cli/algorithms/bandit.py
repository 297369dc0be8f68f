"""Bandits: which of a node's children a playout goes to.

With t visits of the node, and of a child n visits, mean m, variance v and prior p:

    ucb1         m + c sqrt(ln t / n)                                       Auer et al. 2002; Kocsis, Szepesvari 2006
    ucb1-tuned   m + c sqrt(ln t / n min(1/4, v + sqrt(2 ln t / n)))        Auer et al. 2002
    reflexive    m + sqrt(ln t / (c n))                                     RMC 2007
    sp-mcts      m + c sqrt(ln t / n) + sqrt(v + d / n)                     Schadd et al. 2008
    puct         m + c p sqrt(t) / (1 + n)                                  Rosin 2011; Silver et al. 2016

With a weight w of the maximum, w (maximum - mean) is added (Schadd et al. 2008); with amaf, b (amaf mean - mean) with
b = sqrt(k / (3 n + k)) (Gelly and Silver 2007).
"""

from typing import NamedTuple

import numpy as np
from numba import int64

from morpion_cli.algorithms.tree import BEST, SQUARES, TOTAL, VISITS, WORDS
from morpion_cli.kernel.compiling import inner

BANDITS = ("ucb1", "ucb1-tuned", "reflexive", "sp-mcts", "puct")
UCB1, UCB1_TUNED, REFLEXIVE, SP_MCTS, PUCT = range(5)


class Bandit(NamedTuple):
    """How a child is chosen; a score counts as (score - low) * scale."""

    kind: int
    c: float
    d: float
    max_weight: float
    amaf: float  # k; 0 is without
    low: float
    scale: float


@inner
def child_values(bandit, parent_visits, first, n, counts, amaf_visits, amaf_totals, priors, out):
    """Write the values of n children from row `first`, all visited, to out[:n], dtype float64.

    The other arrays are columns of the tree. Plain loops, so that the compiler makes vector code.
    """
    low, scale, c, d = bandit.low, bandit.scale, bandit.c, bandit.d
    log = np.log(float(parent_visits))
    # At least one visit: another thread may have come to a child for the first time, and not counted itself yet.
    if bandit.kind == UCB1:
        for i in range(n):
            row = (first + i) * WORDS
            each = 1.0 / max(counts[row + VISITS], 1)
            out[i] = (counts[row + TOTAL] * each - low) * scale + c * np.sqrt(log * each)
    elif bandit.kind == UCB1_TUNED:
        for i in range(n):
            row = (first + i) * WORDS
            each = 1.0 / max(counts[row + VISITS], 1)
            mean = counts[row + TOTAL] * each
            variance = max(counts[row + SQUARES] * each - mean * mean, 0.0) * (scale * scale)
            spread = min(0.25, variance + np.sqrt(2.0 * log * each))
            out[i] = (mean - low) * scale + c * np.sqrt(log * each * spread)
    elif bandit.kind == REFLEXIVE:
        for i in range(n):
            row = (first + i) * WORDS
            each = 1.0 / max(counts[row + VISITS], 1)
            out[i] = (counts[row + TOTAL] * each - low) * scale + np.sqrt(log * each / c)
    elif bandit.kind == SP_MCTS:
        for i in range(n):
            row = (first + i) * WORDS
            each = 1.0 / max(counts[row + VISITS], 1)
            mean = counts[row + TOTAL] * each
            variance = max(counts[row + SQUARES] * each - mean * mean, 0.0) * (scale * scale)
            out[i] = (mean - low) * scale + c * np.sqrt(log * each) + np.sqrt(variance + d * each)
    else:
        factor = c * np.sqrt(float(parent_visits))
        for i in range(n):
            row = (first + i) * WORDS
            each = 1.0 / max(counts[row + VISITS], 1)
            out[i] = (counts[row + TOTAL] * each - low) * scale + factor * priors[first + i] / (
                1.0 + counts[row + VISITS]
            )
    if bandit.max_weight > 0.0:
        for i in range(n):
            row = (first + i) * WORDS
            mean = counts[row + TOTAL] / float(max(counts[row + VISITS], 1))
            out[i] += bandit.max_weight * (counts[row + BEST] - mean) * scale
    if bandit.amaf > 0.0:
        for i in range(n):
            row = (first + i) * WORDS
            mean = counts[row + TOTAL] / float(max(counts[row + VISITS], 1))
            others = amaf_totals[first + i] / float(max(amaf_visits[first + i], 1))
            weight = np.sqrt(bandit.amaf / (3.0 * counts[row + VISITS] + bandit.amaf)) * (amaf_visits[first + i] > 0)
            out[i] += weight * (others - mean) * scale


@inner
def greatest(values, n):
    """Return the index of the greatest of the first n values; of equals the first."""
    chosen = int64(0)
    best = values[0]
    for i in range(1, n):
        if values[i] > best:
            best = values[i]
            chosen = int64(i)
    return chosen
