"""Writing a record in a format that is text, with an account of what the format has no place for."""

from collections.abc import Callable
from dataclasses import replace

from morpion_cli.errors import UserError
from morpion_cli.formats import ms1, msr, pentasol, pymorpion
from morpion_cli.grid.morpion import Variant
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record


def _pymorpion(record: Record) -> bytes:
    if not isinstance(record.puzzle, Variant):
        raise UserError(f"PyMorpionSolitaire JSON is for games of Morpion Solitaire, not of {record.puzzle.name}")
    return pymorpion.dump(record) + b"\n"


_WRITERS: dict[str, Callable[[Record], bytes]] = {
    "msr": msr.dump,
    "ms1": lambda record: f"{ms1.dump(record)}\n".encode(),
    "pentasol": lambda record: pentasol.dump(record).encode(),
    "pentasol-io": lambda record: pentasol.dump_dialect(record).encode(),
    "pymorpion": _pymorpion,
}
FORMATS = tuple(_WRITERS)
_WITHOUT_PROVENANCE = ("pymorpion",)
_WITHOUT_VARIANT = ("pentasol", "pentasol-io")


def write(record: Record, name: str) -> tuple[bytes, list[str]]:
    """Return a legal record in the format of that name, claiming what is true, and what was dropped, in words.

    Raises UserError if the format cannot hold the game, IllegalMoveError if it is illegal.
    """
    record = replace(record, claims=replay(record.puzzle, record.moves).claims())
    data = _WRITERS[name](record)
    dropped = []
    if name in _WITHOUT_PROVENANCE and record.provenance:
        dropped.append(", ".join(record.provenance))
    if name in _WITHOUT_VARIANT:
        dropped.append(f"the variant, {record.puzzle.name}")
    return data, dropped
