"""The folder of a run: what is needed to see it, and to go on with it in another process.

config.yaml    the hunt as it was asked for, with its seed
state.json     finished tasks as ranges, their scores, the best game, counters
tasks/N.npz    how far the unfinished task N has come, for algorithms that can go on in the middle of one
events.jsonl   a line for each start, improvement and stop
lock           locked while a process runs it, and who that is
stop           if somebody makes this file, the run stops in good order
"""

import datetime
import fcntl
import hashlib
import io
import os
import socket
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import yaml

from morpion_cli import __version__
from morpion_cli.errors import UserError
from morpion_cli.files import describe_error, make_folder, read_file, write_atomic
from morpion_cli.hunt.settings import Settings
from morpion_cli.hunt.store import now

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUNS = Path("runs")
_STATE_LIMIT = 64 << 20  # bytes
_TASK_LIMIT = 256 << 20
_DIGEST = "digest"


def default_folder(settings: Settings) -> Path:
    """Return a folder below RUNS that is not there yet."""
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    name = f"{settings.game.name}-{settings.algorithm.name}-{stamp}"
    return next(path for i in range(1000) if not (path := RUNS / (f"{name}-{i}" if i else name)).exists())


def read_state(path: Path) -> dict[str, Any]:
    """Return the state in a run's folder. Raises UserError if there is none."""
    try:
        state = orjson.loads(read_file(path / "state.json", _STATE_LIMIT))
    except orjson.JSONDecodeError:
        state = None
    if not isinstance(state, dict) or not isinstance(state.get("done"), list):
        raise UserError(f"{path / 'state.json'}: not the state of a run")
    return state


def is_running(path: Path) -> bool:
    """Tell whether a process holds a run's lock."""
    try:
        with (path / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class RunFolder:
    """One run's folder, locked by this process. A context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[int, Mapping[str, Any]] = {}  # of each task the checkpoint on disk
        make_folder(path)
        try:
            # Opened without emptying it: it says who holds it.
            self._lock = (path / "lock").open("a+b")
        except OSError as error:
            raise UserError(f"{path}: cannot write: {describe_error(error)}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            holder = self._lock.read(200).decode(errors="replace").strip()
            self._lock.close()
            raise UserError(f"{path}: another hunt runs in this folder: {holder}") from None
        self._lock.truncate(0)
        self._lock.write(f"process {os.getpid()} on {socket.gethostname()} since {now()}\n".encode())
        self._lock.flush()

    @classmethod
    def create(cls, path: Path, settings: Settings) -> "RunFolder":
        """Return a new run's folder, with its config. Raises UserError if there is a run in it already."""
        folder = cls(path)
        if (path / "state.json").exists():
            folder.close()
            raise UserError(f"{path}: there is a run in this folder already; go on with it by --resume {path}")
        text = yaml.safe_dump(settings.document, sort_keys=False, allow_unicode=True)
        write_atomic(path / "config.yaml", text.encode())
        return folder

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unlock the folder."""
        self._lock.close()

    def discard(self) -> None:
        """Remove a folder in which nothing has happened."""
        for name in ("config.yaml", "lock"):
            (self.path / name).unlink(missing_ok=True)
        self.close()
        with suppress(OSError):  # it was there before, with other things in it
            self.path.rmdir()
            if self.path.parent == RUNS:
                RUNS.rmdir()

    @property
    def stop_asked(self) -> bool:
        """Tell whether somebody has made the file `stop`."""
        return (self.path / "stop").exists()

    def save(self, state: dict[str, Any], checkpoints: "Mapping[int, Mapping[str, NDArray[Any]]]") -> None:
        """Write the state, and how far each unfinished task has come. Raises UserError.

        The tasks are written first: a task that is neither done nor kept is begun again, and nothing is lost.
        """
        folder = self.path / "tasks"
        make_folder(folder)
        for task, arrays in checkpoints.items():
            if self._kept.get(task) is not arrays:
                write_atomic(folder / f"{task}.npz", _pack(arrays))
                self._kept[task] = arrays
        write_atomic(self.path / "state.json", orjson.dumps(state) + b"\n")
        for task in self._kept.keys() - checkpoints.keys():
            (folder / f"{task}.npz").unlink(missing_ok=True)
            del self._kept[task]

    def checkpoints(self) -> "dict[int, dict[str, NDArray[Any]]]":
        """Return how far the unfinished tasks have come; what is damaged is left out."""
        found = {}
        for path in (self.path / "tasks").glob("*.npz"):
            if path.stem.isdigit():
                arrays = _unpack(read_file(path, _TASK_LIMIT))
                if arrays is not None:
                    found[int(path.stem)] = arrays
                    self._kept[int(path.stem)] = arrays
        return found

    def event(self, kind: str, **fields: Any) -> None:
        """Append a line to events.jsonl; what cannot be written there is lost, as it is in no state."""
        append_line(self.path / "events.jsonl", {"at": now(), "event": kind, **fields})


def append_line(path: Path, fields: dict[str, Any]) -> None:
    """Append a line of JSON to a file, in one piece; nothing if that cannot be done."""
    try:
        with path.open("ab", buffering=0) as file:
            file.write(orjson.dumps(fields) + b"\n")
    except OSError:
        return


def start_of(settings: Settings) -> str:
    """Return 12 hex digits of everything that tasks depend on beside their numbers."""
    puzzle = settings.puzzle
    opening = [puzzle.dump_move(move) for move in settings.opening]
    parts = [puzzle.family, puzzle.header(), opening, settings.algorithm.name, repr(settings.options), settings.seed]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:12]


def _pack(arrays: "Mapping[str, NDArray[Any]]") -> bytes:
    import numpy as np

    out = io.BytesIO()
    np.savez_compressed(out, **arrays, **{_DIGEST: _digest(arrays)})  # type: ignore[arg-type]
    return out.getvalue()


def _unpack(data: bytes) -> "dict[str, NDArray[Any]] | None":
    """Return the arrays, or None if the file is damaged."""
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        digest = arrays.pop(_DIGEST)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    return arrays if np.array_equal(digest, _digest(arrays)) else None


def _digest(arrays: "Mapping[str, NDArray[Any]]") -> "NDArray[np.uint8]":
    import numpy as np

    digest = hashlib.sha256(__version__.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return np.frombuffer(digest.digest(), np.uint8)
