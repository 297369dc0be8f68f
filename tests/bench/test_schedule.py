import pytest

from morpion_cli.bench.schedule import efficiency, makespan


def test_makespan_of_small_cases():
    assert makespan([1, 1, 1, 1], 1, 0) == 4
    assert makespan([1, 1, 1, 1], 2, 0) == 2
    assert makespan([3, 1, 1, 1], 2, 0) == 3
    assert makespan([1, 1, 1], 2, 0) == 2
    assert makespan([1, 1], 10, 0.5) == 2  # the second is handed out after a second
    assert makespan([1], 10, 0) == 1


def test_efficiency():
    steps = [[1, 1], [1, 1]]
    assert efficiency(steps, 1, 0) == efficiency(steps, 2, 0) == 1
    assert efficiency(steps, 4, 0) == 0.5  # two of four have nothing to do
    assert efficiency(steps, 4, 0, beam=2) == 1
    assert efficiency(steps, 8, 0, beam=2) == 0.5
    assert efficiency(steps, 1, 1) == pytest.approx(4 / 6)
