"""Arithmetic that a compiler can turn into vector code, where the standard library's functions stop it."""

import numpy as np
from numba import float32, int32

from morpion_cli.kernel.compiling import inner

_LIMIT = 80.0  # a few million exponentials of this still add up to a float32


@inner
def exponential(x):
    """Return the exponential of a float32, x first limited to +-80; relative error below 3e-7.

    Cephes' expf: x = n ln 2 + r, a polynomial of degree 5 in r, times 2 to the n by its bits.
    """
    x = min(max(x, float32(-_LIMIT)), float32(_LIMIT))
    n = np.floor(x * float32(1.44269504088896341) + float32(0.5))
    r = x - n * float32(0.693359375) + n * float32(2.12194440e-4)
    p = float32(1.9875691500e-4)
    p = p * r + float32(1.3981999507e-3)
    p = p * r + float32(8.3334519073e-3)
    p = p * r + float32(4.1665795894e-2)
    p = p * r + float32(1.6666665459e-1)
    p = p * r + float32(5.0000001201e-1)
    p = p * r * r + r + float32(1.0)
    power = int32((int32(n) + int32(127)) << int32(23))
    return p * np.int32(power).view(np.float32)
