"""How many workers can share one search: evaluations are measured, and the master's schedule is played through.

Run as `python -m morpion_cli.bench.schedule`; docs/scale.md holds what it printed.
"""

import heapq
import time
from collections.abc import Sequence

from morpion_cli.algorithms.nested import SplitNested
from morpion_cli.algorithms.options import NestedOptions
from morpion_cli.algorithms.searcher import ready
from morpion_cli.algorithms.split import Answer, Evaluation
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream

WORKERS = (2, 8, 64, 1_000, 10_000)
BEAMS = (1, 4, 8, 16, 64)
HAND_OUT = 0.0017  # CPU seconds that client and scheduler take for one future; see docs/scale.md


def measure(game: str, level: int, seed: int) -> list[list[float]]:
    """Return, for each step of one nested search, the seconds of each evaluation on one thread."""
    search = ready(lambda: SplitNested(GAMES[game].load(), NestedOptions(level=level)))
    steps: list[list[float]] = []

    def timed(evaluations: list[Evaluation]) -> list[Answer | None]:
        steps.append([])
        answers = []
        for evaluation in evaluations:
            begun = time.thread_time()
            answers += search.ask_here([evaluation])
            steps[-1].append(time.thread_time() - begun)
        return answers

    search.elsewhere = timed
    search.run(task_stream(seed, 0))
    return steps


def makespan(durations: Sequence[float], workers: int, hand_out: float) -> float:
    """Return how long one step takes: evaluations are handed out in order, one each `hand_out` seconds.

    Each goes to the worker that is free first.
    """
    free = [0.0] * min(workers, len(durations))
    for number, duration in enumerate(durations):
        start = max(heapq.heappop(free), (number + 1) * hand_out)
        heapq.heappush(free, start + duration)
    return max(free)


def efficiency(steps: Sequence[Sequence[float]], workers: int, hand_out: float = HAND_OUT, beam: int = 1) -> float:
    """Return the share of the workers' time in which they search.

    beam: width of the two highest levels: a step then has so many times the evaluations, each so many times as long
    (MCBS 2012: time is proportional to the beam).
    """
    wide = [[duration * beam for duration in step] * beam for step in steps]
    work = sum(map(sum, wide))
    return work / (workers * sum(makespan(step, workers, hand_out) for step in wide if step))


def main() -> None:
    """Print the table of docs/scale.md."""
    steps = measure("5D", 3, seed=1)
    count, work = sum(map(len, steps)), sum(map(sum, steps))
    print(f"one search of level 3 on 5D: {len(steps)} steps, {count} evaluations, {work:.1f} s on one thread,")
    longest = max(map(max, steps))
    print(f"{1000 * work / count:.1f} ms an evaluation in the mean, {1000 * longest:.0f} ms the longest")
    print(f"\n| beam | {' | '.join(f'{workers:,}' for workers in WORKERS)} |\n|---|{'---|' * len(WORKERS)}")
    for beam in BEAMS:
        cells = (f"{efficiency(steps, workers, beam=beam):.3f}" for workers in WORKERS)
        print(f"| 1,{beam},{beam} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
