"""All mistakes of a config or of a command line at once, each with its place."""

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from morpion_cli.config.yaml_tree import Location, YamlTree
from morpion_cli.errors import UserError, shown


def dashed(name: str) -> str:
    """Return the command-line option of a key."""
    return f"--{name.replace('_', '-')}"


def option_mistakes(error: ValidationError, model: type[BaseModel], names: Mapping[str, str]) -> UserError:
    """Return the mistakes in options from the command line; `names` are those that differ from the model's."""
    mistakes = Mistakes(None)
    mistakes.from_option = {(name,): names.get(name, dashed(name)) for name in model.model_fields}
    mistakes.add_all(error, model)
    return mistakes.error()


class Mistakes:
    """All mistakes of a config, each with its place."""

    def __init__(self, tree: YamlTree | None) -> None:
        self._tree = tree
        self._lines: list[str] = []
        self.from_option: dict[Location, str] = {}

    def add(self, location: Location, problem: str) -> None:
        for length in range(len(location), 0, -1):
            if location[:length] in self.from_option:
                self._lines.append(f"{self.from_option[location[:length]]}: {problem}")
                return
        key = ".".join(str(part) for part in location)
        where = "" if self._tree is None else f"{self._tree.place(location)}: "
        line = f"{where}{key}: {problem}" if key else f"{where}{problem}"
        # Once is enough for what many cells of an experiment share, or for a file that they all name.
        once = any(known.endswith(f": {problem}") for known in self._lines if ": cannot read: " in problem)
        if line not in self._lines and not once:
            self._lines.append(line)

    def add_all(self, error: ValidationError, model: type[BaseModel], prefix: Location = (), owner: str = "") -> None:
        """Add all that is wrong with the keys of a model; `owner` is whose they are, where that is not plain."""
        for item in error.errors():
            # An item of a list that is wrong is left out, and then the list may seem too short.
            if item["type"] != "too_short" or item["ctx"]["actual_length"] == len(item["input"]):
                self.add((*prefix, *item["loc"]), _problem(item, model, item["loc"], owner))

    def raise_if_any(self) -> None:
        if self._lines:
            raise self.error()

    def error(self) -> UserError:
        return UserError("\n".join(self._lines))


def _problem(item: Any, model: type[BaseModel], location: Location, owner: str) -> str:
    kind, context = item["type"], item.get("ctx", {})
    got = shown(item["input"])
    if kind == "extra_forbidden":
        for part in location[:-1]:
            field = model.model_fields.get(str(part))
            if field is not None and isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
                model = field.annotation
        known = [field.alias or name for name, field in model.model_fields.items()]
        close = difflib.get_close_matches(str(location[-1]), known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"known keys{owner and f' of {owner}'}: {', '.join(known)}"
        return f"unknown key - {hint}"
    if kind in ("int_parsing", "int_type", "int_from_float"):
        return f"expected a whole number, got {got}"
    if kind in ("finite_number", "float_parsing", "float_type"):
        return f"expected a number, got {got}"
    if kind in ("bool_parsing", "bool_type"):
        return f"expected true or false, got {got}"
    if kind in ("dict_type", "model_type"):
        return f"expected keys and values, got {got}"
    if kind in ("string_type", "tuple_type"):
        return f"expected {'text' if kind == 'string_type' else 'a list such as [1, 8, 8]'}, got {got}"
    bounds = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}
    bounds |= {"greater_than": ("more than", "gt"), "less_than": ("less than", "lt")}
    if kind in bounds:
        words, key = bounds[kind]
        return f"must be {words} {context[key]}, got {got}"
    if kind == "value_error":
        return str(context["error"])
    return f"{item['msg'][:1].lower()}{item['msg'][1:]}, got {got}"
