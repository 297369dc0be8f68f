"""Reading numbers and durations as people write them, and sharing numbers out."""

import re

from morpion_cli.errors import shown

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_LONGEST = 10 * 365 * 86400.0


def parse_count(value: object) -> int:
    """Return a whole number given as 5000, 5_000, 5e3 or 1.5e6.

    Raises ValueError.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value).strip().replace("_", "")
    # Checked before converting: int() of a long text, or of 1e999999999, would take forever.
    if re.fullmatch(r"[+-]?\d{1,30}", text):
        return int(text)
    if re.fullmatch(r"[+-]?\d{1,30}(\.\d{1,30})?[eE]\+?\d{1,2}", text):
        number = float(text)
        if number == int(number):
            return int(number)
    raise ValueError(f"expected a whole number such as 5000 or 1e6, got {shown(value)}")


def parse_duration(value: object) -> float:
    """Return the seconds in 90, 90s, 10m, 2h, 1d, 1h30m or 1:30:00; more than 0, at most ten years.

    Raises ValueError.
    """
    text = str(value).strip().lower()
    seconds = None
    number = r"\d{1,12}(?:\.\d{1,6})?"
    if re.fullmatch(number, text):
        seconds = float(text)
    elif re.fullmatch(rf"(?:{number}\s*(?:ms|min|s|m|h|d)\s*)+", text):
        seconds = sum(float(n) * _UNITS[unit] for n, unit in re.findall(rf"({number})\s*(ms|min|s|m|h|d)", text))
    elif re.fullmatch(r"\d{1,6}(:[0-5]?\d){1,2}", text):
        seconds = 0.0
        for part in text.split(":"):
            seconds = seconds * 60 + int(part)
    if seconds is None or not 0 < seconds <= _LONGEST:
        raise ValueError(f"expected a duration such as 90s, 10m, 2h or 1:30:00, got {shown(value)}")
    return seconds


def parse_size(text: str, most: int) -> tuple[int, int]:
    """Return the columns and rows in 15x15, each at most `most`.

    Raises ValueError.
    """
    match = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text.strip().lower())
    sides = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(1 <= side <= most for side in sides):
        raise ValueError(f"expected columns x rows such as 15x15, each from 1 to {most}, got {shown(text)}")
    return sides


def parse_bytes(value: object) -> int:
    """Return the bytes in 500M, 1G, 1.5GiB or 64k; units are powers of 1024.

    Raises ValueError.
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)\s*([kmgt])?(i?b)?", str(value).strip().lower())
    size = int(float(match[1]) * 1024 ** (" kmgt".index(match[2] or " "))) if match else 0
    if size < 1:
        raise ValueError(f"expected a size such as 500M or 1G, got {shown(value)}")
    return size


def shares(total: int, parts: int) -> list[int]:
    """Return a total in so many parts that differ by one at most."""
    return [total // parts + (number < total % parts) for number in range(parts)]
