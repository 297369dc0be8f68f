"""YAML as a tree of text with places, for configs only.

Read from parser events, not by a constructor: scalars stay text and are given meaning by whoever knows what is
expected (so `1e6` is a number and `5D` a name), keys may not come twice, and nothing in a file can make an object,
refer to itself or nest without end.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from morpion_cli.errors import UserError
from morpion_cli.files import read_file

_SIZE_LIMIT = 1 << 20
_DEPTH_LIMIT = 16
_NULLS = ("", "~", "null", "Null", "NULL")

Location = tuple[str | int, ...]


@dataclass
class YamlTree:
    """A parsed file: its data, and the line and column of every key and item."""

    name: str
    data: Any = None
    marks: dict[Location, tuple[int, int]] = field(default_factory=dict)

    def place(self, location: Location) -> str:
        """Return file:line:column of a location, or of the nearest thing around it."""
        while location and location not in self.marks:
            location = location[:-1]
        line, column = self.marks.get(location, (1, 1))
        return f"{self.name}:{line}:{column}"


def read_yaml(path: Path) -> YamlTree:
    """Return the tree of a file. Raises UserError."""
    data = read_file(path, _SIZE_LIMIT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not a YAML file: it is not UTF-8 text") from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, name: str) -> YamlTree:
    """Return the tree of a text. Raises UserError."""
    tree = YamlTree(name)
    try:
        events = _Events(name, yaml.parse(text, Loader=yaml.SafeLoader))
        events.skip_to_document()
        tree.data = _node(events, tree, ()) if not events.at_end else {}
        events.expect_end()
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise UserError(f"{place}: not valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{name}: not valid YAML: {str(error).splitlines()[0]}") from None
    return tree


class _Events:
    def __init__(self, name: str, events: Any) -> None:
        self.name = name
        self._events = events
        self.current = next(events)

    def take(self) -> Any:
        event = self.current
        self.current = next(self._events, None)
        return event

    def fail(self, event: Any, problem: str) -> UserError:
        return UserError(f"{self.name}:{event.start_mark.line + 1}:{event.start_mark.column + 1}: {problem}")

    @property
    def at_end(self) -> bool:
        return isinstance(self.current, yaml.StreamEndEvent)

    def skip_to_document(self) -> None:
        while isinstance(self.current, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            self.take()

    def expect_end(self) -> None:
        while isinstance(self.current, yaml.DocumentEndEvent):
            self.take()
        if not self.at_end:
            raise self.fail(self.current, "a config is one YAML document, but here a second one starts")


def _node(events: _Events, tree: YamlTree, location: Location) -> Any:
    event: Any = events.take()
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise events.fail(event, "anchors and aliases (& and *) are not used in configs - write the value out")
    if getattr(event, "tag", None) is not None:
        raise events.fail(event, f"tags are not used in configs - remove {event.tag[:40]!r}")
    if len(location) > _DEPTH_LIMIT:
        raise events.fail(event, f"nested more than {_DEPTH_LIMIT} deep")
    tree.marks.setdefault(location, (event.start_mark.line + 1, event.start_mark.column + 1))
    if isinstance(event, yaml.ScalarEvent):
        return None if event.style is None and event.value in _NULLS else event.value
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(events.current, yaml.SequenceEndEvent):
            items.append(_node(events, tree, (*location, len(items))))
        events.take()
        return items
    mapping: dict[str, Any] = {}
    while not isinstance(events.current, yaml.MappingEndEvent):
        key: Any = events.take()
        if not isinstance(key, yaml.ScalarEvent):
            raise events.fail(key, "a key must be plain text")
        if key.value in mapping:
            line, _ = tree.marks[(*location, key.value)]
            raise events.fail(key, f"{key.value}: given twice, first in line {line} - keep one of them")
        mark: Any = key.start_mark
        tree.marks[(*location, key.value)] = (mark.line + 1, mark.column + 1)
        mapping[key.value] = _node(events, tree, (*location, key.value))
    events.take()
    return mapping
