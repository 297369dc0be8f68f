"""Ending a long command by signals: the first ends it in good order, the second at once."""

import os
import signal
from collections.abc import Callable


def on_signals(interrupt: Callable[[str], None]) -> list[int]:
    """Have SIGINT, SIGTERM and SIGHUP call `interrupt` with their name; return a list that then holds the number.

    Installed even where a shell has set a background job to ignore SIGINT.
    """
    received: list[int] = []

    def handle(number: int, _frame: object) -> None:
        if received:
            os._exit(128 + number)  # what was announced is on disk; whoever asks twice does not want to wait
        received.append(number)
        interrupt(signal.Signals(number).name.lower())

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handle)
    return received
