"""One search on several threads: the papers' master and remote processes, on one machine.

The master plays the highest level of a search. At each step it hands out *evaluations*, searches of the level below
from one position each, and goes on when all are answered. An evaluation is a pure function of its stream and position,
and the answers are used in the order of the evaluations, so the number of threads changes nothing but the time.

A search that is played by a master can also be kept between two steps, and go on in another process.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from morpion_cli.algorithms.searcher import Searcher
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel import control
from morpion_cli.kernel.control import NO_SCORE, TARGET

Checkpoint = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Evaluation:
    """What the master asks for: a search after `prefix`, shape (depth,), with the stream's fork (step, index)."""

    stream: NDArray[np.uint64]
    prefix: NDArray[np.int64]
    step: int
    index: int


@dataclass(frozen=True)
class Answer:
    """What came of it: the search's own result, and the best game on the way. Lines are whole games."""

    score: int
    line: NDArray[np.int64]
    best_score: int
    best_line: NDArray[np.int64]


class SplitSearcher(Searcher):
    """Base of searches that a master plays: `_play` is the master, `_evaluate` what a thread does for it."""

    def __init__(self, loaded: LoadedGame, threads: int) -> None:
        super().__init__(loaded, threads)
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        # What answers instead of this machine's threads, if anything does.
        self.elsewhere: Callable[[list[Evaluation]], list[Answer | None]] | None = None
        self._merged: tuple[int, NDArray[np.int64]] = (NO_SCORE, np.zeros(0, np.int64))

    def _evaluate(self, thread: int, evaluation: Evaluation) -> tuple[int, NDArray[np.int64]] | None:
        """Return score and line of an evaluation; None if it was stopped."""
        raise NotImplementedError

    def _play(self, stream: NDArray[np.uint64], start: Checkpoint | None) -> int:
        """Play the highest level, from the start or a checkpoint; return its score, or NO_SCORE if stopped."""
        raise NotImplementedError

    def _search(self, stream: NDArray[np.uint64]) -> int:
        start = self._start
        if start is not None:
            self._merged = int(start["best_score"]), start["best_line"]
        return self._play(stream, start)

    def forget_best(self) -> None:
        super().forget_best()
        self._merged = NO_SCORE, np.zeros(0, np.int64)

    def snapshot(self) -> tuple[int, NDArray[np.int64]]:
        merged, running = self._merged, super().snapshot()
        return running if running[0] > merged[0] else merged

    def _keep(self, **arrays: Any) -> None:
        """Make this the checkpoint: all that `_play` needs to go on."""
        score, line = self._merged
        self._checkpoint = {
            **{name: np.array(value) for name, value in arrays.items()},
            "best_score": np.array(score),
            "best_line": line,
        }

    def _ask(self, evaluations: list[Evaluation]) -> list[Answer] | None:
        """Return the answers, in order; None if the search was stopped, or has reached its target."""
        target = int(self.control[TARGET])
        done = []
        for answer in (self.elsewhere or self.ask_here)(evaluations):
            if answer is None:
                return None
            done.append(answer)
            if answer.best_score > self._merged[0]:
                self._merged = answer.best_score, answer.best_line
            if answer.best_score >= target:
                return None
        return done

    def ask_here(self, evaluations: list[Evaluation]) -> list[Answer | None]:
        """Return the answers of this machine's threads, in order; None where a search was stopped."""
        answers: list[Answer | None] = [None] * len(evaluations)
        target = int(self.control[TARGET])
        reached = threading.Event()
        todo: Iterator[int] = iter(range(len(evaluations)))  # taking the next is atomic

        def work(thread: int) -> None:
            block, best_line = self.controls[thread], self.best_lines[thread]
            for number in todo:
                if reached.is_set():
                    return
                control.forget_best(block)
                found = self._evaluate(thread, evaluations[number])
                best = control.snapshot(block, best_line)
                if found is None and best[0] < target:
                    return
                answers[number] = Answer(*(found or best), *best)
                if best[0] >= target:
                    reached.set()

        others = [self._pool.submit(work, thread) for thread in range(1, len(self.controls))] if self._pool else []
        work(0)
        for other in others:
            other.result()
        return answers
