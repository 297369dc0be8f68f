"""Pictures in the formats of other programs. Each may need an extra of the package, and says so."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from morpion_cli.errors import UserError
from morpion_cli.formats import carriers
from morpion_cli.grid.record import Record
from morpion_cli.render import html
from morpion_cli.render.draw import as_scene
from morpion_cli.render.scene import Scene
from morpion_cli.render.svg import document
from morpion_cli.render.theme import THEMES, VARIABLES

_DEFAULT_WIDTH = {"png": 1000, "gif": 600, "webp": 600}  # pixels
MAX_WIDTH = 10_000
_MOST_PIXELS = 200_000_000
_FRAME = 120  # milliseconds a step
_LAST_FRAME = 3000


@dataclass(frozen=True)
class Look:
    """How a picture is to look; `step` and `width` None mean the usual."""

    step: int | None = None
    theme: str = "light"
    numbers: bool = True
    width: int | None = None


def export(record: Record, kind: str, look: Look) -> bytes:
    """Return a picture of one of KINDS. Raises IllegalMoveError, or UserError if a library for it is not installed."""
    scene = as_scene(record, VARIABLES if kind == "html" else THEMES[look.theme], look.numbers)
    return _EXPORTS[kind](record, scene, look)


def _step(scene: Scene, look: Look) -> int:
    return scene.first if look.step is None else look.step


def _svg(record: Record, scene: Scene, look: Look) -> bytes:
    return document(scene, _step(scene, look), record).encode()


def _raster(scene: Scene, step: int, width: int) -> bytes:
    try:
        import resvg_py
    except ImportError:
        raise UserError("PNG needs resvg-py: pip install 'morpion-cli[png]'") from None
    if width * width * scene.height // scene.width > _MOST_PIXELS:
        raise UserError(f"--width: {width} makes a picture of more than {_MOST_PIXELS:,} pixels")
    return bytes(resvg_py.svg_to_bytes(svg_string=document(scene, step, None), width=width))


def _png(record: Record, scene: Scene, look: Look) -> bytes:
    png = _raster(scene, _step(scene, look), look.width or _DEFAULT_WIDTH["png"])
    return carriers.into_png(png, record)


def _pdf(_record: Record, scene: Scene, look: Look) -> bytes:
    try:
        from fpdf import FPDF
        from fpdf.svg import SVGObject
    except ImportError:
        raise UserError("PDF needs fpdf2: pip install 'morpion-cli[pdf]'") from None
    step = _step(scene, look)
    pdf = FPDF(unit="pt", format=(scene.width, scene.height))
    pdf.set_title(scene.captions[step])
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.add_page()
    # fpdf2 does not know <title>, and says so for each document.
    SVGObject(re.sub("<title>.*</title>", "", document(scene, step, None))).draw_to_page(pdf)
    return bytes(pdf.output())


def _animation(kind: str) -> Callable[[Record, Scene, Look], bytes]:
    def animate(_record: Record, scene: Scene, look: Look) -> bytes:
        try:
            from PIL import Image
        except ImportError:
            raise UserError(f"{kind.upper()} needs Pillow: pip install 'morpion-cli[anim]'") from None
        width = look.width or _DEFAULT_WIDTH[kind]
        steps = range(_last(scene, look) + 1)
        frames = [Image.open(io.BytesIO(_raster(scene, step, width))).convert("RGB") for step in steps]
        durations = [_FRAME] * (len(frames) - 1) + [_LAST_FRAME]
        out = io.BytesIO()
        options: dict[str, Any] = {"lossless": True} if kind == "webp" else {"optimize": False}
        frames[0].save(
            out, kind.upper(), save_all=True, append_images=frames[1:], duration=durations, loop=0, **options
        )
        return out.getvalue()

    return animate


def _last(scene: Scene, look: Look) -> int:
    return len(scene.steps) - 1 if look.step is None else look.step


def _html(record: Record, scene: Scene, look: Look) -> bytes:
    return html.page(record, scene, look.theme, _step(scene, look)).encode()


_EXPORTS: dict[str, Callable[[Record, Scene, Look], bytes]] = {
    "svg": _svg,
    "png": _png,
    "pdf": _pdf,
    "gif": _animation("gif"),
    "webp": _animation("webp"),
    "html": _html,
}
KINDS = tuple(_EXPORTS)
CARRY_RECORD = ("svg", "png", "html")
