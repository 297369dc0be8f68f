"""Drawing games. Plain Python, without numpy and numba."""
