"""Two searches, run in pairs: which is better, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from morpion_cli.experiment.report import number, with_interval
from morpion_cli.experiment.statistics import Estimate, by_cell, difference, mean
from morpion_cli.experiment.trials import Trial


@dataclass(frozen=True)
class Comparison:
    """What pairs of runs say of two searches.

    difference: of the scores, second less first, pair by pair; None with fewer than two pairs.
    trials: of each, in the order of the pairs.
    """

    names: tuple[str, str]
    trials: dict[str, list[Trial]]
    difference: Estimate | None

    @property
    def sentence(self) -> str:
        """Return the verdict in plain words."""
        first, second = self.names
        found = self.difference
        if found is None or found.low is None or found.high is None:
            return "too few pairs of runs to say anything"
        pairs = f"95 % interval, {found.n:,} pairs"
        if found.low > 0 or found.high < 0:
            better = second if found.low > 0 else first
            low, high = sorted((abs(found.low), abs(found.high)))
            return f"{better} is better by {number(abs(found.value))} [{number(low)}, {number(high)}] ({pairs})"
        return (
            f"no difference shown: {second} minus {first} is {number(found.value)} "
            f"[{number(found.low)}, {number(found.high)}] ({pairs})"
        )

    def describe(self, name: str) -> str:
        """Return the scores and times of one of them in one line."""
        trials = self.trials[name]
        if not trials:
            return "no run ended"
        scores = [trial.score for trial in trials]
        return (
            f"mean {with_interval(mean(scores, grain=1))}, best {max(scores):,}, "
            f"{np.mean([trial.cpu for trial in trials]):.3g} s of CPU time and "
            f"{np.mean([trial.playouts for trial in trials]):,.0f} playouts a run"
        )

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        found = self.difference
        return {
            "verdict": self.sentence,
            "difference": None if found is None else found.value,
            "low": None if found is None else found.low,
            "high": None if found is None else found.high,
            "pairs": 0 if found is None else found.n,
            "scores": {name: [trial.score for trial in trials] for name, trials in self.trials.items()},
            "cpu_secs": {name: [round(trial.cpu, 4) for trial in trials] for name, trials in self.trials.items()},
        }


def compared(trials: Sequence[Trial], names: tuple[str, str]) -> Comparison:
    """Return what the pairs say of which both runs have ended."""
    of = by_cell(trials, names)
    first, second = (of[name] for name in names)
    both = sorted(first.keys() & second.keys())
    ordered = {name: [of[name][search] for search in both] for name in names}
    return Comparison(names, ordered, difference(first, second))
