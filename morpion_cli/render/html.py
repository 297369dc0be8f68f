"""One page that plays a game: self-contained, without anything from elsewhere."""

import base64
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import orjson

from morpion_cli.formats import msr
from morpion_cli.formats.carriers import metadata
from morpion_cli.grid.record import Record
from morpion_cli.render.scene import Scene
from morpion_cli.render.theme import THEMES, declarations


def page(record: Record, scene: Scene, theme: str, step: int) -> str:
    """Return the page of a scene that was drawn in VARIABLES, first shown in a theme and at a step."""
    template = Template((files(__package__) / "page.html").read_text(encoding="utf-8"))
    title = scene.captions[-1].split(":")[0]
    data = {
        "captions": scene.captions,
        "cumulative": scene.cumulative,
        "step": step,
        "theme": theme,
    }
    return template.substitute(
        title=escape(title),
        light=declarations(THEMES["light"]),
        dark=declarations(THEMES["dark"]),
        marks="".join(f"#board .l{i} .now{{{mark}}}" for i, mark in enumerate(scene.marked) if mark),
        width=scene.width,
        height=scene.height,
        board=_board(scene),
        last=len(record.moves),
        moves="".join(f"<li>{escape(str(move))}</li>" for move in record.moves),
        provenance="".join(
            f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in _flat(record.provenance)
        ),
        record=metadata(record, "script", 'type="text/plain" '),
        download=base64.b64encode(msr.dump(record)).decode(),
        name=escape(f"{record.puzzle.name}-{len(record.moves)}.json"),
        data=orjson.dumps(data).decode().replace("<", "\\u003c"),
    )


def _board(scene: Scene) -> str:
    parts = [scene.background]
    for layer, attributes in enumerate(scene.layers):
        groups = "".join(
            f'<g class="s" data-step="{number}">{step[layer]}</g>'
            for number, step in enumerate(scene.steps)
            if step[layer]
        )
        parts.append(f'<g class="l{layer}" {attributes}>{groups}</g>')
    return "\n".join(parts)


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key} ")
        elif isinstance(value, list):
            yield f"{prefix}{key}", ", ".join(map(str, value))
        elif value is not None:
            yield f"{prefix}{key}", str(value)
