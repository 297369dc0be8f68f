import itertools
import threading

from hypothesis import given
from hypothesis import strategies as st

from morpion_cli.hunt.ledger import Ledger


@given(st.sets(st.integers(0, 60)), st.integers(0, 60))
def test_gives_each_task_that_is_not_done_once_and_in_order(done, limit):
    ledger = Ledger(((number, number) for number in sorted(done)), limit)
    taken = []
    while (task := ledger.take()) is not None:
        taken.append(task)
    assert taken == [number for number in range(limit) if number not in done]
    for task in taken[::-1]:
        ledger.finish(task)
    numbers = {number for first, last in ledger.ranges() for number in range(first, last + 1)}
    assert numbers == done | set(range(limit))
    assert all(ledger.has(number) == (number in numbers) for number in range(70))
    ranges = list(ledger.ranges())
    assert all(first <= last for first, last in ranges)
    assert all(a[1] + 1 < b[0] for a, b in itertools.pairwise(ranges))  # as few as can be


def test_threads_share_it():
    ledger = Ledger((), 2000)
    taken = []

    def work():
        while (task := ledger.take()) is not None:
            taken.append(task)
            ledger.finish(task)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(2000)) and list(ledger.ranges()) == [(0, 1999)]
