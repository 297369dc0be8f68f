"""The base of what can be chosen of games and of algorithms, checked. Light to import: no numba, no numpy."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from morpion_cli.values import parse_count

Count = Annotated[int, BeforeValidator(parse_count)]


class Options(BaseModel):
    """Options: nothing unknown, nothing changed after it was checked."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False)


def option(default: Any, meaning: str, source: str = "this project", **limits: Any) -> Any:
    """Describe one option: its default, what it means and where it comes from."""
    return Field(default, description=meaning, json_schema_extra={"source": source}, **limits)
