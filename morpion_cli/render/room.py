"""How much room a drawing has as text."""

from typing import NamedTuple


class Room(NamedTuple):
    """Columns and rows of characters; a drawing that does not fit is made smaller and says less."""

    columns: int = 10_000
    rows: int = 10_000


EVERYWHERE = Room()
