import math
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from morpion_cli.experiment.comparison import compared
from morpion_cli.experiment.figures import best_at
from morpion_cli.experiment.left_move import distribution
from morpion_cli.experiment.statistics import Estimate, deviation, mean, paired, peak, share, student, verdict
from morpion_cli.experiment.trials import Trial


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 39, 117, 999, 10**6])
def test_student_beside_scipy(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


def test_intervals_beside_scipy():
    scores = [66, 67, 65, 70, 66, 68, 64, 66]
    ours = mean(scores)
    theirs = stats.ttest_1samp(scores, 0).confidence_interval(0.95)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-4)
    assert mean([5]) == Estimate(5.0, None, None, 1)
    for count in (0, 3, 41, 100):
        ours = share(count, 100)
        theirs = stats.binomtest(count, 100).proportion_ci(0.95, "wilson")
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


def test_a_few_scores_that_are_equal_are_not_exact():
    assert mean([66, 66], grain=1).high - 66 == pytest.approx(student(1) / math.sqrt(12) / math.sqrt(2))
    assert mean([60, 70], grain=1) == mean([60, 70])
    assert share(0, 5).low == 0.0 and share(5, 5).high == 1.0


def test_the_peak_is_the_most_frequent_score():
    assert peak([61] * 500 + [60] * 300 + [62] * 200) == Estimate(61.0, 61.0, 61.0, 1000)
    near = peak([61] * 102 + [60] * 100)
    assert (near.value, near.low, near.high) == (61.0, 60.0, 61.0)


def test_deviation_tells_samples_of_the_theory_from_others():
    theory = distribution(1, 20)
    drawn = np.random.default_rng(6).choice(21, 5000, p=theory / theory.sum())
    good, bad = deviation(list(drawn), 1, 20), deviation([min(score + 1, 20) for score in drawn], 1, 20)
    assert good.value <= good.high < bad.value


@pytest.mark.parametrize(
    ("published", "searches", "says"),
    [(66.9, None, "inside"), (65.0, None, "above"), (69.0, None, "below"), (68.3, None, "below"), (68.3, 40, "inside")],
)
def test_verdicts(published, searches, says):
    # A mean of 40 of 67 +- 1: with 40 published searches the difference has +- sqrt(2).
    assert verdict(Estimate(67.0, 66.0, 68.0, 40), published, searches) == says


def test_nothing_is_said_of_one_search_or_without_a_figure():
    assert verdict(Estimate(67.0, None, None, 1), 66.0, 1) == ""
    assert verdict(Estimate(67.0, 66.0, 68.0, 40), None, None) == ""


def test_pairs():
    first, second = [1.0, 5.0, 9.0], [2.0, 6.5, 10.0]
    theirs = stats.ttest_rel(second, first).confidence_interval(0.95)
    ours = paired(first, second)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-4)


def trials(name, scores):
    return [Trial(name, search, score, 10, 0.5) for search, score in scores.items()]


def test_comparisons_say_it_in_words():
    low, high = {0: 60, 1: 61, 2: 60, 3: 62}, {0: 70, 1: 72, 2: 71, 3: 70, 4: 99}
    better = compared(trials("A", low) + trials("B", high), ("A", "B"))
    assert better.sentence.startswith("B is better by 10 [") and "4 pairs" in better.sentence
    assert [trial.search for trial in better.trials["B"]] == [0, 1, 2, 3]  # the fifth has no partner
    worse = compared(trials("A", high) + trials("B", low), ("A", "B"))
    assert worse.sentence.startswith("A is better by 10 [")
    same = compared(trials("A", low) + trials("B", low), ("A", "B"))
    assert same.sentence.startswith("no difference shown: B minus A is 0 [")
    assert compared(trials("A", {0: 60}), ("A", "B")).sentence == "too few pairs of runs to say anything"
    assert math.isclose(better.document()["difference"], 10.0)


def test_the_best_so_far():
    curve = ((0.1, 50), (1.0, 60), (2.0, 61))
    assert [best_at(curve, time) for time in (0.1, 0.99, 1.0, 5.0)] == [50, 50, 60, 61]
    assert Counter(best_at(curve, time) for time in (0.05,)) == {50: 1}
