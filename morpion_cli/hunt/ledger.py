"""Which tasks of a hunt are done: numbers 0, 1, 2, ..., each given out once and counted once."""

import threading
from collections.abc import Iterable, Iterator


class Ledger:
    """Gives out tasks, those that an earlier process left undone first; safe to be used by several threads.

    done: numbers of finished tasks, as ranges (first, last).
    limit: tasks in all; None for no end.
    shard: (i, n), to give out every n-th task from number i - 1 on, so that n processes share them without a word.
    """

    def __init__(
        self, done: Iterable[tuple[int, int]] = (), limit: int | None = None, shard: tuple[int, int] = (1, 1)
    ) -> None:
        self._lock = threading.Lock()
        self._done = {number for first, last in done for number in range(first, last + 1)}
        self._low = 0  # every task below is done
        self._next, self._step = shard[0] - 1, shard[1]
        self._limit = limit
        self._sink()

    def take(self) -> int | None:
        """Return the next task, or None if there are no more."""
        with self._lock:
            while self._next in self._done or self._next < self._low:
                self._next += self._step
            if self._limit is not None and self._next >= self._limit:
                return None
            self._next += self._step
            return self._next - self._step

    def finish(self, task: int) -> None:
        """Write a task off."""
        with self._lock:
            self._done.add(task)
            self._sink()

    def has(self, task: int) -> bool:
        """Tell whether a task is done."""
        with self._lock:
            return task < self._low or task in self._done

    def _sink(self) -> None:
        # Only what is done out of order is kept one by one.
        while self._low in self._done:
            self._done.remove(self._low)
            self._low += 1

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield what is done, as ranges (first, last)."""
        with self._lock:
            low, rest = self._low, sorted(self._done)
        first, last = 0, low - 1
        for number in rest:
            if number == last + 1:
                last = number
                continue
            if last >= first:
                yield first, last
            first = last = number
        if last >= first:
            yield first, last
