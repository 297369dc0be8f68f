"""Buffers of one worker, which no other worker's writes can slow down."""

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_LINE = 128  # bytes: processors fetch cache lines of 64 in pairs


def private_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of zeros that shares no cache line with anything else.

    Numpy puts small arrays side by side, whichever thread asks for them; two workers that write to neighbours
    (random streams, say) then take the line from each other at every write.
    """
    size = math.prod((shape,) if isinstance(shape, int) else shape) * np.dtype(dtype).itemsize
    padded = -(-size // _LINE) * _LINE
    raw = np.zeros(padded + _LINE, np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size].view(dtype).reshape(shape)
