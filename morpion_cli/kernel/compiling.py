"""The two ways a function is compiled.

`inner` functions are helpers, games and algorithm bodies: they are inlined into whatever calls them and never cached
on their own. `entry` functions are the few that Python calls: each is cached once per game. Both release the GIL.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,  # no kernel makes arrays; to count who holds one cost a fifth of a nested search
}


def inner(function: F) -> F:
    """Compile a helper that only other kernels call."""
    return numba.njit(**OPTIONS)(function)


def inner_of(game: str) -> Callable[[F], F]:
    """Return an `inner` for the functions and helpers of one game.

    A symbol in the machine code is made of a function's qualified name, a counter that starts anew in each process,
    and the types of its arguments, of which a record is another such counter. So two games that are made by one
    function, compiled in different processes and loaded from the cache into one, could share a symbol, and one of
    them would run the other's code. The game's name in the function's name keeps them apart.
    """

    def decorate(function: F) -> F:
        own = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        own.__module__ = function.__module__
        own.__qualname__ = f"{game}.{function.__name__}"
        return inner(own)  # type: ignore[return-value]

    return decorate


class _Cache(FunctionCache):
    """Numba's, but machine code is loaded without all that numba can compile, which takes a quarter of a second.

    Where there is none on the disk, the compiler itself looks for that.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def entry(function: F) -> F:
    """Compile a kernel that Python calls; cached on disk, one file per signature."""
    compiled = numba.njit(cache=True, **OPTIONS)(function)
    compiled._cache = _Cache(function)
    return compiled
