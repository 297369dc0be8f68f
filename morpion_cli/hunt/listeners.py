"""What else may listen to a hunt, beside what shows it."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from morpion_cli.errors import UserError
from morpion_cli.hunt.hunt import Listener, Status
from morpion_cli.hunt.run_folder import append_line
from morpion_cli.hunt.store import now

_LOG_EVERY = 10.0  # seconds between two lines that say how far it is
_PLACE = "{}"
_PATIENCE = 10.0  # seconds to wait for a command at the end


class Several(Listener):
    """Tells everything to several listeners; more may be added to the list."""

    def __init__(self, listeners: list[Listener]) -> None:
        self._listeners = listeners

    def tick(self, status: Status) -> None:
        for listener in self._listeners:
            listener.tick(status)

    def improved(self, status: Status) -> None:
        for listener in self._listeners:
            listener.improved(status)

    def problem(self, text: str) -> None:
        for listener in self._listeners:
            listener.problem(text)

    def ended(self, status: Status) -> None:
        for listener in self._listeners:
            listener.ended(status)


class Log(Listener):
    """Appends lines of JSON to a file. Raises UserError at once if it cannot be written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = time.monotonic()
        try:
            path.open("ab").close()
        except OSError as error:
            raise UserError(f"--log: {path}: cannot write: {(error.strerror or '').lower()}") from None

    def _line(self, event: str, **fields: Any) -> None:
        append_line(self._path, {"at": now(), "event": event, **fields})

    def _figures(self, event: str, status: Status) -> None:
        self._line(
            event,
            score=status.best.grid.score if status.best else None,
            tasks_done=status.tasks_done,
            playouts=status.playouts,
            elapsed_secs=round(status.elapsed, 3),
            rate=round(status.rate),
        )

    def tick(self, status: Status) -> None:
        if time.monotonic() - self._last >= _LOG_EVERY:
            self._last = time.monotonic()
            self._figures("status", status)

    def improved(self, status: Status) -> None:
        assert status.best is not None
        grid = status.best.grid
        self._line("improved", score=grid.score, task=status.best.task, path=str(grid.path), id=grid.id)

    def problem(self, text: str) -> None:
        self._line("problem", text=text)

    def ended(self, status: Status) -> None:
        self._figures(f"stopped by {status.stopped_by}", status)


class RecordCommand(Listener):
    """Runs a command when a new best is on disk.

    The command is split into arguments as a shell would, but no shell runs it; {} in an argument is the grid's path,
    which is the last argument if {} is nowhere. While one runs, the next waits, and only the newest does.
    Raises UserError if it is no command.
    """

    def __init__(self, command: str) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise UserError(f"--on-record: {error}") from None
        if not self._arguments:
            raise UserError("--on-record: expected a command such as 'notify-send record {}'")
        self._running: subprocess.Popen[bytes] | None = None
        self._next: Path | None = None
        self._complained = False

    def improved(self, status: Status) -> None:
        assert status.best is not None
        self._next = status.best.grid.path.absolute()
        self._start()

    def tick(self, _status: Status) -> None:
        self._start()

    def ended(self, _status: Status) -> None:
        until = time.monotonic() + _PATIENCE
        while (self._running is not None or self._next is not None) and time.monotonic() < until:
            self._start()
            time.sleep(0.05)

    def _start(self) -> None:
        if self._running is not None and self._running.poll() is not None:
            self._running = None
        if self._running is None and self._next is not None:
            path, self._next = str(self._next), None
            arguments = [argument.replace(_PLACE, path) for argument in self._arguments]
            if not any(_PLACE in argument for argument in self._arguments):
                arguments.append(path)
            try:
                self._running = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            except (OSError, ValueError) as error:
                if not self._complained:
                    print(f"morpion: --on-record: cannot run {arguments[0]}: {error}", file=sys.stderr)
                self._complained = True


class MemoryLimit(Listener):
    """Stops a hunt before the process takes more memory than it may."""

    def __init__(self, limit: int, interrupt: Callable[[str], None]) -> None:
        self._limit = limit
        self._interrupt = interrupt

    def tick(self, _status: Status) -> None:
        if resident() > self._limit:
            self._interrupt("max-memory")


def resident() -> int:
    """Return the bytes of memory that this process takes now; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
