from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORDS = sorted((ROOT / "grids" / "records").glob("*.json"))


@pytest.fixture
def record_82() -> Path:
    return ROOT / "grids" / "records" / "5D-rosin82.json"
