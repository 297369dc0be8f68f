"""Hypothesis strategies for games."""

import random

from hypothesis import strategies as st

from morpion_cli.grid.morpion import VARIANTS, MorpionPosition


def random_game(name: str, seed: int, length: int = 1000) -> MorpionPosition:
    """Play random legal moves."""
    rng = random.Random(seed)
    position = MorpionPosition(VARIANTS[name])
    while len(position.moves) < length and (legal := sorted(position.legal_moves())):
        position.play(rng.choice(legal))
    return position


games = st.builds(random_game, st.sampled_from(sorted(VARIANTS)), st.integers(0, 2**32), st.integers(0, 40))
