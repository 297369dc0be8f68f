"""What every SVG document of ours begins and ends with."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from morpion_cli.grid.msr import dump
from morpion_cli.grid.record import Record


def document(width: int, height: int, title: str, record: Record, parts: Iterable[str]) -> str:
    """Return an SVG document of a size in pixels; the record itself is in `<metadata>`."""
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<title>{escape(title)}</title>",
            f'<metadata id="msr">{escape(dump(record).decode())}</metadata>',
            *parts,
            "</svg>",
            "",
        ]
    )
