"""SVG documents that carry the record they show."""

from xml.sax.saxutils import escape

from morpion_cli.formats.carriers import metadata
from morpion_cli.grid.record import Record
from morpion_cli.render.scene import Scene


def document(scene: Scene, step: int, record: Record | None) -> str:
    """Return a scene at a step as an SVG document, with the record inside if there is one."""
    size = f'viewBox="0 0 {scene.width} {scene.height}" width="{scene.width}" height="{scene.height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
            f"<title>{escape(scene.captions[step])}</title>",
            "" if record is None else metadata(record),
            scene.background,
            scene.body(step),
            "</svg>",
            "",
        ]
    )
