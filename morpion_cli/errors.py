"""What goes wrong for the user, as a line of text."""


class UserError(Exception):
    """Something the user gave cannot be used; the message says where, what is wrong and what would be right."""


def shown(value: object) -> str:
    """Return what the user gave as it goes into a message: quoted, on one line, and short."""
    text = "nothing" if value is None else repr(value[:50] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."
