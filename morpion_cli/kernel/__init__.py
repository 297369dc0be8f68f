"""Numba primitives under every game and algorithm: cache, compiling, random streams, control block, game protocol.

Import this package before numba, so that compiled code goes to the project's own cache folder.
"""

from morpion_cli.kernel import cache as cache  # must come before anything that imports numba
