"""The one error that a user sees as a line of text."""


class UserError(Exception):
    """Something the user gave cannot be used; the message says where, what is wrong and what would be right."""
