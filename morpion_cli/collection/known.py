"""The record games that come with the program."""

from functools import cache
from pathlib import Path

from morpion_cli.collection.entry import Entry, examine

_PACKAGED = Path(__file__).resolve().parent.parent / "records"
_IN_CHECKOUT = Path(__file__).resolve().parent.parent.parent / "grids" / "records"


def records_folder() -> Path:
    """Return where they are: in the installed package, or in a checkout."""
    return _PACKAGED if _PACKAGED.is_dir() else _IN_CHECKOUT


@cache
def _known() -> dict[str, str]:
    names: dict[str, str] = {}
    for path in sorted(records_folder().glob("*.json")):
        entry = examine(path)
        if entry.id is not None and entry.dots_id is not None:
            names[entry.id] = f"{entry.author} {entry.score}"
            names.setdefault(entry.dots_id, f"the dots of {entry.author} {entry.score}")
    return names


def known_as(entry: Entry) -> str | None:
    """Return which known record a grid is, up to symmetry, or whose dots it has; None if neither."""
    names = _known()
    return names.get(entry.id or "") or names.get(entry.dots_id or "")
