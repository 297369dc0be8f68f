"""Where figures come from: this machine, and the versions of what made them."""

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from morpion_cli import __version__
from morpion_cli.kernel.cache import source_digest


def machine() -> str:
    """Return this machine's CPU and how many cores we may use."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), cpu)
    except OSError:
        pass
    return f"{cpu}, {len(os.sched_getaffinity(0))} cores"


def versions() -> str:
    """Return the versions of this program and of what its speed and results depend on."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"morpion-cli {__version__} ({source_digest()}), python {python}, numba {version('numba')}"
