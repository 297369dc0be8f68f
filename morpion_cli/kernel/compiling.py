"""The two ways a function is compiled.

`inner` functions are helpers, games and algorithm bodies: they are inlined into whatever calls them and never cached
on their own. `entry` functions are the few that Python calls: each is cached once per game. Both release the GIL.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def inner(function: F) -> F:
    """Compile a helper that only other kernels call."""
    return numba.njit(**OPTIONS)(function)


def entry(function: F) -> F:
    """Compile a kernel that Python calls; cached on disk, one file per signature."""
    return numba.njit(cache=True, **OPTIONS)(function)
