"""The engine against the referee, which shares no code with it."""

import random
import statistics
from collections import Counter
from typing import Any

import numpy as np
import pytest

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.games.catalog import GAMES
from morpion_cli.games.morpion import SIDE, _corner, board_offset
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
            shown = loaded.grid_moves(moves, position.moves)
            assert len(set(shown)) == len(moves)
            assert set(shown) == set(position.legal_moves())
            assert call["score"](state) == len(position.moves)
            if not moves:
                break
            chosen = rng.randrange(len(moves))
            call["play"](state, moves[chosen])
            position.play(shown[chosen])


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
        for i, expected in enumerate(record.moves):
            moves = [call["move"](state, i) for i in range(call["n_moves"](state))]
            call["play"](state, moves[loaded.grid_moves(moves, record.moves[:i]).index(expected)])
        assert call["n_moves"](state) == 0
        assert call["score"](state) == len(record.moves)


def turned(word: int, n: int) -> int:
    """Return a lane's word with its positions moved on by n around the torus."""
    n %= SIDE
    return (word << n | word >> (SIDE - n)) & 0xFFFFFFFF


def shifted_move(move: int, dx: int, dy: int) -> int:
    """Return an engine's move, moved on the torus."""
    direction, lane = (move >> 3) & 3, (move >> 20) & 31
    x, y = ((move >> 5) + dx) & 31, ((move >> 10) + dy) & 31
    lane += (dy, dx, dx + dy, dx - dy)[direction]
    position = (move >> 27) + (dy if direction == 1 else dx)
    return (position & 31) << 27 | direction << 25 | (lane & 31) << 20 | y << 10 | x << 5 | move & 31


def shift(state: Any, dx: int, dy: int) -> None:
    """Move a position on the torus."""
    for words in (state["dots"], state["starts"]):
        before = [int(word) for word in words]
        for i in range(SIDE):
            words[(i + dy) % SIDE] = turned(before[i], dx)
            words[32 + (i + dx) % SIDE] = turned(before[32 + i], dy)
            words[64 + (i + dx + dy) % SIDE] = turned(before[64 + i], dx)
            words[96 + (i + dx - dy) % SIDE] = turned(before[96 + i], dx)
    for i in range(int(state["n_moves"])):
        state["moves"][i] = shifted_move(int(state["moves"][i]), dx, dy)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_the_same_everywhere_on_the_torus(name):
    # So the tests against the referee, in the middle of the board, hold for games that go around its sides.
    loaded = GAMES[name].load()
    call = loaded.game.functions
    here, there = loaded.game.new_states(2)
    rng = random.Random(name)
    for _ in range(30):
        dx, dy = rng.randrange(SIDE), rng.randrange(SIDE)
        for state in (here, there):
            call["init"](state, loaded.instance)
        shift(there, dx, dy)
        while (n := call["n_moves"](here)) > 0:
            moves = [call["move"](here, i) for i in range(n)]
            assert [shifted_move(move, dx, dy) for move in moves] == [call["move"](there, i) for i in range(n)]
            chosen = rng.randrange(n)
            call["play"](here, moves[chosen])
            call["play"](there, call["move"](there, chosen))
        assert call["n_moves"](there) == 0 and not call["truncated"](there)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_too_large_for_the_torus_is_flagged(name):
    loaded = GAMES[name].load()
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    free = VARIANTS[name].points - 1
    for lanes in (range(SIDE), range(32, 64)):  # all rows, all columns
        for kept, expected in ((free, False), (free - 1, True)):
            call["init"](state, loaded.instance)
            state["dots"][lanes[0]] = turned((1 << (SIDE - kept)) - 1, 11)
            assert call["truncated"](state) == expected


def test_moves_are_shown_where_they_are_on_the_plane():
    # The columns that a game uses, between any two that leave four free on the torus, have no gap.
    offset = board_offset(5)
    for low in range(10 - 28, 1):
        for high in range(9, low + 28):
            assert _corner({(offset + x) % SIDE for x in range(low, high + 1)}, offset) == low


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
            if abs((((move := call["move"](a, i)) >> 10) & 31) - ((call["move"](a, 0) >> 10) & 31)) > 6
        ),
    )
    for state, order in ((a, (first, second)), (b, (second, first))):
        for move in order:
            call["play"](state, move)
    assert call["position_hash"](a) == call["position_hash"](b)
    call["init"](b, loaded.instance)
    assert call["position_hash"](a) != call["position_hash"](b)
