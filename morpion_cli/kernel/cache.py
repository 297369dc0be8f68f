"""Where compiled kernels are kept between runs.

Numba checks only the file of a cached function for changes, but a kernel here also contains the code of the game and
the helpers it calls. So the folder's name carries a digest of all sources that can end up in a kernel, and of the
versions that compile them: another source, another folder.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent.parent
_SOURCES = ("kernel", "games", "algorithms")
_SPACE_NEEDED = 64 << 20  # bytes: all kernels of one version take about 20 MB


def source_digest() -> str:
    """Return 16 hex digits that change with any source that a kernel depends on."""
    return _of_sources().hexdigest()[:16]


def _of_sources() -> "hashlib._Hash":
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_PACKAGE / folder).glob("**/*.py")):
            digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest


def kernel_digest() -> str:
    """Return 16 hex digits that change with any source, compiler version or CPU that a kernel depends on."""
    from llvmlite import binding

    digest = _of_sources()
    for item in (version("numba"), version("numpy"), version("llvmlite"), binding.get_host_cpu_name(), sys.version):
        digest.update(item.encode() + b"\0")
    return digest.hexdigest()[:16]


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return shutil.disk_usage(folder).free >= _SPACE_NEEDED
    except OSError:
        return False


def _choose_folder() -> Path:
    base = Path(os.environ.get("MORPION_CACHE_DIR") or platformdirs.user_cache_dir("morpion"))
    folder = base / kernel_digest()
    if _usable(folder):
        return folder
    warnings.warn(
        f"kernel cache {str(base)!r} is read-only or full: compiling anew in this run "
        "(set MORPION_CACHE_DIR to a writable folder)",
        RuntimeWarning,
        stacklevel=1,
    )
    temporary = tempfile.TemporaryDirectory(prefix="morpion-cache-")
    _keep_alive.append(temporary)
    return Path(temporary.name)


_keep_alive: list[tempfile.TemporaryDirectory[str]] = []  # removed at exit
folder = _choose_folder()
os.environ["NUMBA_CACHE_DIR"] = str(folder)
if "numba" in sys.modules:  # somebody imported numba first, and it has read the environment already
    sys.modules["numba"].config.CACHE_DIR = str(folder)


@contextlib.contextmanager
def first_call_lock() -> Iterator[None]:
    """Hold this while a kernel is called for the first time: two processes at once can damage the index."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
