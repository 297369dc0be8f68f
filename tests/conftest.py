import csv
from pathlib import Path

import pytest

from morpion_cli.grid.samegame import read_boards

ROOT = Path(__file__).resolve().parent.parent
RECORDS = sorted((ROOT / "grids" / "records").glob("*.json"))

STANDARD_BOARDS = read_boards((ROOT / "configs" / "boards" / "samegame-standard20.txt").read_text(), "standard20")
# The best published score of each.
PUBLISHED = [
    max(int(score) for score in row[1:] if score)
    for row in csv.reader((ROOT / "configs" / "boards" / "samegame-published.csv").read_text().splitlines()[1:-1])
]


@pytest.fixture
def record_82() -> Path:
    return ROOT / "grids" / "records" / "5D-rosin82.json"
