"""What many searches say: estimates with 95 % intervals, and whether they fit what is published."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from morpion_cli.experiment.left_move import distribution
from morpion_cli.experiment.plan import Cell
from morpion_cli.experiment.trials import Trial

_Z = 1.959964  # the normal distribution's 97.5 % point
_RESAMPLES = 1000


@dataclass(frozen=True)
class Estimate:
    """A figure from n observations with its 95 % interval; without one if n is too small."""

    value: float
    low: float | None
    high: float | None
    n: int


def student(freedom: int) -> float:
    """Return the 97.5 % point of Student's t for 1 degree of freedom and more, to 0.2 %.

    Exact for 1 and 2; then the expansion of Abramowitz and Stegun, 26.7.5.
    """
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z, v = _Z, float(freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / v ** (power + 1) for power, term in enumerate(terms))


def mean(values: Sequence[float], grain: float = 0.0) -> Estimate:
    """Return the mean with Student's interval.

    grain: the step between two possible values, such as 1 for scores; a few that happen to be equal are then not taken
    for exact, but for as uncertain as rounding is.
    """
    n = len(values)
    value = float(np.mean(values))
    if n < 2:
        return Estimate(value, None, None, n)
    half = student(n - 1) * max(float(np.std(values, ddof=1)), grain / math.sqrt(12)) / math.sqrt(n)
    return Estimate(value, value - half, value + half, n)


def share(count: int, n: int) -> Estimate:
    """Return a share with Wilson's interval."""
    value, square = count / n, _Z * _Z
    middle = (value + square / (2 * n)) / (1 + square / n)
    half = _Z / (1 + square / n) * math.sqrt(value * (1 - value) / n + square / (4 * n * n))
    return Estimate(value, middle - half if count else 0.0, middle + half if count < n else 1.0, n)


def peak(scores: Sequence[int]) -> Estimate:
    """Return the most frequent score, of equals the least, with a bootstrap interval."""
    values, counts = np.unique(np.asarray(scores), return_counts=True)
    value, n = float(values[counts.argmax()]), len(scores)
    resampled = np.random.default_rng(1).multinomial(n, counts / n, _RESAMPLES)
    low, high = np.quantile(values[resampled.argmax(axis=1)], (0.025, 0.975))
    return Estimate(value, float(low), float(high), n)


def deviation(scores: Sequence[int], level: int, depth: int) -> Estimate:
    """Return the greatest difference between the frequency of a score and its probability in theory.

    Its interval is what chance alone gives if the theory holds: 0 to the 95 % point over samples drawn from it.
    """
    theory = distribution(level, depth)
    theory = theory / theory.sum()
    n = len(scores)
    frequency = np.bincount(scores, minlength=depth + 1) / n
    drawn = np.random.default_rng(1).multinomial(n, theory, _RESAMPLES) / n
    high = float(np.quantile(np.abs(drawn - theory).max(axis=1), 0.95))
    return Estimate(float(np.abs(frequency - theory).max()), 0.0, high, n)


@dataclass(frozen=True)
class CellResult:
    """What the searches of a cell say.

    verdict: the published figure is inside, or ours is above or below it; empty if nothing can be said.
    cpu, playouts: means of a search.
    reached: how many searches have reached the cell's target; None if it has none.
    """

    cell: Cell
    estimate: Estimate
    verdict: str
    cpu: float
    playouts: float
    scores: Counter[int]
    reached: int | None

    @property
    def at_least(self) -> bool:
        """Tell whether the figure is a time that some searches would have exceeded, had the clock let them."""
        return self.cell.measure == "seconds" and self.reached is not None and self.reached < self.estimate.n


def evaluate(cell: Cell, trials: Sequence[Trial]) -> CellResult:
    """Return what the finished searches of a cell say; at least one."""
    scores = [trial.score for trial in trials]
    reached = None if cell.target is None else sum(score >= cell.target for score in scores)
    if cell.measure == "mean":
        estimate = mean(scores, grain=1)
    elif cell.measure == "best":
        estimate = Estimate(float(max(scores)), None, None, len(scores))
    elif cell.measure == "seconds":
        estimate = mean([trial.cpu for trial in trials])
        if reached is not None and reached < len(scores):
            estimate = Estimate(estimate.value, None, None, len(scores))
    elif cell.measure == "peak":
        estimate = peak(scores)
    elif cell.measure == "solved":
        most = cell.puzzle().bounds[1]
        estimate = share(sum(score >= most for score in scores), len(scores))
    else:
        depth = cell.puzzle().bounds[1]
        estimate = deviation(scores, cell.options.level, depth)  # type: ignore[attr-defined]
    says = verdict(estimate, cell.published, cell.published_searches)
    if cell.measure == "deviation" and estimate.high is not None:
        says = "inside" if estimate.value <= estimate.high else "above"
    return CellResult(
        cell,
        estimate,
        says,
        float(np.mean([trial.cpu for trial in trials])),
        float(np.mean([trial.playouts for trial in trials])),
        Counter(scores),
        reached,
    )


def verdict(estimate: Estimate, published: float | None, published_searches: int | None) -> str:
    """Return whether a published figure is "inside", or ours is "above" or "below" it; "" if nothing can be said.

    If it is a mean of that many searches, its own chance counts too, with the deviation of ours.
    """
    if published is None or estimate.low is None or estimate.high is None:
        return ""
    wider = 1.0 if published_searches is None else math.sqrt(1 + estimate.n / published_searches)
    if published < estimate.value - (estimate.value - estimate.low) * wider:
        return "above"
    if published > estimate.value + (estimate.high - estimate.value) * wider:
        return "below"
    return "inside"


def by_cell(trials: Iterable[Trial], names: Iterable[str]) -> dict[str, dict[int, Trial]]:
    """Return trials by their cell's name, of which all have a place, and number."""
    found: dict[str, dict[int, Trial]] = {name: {} for name in names}
    for trial in trials:
        found[trial.cell][trial.search] = trial
    return found


def difference(first: Mapping[int, Trial], second: Mapping[int, Trial]) -> Estimate | None:
    """Return how much more the second has scored, over the numbers that both have; None with fewer than two."""
    both = sorted(first.keys() & second.keys())
    if len(both) < 2:
        return None
    return paired([first[search].score for search in both], [second[search].score for search in both])


def paired(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Return the mean of second - first, of scores and pair by pair, with Student's interval."""
    return mean([b - a for a, b in zip(first, second, strict=True)], grain=1)
