"""What several commands share. Imports nothing heavy."""

from typing import Any

EXIT_ILLEGAL = 1
EXIT_USAGE = 2


def print_json(value: Any) -> None:
    """Print one JSON value on stdout."""
    import orjson

    print(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
