"""What a collection knows of one file."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from morpion_cli.errors import UserError
from morpion_cli.formats.reading import read
from morpion_cli.grid.verify import verify

LEGAL, ILLEGAL, FALSE, DAMAGED, OTHER = "legal", "illegal", "says something false", "damaged", "no grid"
# Files of these kinds are often something else than a grid, and then none of a collection's business.
_OFTEN_OTHER = (".txt", ".svg", ".png", ".html")
SUFFIXES = (".json", ".msr", ".ms1", ".psol", ".pentasol", *_OFTEN_OTHER)


@dataclass(frozen=True)
class Entry:
    """One file.

    state: LEGAL, ILLEGAL, FALSE (legal, but it claims what is not so), DAMAGED (unreadable) or OTHER.
    error: what is wrong, in words.
    Of a file that is illegal the score is that before the first illegal move; of an unreadable one all else is None.
    """

    state: str
    error: str | None = None
    game: str | None = None
    score: int | None = None
    terminal: bool | None = None
    id: str | None = None
    dots_id: str | None = None
    author: str | None = None
    saved_at: str | None = None

    @property
    def group(self) -> str | None:
        """Return what grids share that differ only in how lines were drawn; for other games than Morpion the id."""
        return self.dots_id or self.id

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def examine(path: Path) -> Entry:
    """Read and replay a file, and return what it is."""
    try:
        record = read(path).record
    except UserError as error:
        state = OTHER if path.suffix.lower() in _OFTEN_OTHER else DAMAGED
        return Entry(state, str(error).removeprefix(f"{path}: "))
    verdict = verify(record)
    return Entry(
        LEGAL if verdict.honest else FALSE if verdict.legal else ILLEGAL,
        verdict.error,
        record.puzzle.name,
        verdict.score,
        verdict.terminal,
        verdict.id,
        verdict.dots_id,
        *(_text(record.provenance.get(key)) for key in ("author", "saved_at")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
