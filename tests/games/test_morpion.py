"""The engine against the referee, which shares no code with it."""

import random
import statistics
from collections import Counter

import numpy as np
import pytest

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.games.catalog import GAMES
from morpion_cli.games.morpion import grid_move
from morpion_cli.grid.morpion import VARIANTS, MorpionPosition
from morpion_cli.grid.puzzle import replay
from morpion_cli.kernel import control
from morpion_cli.kernel.random import task_stream
from tests.grid.strategies import random_game

NAMES = sorted(VARIANTS)
# Mean and maximum of a million uniform random games, from REFERENCES (measured by an independent program).
PUBLISHED = {"5T": (53.62, 90), "5D": (42.90, 63), "4T": (37.19, 58), "4D": (24.06, 34)}


def compare_games(name: str, count: int) -> None:
    """Play random games on the engine, and compare its legal moves with the referee's at every step."""
    loaded = GAMES[name].load()
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    rng = random.Random(name)
    for _ in range(count):
        call["init"](state, loaded.instance)
        position = MorpionPosition(VARIANTS[name])
        while True:
            moves = [call["move"](state, i) for i in range(call["n_moves"](state))]
            shown = {grid_move(VARIANTS[name], move) for move in moves}
            assert len(shown) == len(moves)
            assert shown == set(position.legal_moves())
            assert call["score"](state) == len(position.moves)
            if not moves:
                break
            chosen = rng.choice(moves)
            call["play"](state, chosen)
            position.play(grid_move(VARIANTS[name], chosen))


@pytest.mark.parametrize("name", NAMES)
def test_legal_moves_equal_the_referees(name):
    compare_games(name, 40)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", NAMES)
def test_legal_moves_equal_the_referees_2000_games(name):
    compare_games(name, 2000)


def sample(name: str, playouts: int) -> list[int]:
    """Return the lengths of random games of the engine's own playout."""
    loaded = GAMES[name].load()
    searcher = Sampling(loaded, SamplingOptions(task_playouts=1))
    lengths = []
    for task in range(playouts):
        searcher.forget_best()
        lengths.append(searcher.run(task_stream(7, task)).score)
    return lengths


@pytest.mark.parametrize("name", NAMES)
def test_mean_length_of_random_games(name):
    loaded = GAMES[name].load()
    searcher = Sampling(loaded, SamplingOptions(task_playouts=100_000))
    best = searcher.run(task_stream(3, 0)).score
    mean = searcher.control[control.MOVES] / searcher.control[control.PLAYOUTS]
    expected, maximum = PUBLISHED[name]
    assert mean == pytest.approx(expected, abs=0.16 if name == "5T" else 0.13)  # three standard errors
    assert maximum - 12 <= best <= maximum + 4
    assert searcher.control[control.TRUNCATED] == 0


def chi_squared(a: list[int], b: list[int]) -> float:
    """Return the p-value of two samples coming from one distribution, rare values put together."""
    counts = Counter(a), Counter(b)
    table: list[list[int]] = [[0, 0]]
    for value in sorted(counts[0] | counts[1]):
        table[-1][0] += counts[0][value]
        table[-1][1] += counts[1][value]
        if min(table[-1]) >= 8:
            table.append([0, 0])
    if min(table[-1]) < 8 and len(table) > 1:
        last = table.pop()
        table[-1] = [table[-1][0] + last[0], table[-1][1] + last[1]]
    counts = np.array(table)
    expected = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    freedom = len(table) - 1
    # Wilson and Hilferty 1931: the cube root of chi-squared over its mean is close to normal.
    root = (((counts - expected) ** 2 / expected).sum() / freedom) ** (1 / 3)
    z = (root - (1 - 2 / (9 * freedom))) / (2 / (9 * freedom)) ** 0.5
    return 1 - statistics.NormalDist().cdf(z)


@pytest.mark.parametrize(("name", "games"), [("5D", 200), ("5T", 125), ("4D", 300), ("4T", 200)])
def test_lengths_are_distributed_as_the_referees(name, games):
    slow = [len(random_game(name, seed).moves) for seed in range(games)]
    assert chi_squared(sample(name, 20 * games), slow) > 0.001


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("name", NAMES)
def test_lengths_are_distributed_as_the_referees_5000_games(name):
    slow = [len(random_game(name, seed).moves) for seed in range(5000)]
    assert chi_squared(sample(name, 100_000), slow) > 0.001


@pytest.mark.parametrize("name", NAMES)
def test_playouts_are_legal_and_finished(name):
    loaded = GAMES[name].load()
    searcher = Sampling(loaded, SamplingOptions(task_playouts=1))
    for task in range(100):
        searcher.forget_best()
        result = searcher.run(task_stream(11, task))
        position = replay(VARIANTS[name], loaded.record(result.best_moves, {}).moves)
        assert len(position.moves) == result.score
        assert not position.legal_moves()


def test_known_records_replay_on_the_engine():
    from morpion_cli.formats.reading import read
    from tests.conftest import RECORDS

    for path in RECORDS:
        record = read(path).record
        loaded = GAMES[record.puzzle.name].load()
        call = loaded.game.functions
        state = loaded.game.new_states(1)[0]
        call["init"](state, loaded.instance)
        for expected in record.moves:
            moves = [call["move"](state, i) for i in range(call["n_moves"](state))]
            (chosen,) = [move for move in moves if grid_move(record.puzzle, move) == expected]
            call["play"](state, chosen)
        assert call["n_moves"](state) == 0
        assert call["score"](state) == len(record.moves)


def test_a_game_at_the_edge_is_flagged():
    loaded = GAMES["5T"].load()
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    call["init"](state, loaded.instance)
    assert not call["truncated"](state)
    state["dots"][31] = 1 << 16
    assert call["truncated"](state)


def test_equal_positions_have_equal_hashes():
    loaded = GAMES["5D"].load()
    call = loaded.game.functions
    a, b = loaded.game.new_states(2)
    call["init"](a, loaded.instance)
    call["init"](b, loaded.instance)
    # Two moves far apart, in both orders.
    first, second = (
        call["move"](a, 0),
        next(
            move
            for i in range(call["n_moves"](a))
            if abs(
                grid_move(VARIANTS["5D"], move := call["move"](a, i)).y
                - grid_move(VARIANTS["5D"], call["move"](a, 0)).y
            )
            > 6
        ),
    )
    for state, order in ((a, (first, second)), (b, (second, first))):
        for move in order:
            call["play"](state, move)
    assert call["position_hash"](a) == call["position_hash"](b)
    call["init"](b, loaded.instance)
    assert call["position_hash"](a) != call["position_hash"](b)
