from collections import Counter

import pytest
from rich.console import Console

from morpion_cli.config.hunt_config import build_settings
from morpion_cli.hunt.hunt import Status
from morpion_cli.hunt.progress import PlainProgress, duration, histogram, view


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.9, "9.9 s"), (42.7, "42 s"), (185, "3:05"), (8100, "2:15:00"), (273600, "3 d 4:00:00")],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_histogram():
    assert histogram(Counter({60: 1}), 20) == "60 █ 60"
    assert histogram(Counter({60: 1, 62: 8}), 20) == "60 ▁ █ 62"
    assert [histogram(Counter({60: 1, 62: 8}), width) for width in (0, -10)] == ["60 █ 62"] * 2  # a narrow terminal
    wide = histogram(Counter(dict.fromkeys(range(100), 1)), 20)
    assert len(wide) <= 20 + len("0  99")


def status(**changes):
    result = Status(build_settings(None, {"seed": "1", "time": "1h"}, {}), phase="searching", **changes)
    result.tasks_done = sum(result.task_scores.values())
    return result


def test_plain_lines_come_every_ten_seconds():
    now = 0.0
    console = Console(record=True, width=200)
    progress = PlainProgress(console, lambda: now)
    for tick in range(250):
        now = tick / 10
        progress.tick(status(elapsed=now, playouts=100, rate=5))
    lines = console.export_text().splitlines()
    assert lines == ["10 s: best none, 0 tasks, 100 playouts, 5/s", "20 s: best none, 0 tasks, 100 playouts, 5/s"]


def test_view_shows_the_figures():
    console = Console(record=True, width=100)
    console.print(view(status(elapsed=60, playouts=12_345, task_scores=Counter({70: 2, 72: 2})), console, None, None))
    text = console.export_text()
    for part in (
        "mcbs L3 beam 1,8,8",
        "seed 1",
        "none yet",
        "4 done, mean score 71.00",
        "12,345",
        "1:00, about 59:00 left",
    ):
        assert part in text
