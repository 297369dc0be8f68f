"""Reading files that may be anything, and writing files that must never be half there."""

import os
import stat
import tempfile
from pathlib import Path

from morpion_cli.errors import UserError

_PROBE_SIZE = 16 << 10  # bytes; the longest grid takes about 10,000


def describe_error(error: OSError | ValueError) -> str:
    """Return an operating system error in a few words, without the path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def read_file(path: Path, limit: int) -> bytes:
    """Return the whole of a regular file of at most `limit` bytes.

    Raises UserError if there is no such file, it is something else than a file, or it is larger.
    """
    try:
        # A pipe or a device could block or never end, so ask what it is before reading.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                raise UserError(f"{path}: is a folder, expected a file")
            if not stat.S_ISREG(mode):
                raise UserError(f"{path}: is not a regular file")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(limit + 1)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise UserError(f"{path}: cannot read: {describe_error(error)}") from None
    if len(data) > limit:
        raise UserError(f"{path}: too large: more than {limit:,} bytes")
    return data


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that at every moment it is the old one or the new one, whole and on the disk.

    Its folder must be there. A link is followed; what is no regular file (a pipe, a device) is written as it is.
    Raises UserError if it cannot be written; then nothing of it is left.
    """
    temporary = None
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.is_dir():
            raise UserError(f"{path}: is a folder, expected a file")
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the new name too
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise UserError(f"{path}: cannot write: {describe_error(error)}") from None


def check_folder(path: Path) -> None:
    """Raise UserError now if a file could not be written to a folder later."""
    try:
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(bytes(_PROBE_SIZE))
            probe.flush()
            os.fsync(probe.fileno())
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        raise UserError(f"{path}: cannot write: {describe_error(error)}") from None


def make_folder(path: Path) -> None:
    """Make a folder, and those around it, unless it is there. Raises UserError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        problem = "is a file, expected a folder" if path.exists() else f"cannot write: {describe_error(error)}"
        raise UserError(f"{path}: {problem}") from None


def plain(path: object) -> str:
    """Return a path as one line of text, whatever is in its name."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(path))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
