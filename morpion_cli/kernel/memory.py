"""Buffers of one worker, which no other worker's writes can slow down."""

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_BLOCK = 512  # bytes: a part of a page of memory; processors fetch lines of 64, in pairs


def _whole_blocks(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def in_blocks(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record dtype with room at its end, so that in an array of `private_zeros` each begins a block.

    A vector that crosses from one page to the next takes many times as long, and which do would be chance.
    """
    names = dtype.names or ()
    return np.dtype(
        {
            "names": names,
            "formats": [dtype[name] for name in names],
            "offsets": [dtype.fields[name][1] for name in names] if dtype.fields else [],
            "itemsize": _whole_blocks(dtype.itemsize),
        },
        align=dtype.isalignedstruct,
    )


def private_zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of zeros that shares no cache line with anything else.

    Numpy puts small arrays side by side, whichever thread asks for them; two workers that write to neighbours
    (random streams, say) then take the line from each other at every write.
    """
    size = math.prod((shape,) if isinstance(shape, int) else shape) * np.dtype(dtype).itemsize
    raw = np.zeros(_whole_blocks(size) + _BLOCK, np.uint8)
    start = -raw.ctypes.data % _BLOCK
    return raw[start : start + size].view(dtype).reshape(shape)
