"""What every game of the catalog must do."""

import numpy as np
import pytest

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.verify import verify
from morpion_cli.kernel.compiling import inner
from morpion_cli.kernel.game import softmax_playout, trace_dtype
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below, task_stream


# Clickomania's boards are of another size than SameGame's, and take their own minute to compile.
@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.slow if name == "clickomania" else ()) for name in sorted(GAMES)]
)
def loaded(request):
    return GAMES[request.param].load()


def play_out(loaded, state, seed):
    """Play random moves through the protocol, checking what it promises; return the line."""
    game, call = loaded.game, loaded.game.functions
    stream = task_stream(seed, 0)
    call["init"](state, loaded.instance)
    line = []
    while (n := call["n_moves"](state)) > 0:
        assert n <= game.max_moves
        moves = [call["move"](state, i) for i in range(n)]
        codes = [call["code"](state, move) for move in moves]
        assert len(set(moves)) == n and min(moves) >= 0
        assert len(set(codes)) == n and min(codes) >= 0 and max(codes) < game.n_codes
        line.append(moves[below(stream, n)])
        call["play"](state, line[-1])
    assert len(line) <= game.max_length
    return np.array(line, np.int64)


def test_random_games_end_within_bounds_and_the_referee_agrees(loaded):
    state = loaded.game.new_states(1)[0]
    low, high = loaded.puzzle.bounds
    for seed in range(20):
        line = play_out(loaded, state, seed)
        score = loaded.game.functions["score"](state)
        assert low <= score <= high
        verdict = verify(loaded.record(line, {}))
        assert verdict.legal and verdict.terminal and verdict.score == score


def test_positions_begin_blocks_of_memory(loaded):
    states = loaded.game.new_states(3)
    assert {states[i : i + 1].ctypes.data % 512 for i in range(3)} == {0}


def test_a_copy_is_the_same_position_and_goes_its_own_way(loaded):
    call = loaded.game.functions
    state, copy = loaded.game.new_states(2)
    call["init"](state, loaded.instance)
    stream = task_stream(1, 0)
    for _ in range(8):
        call["copy"](copy, state)
        assert call["position_hash"](copy) == call["position_hash"](state)
        moves = {call["move"](state, i) for i in range(call["n_moves"](state))}
        assert {call["move"](copy, i) for i in range(call["n_moves"](copy))} == moves
        call["play"](state, call["move"](state, below(stream, call["n_moves"](state))))
        assert {call["move"](copy, i) for i in range(call["n_moves"](copy))} == moves


def test_init_forgets_the_last_game(loaded):
    call = loaded.game.functions
    a, b = loaded.game.new_states(2)
    play_out(loaded, a, 1)
    call["init"](a, loaded.instance)
    call["init"](b, loaded.instance)
    assert call["position_hash"](a) == call["position_hash"](b)
    assert call["n_moves"](a) == call["n_moves"](b)


def test_every_position_of_a_game_has_the_referees_legal_moves(loaded):
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    stream = task_stream(3, 0)
    call["init"](state, loaded.instance)
    position = loaded.puzzle.start()
    while (n := call["n_moves"](state)) > 0:
        moves = [call["move"](state, i) for i in range(n)]
        shown = list(loaded.grid_moves(moves))
        assert n == len(set(shown)) == len(position.legal_moves())
        assert all(position.problem(move) is None for move in shown)
        assert call["score"](state) == position.score
        i = below(stream, n)
        call["play"](state, moves[i])
        position.play(shown[i])
    assert position.legal_moves() == [] and call["score"](state) == position.score


def test_every_rollout_policy_of_a_game_plays_legal_games(loaded):
    for rollout in loaded.entry.rollouts:
        search = Sampling(loaded, SamplingOptions(task_playouts=20, rollout=rollout))
        result = search.run(task_stream(1, 0))
        verdict = verify(loaded.record(result.best_moves, {}))
        assert verdict.legal and verdict.terminal and verdict.score == result.best_score


@inner
def _play_softmax(game, state, exponentials, trace, tabu, stream):
    softmax_playout(game, state, exponentials, trace, tabu, stream)


def test_the_trace_of_a_softmax_playout_has_the_legal_moves_of_each_step(loaded):
    call = loaded.game.functions
    state, again = loaded.game.new_states(2)
    trace = private_zeros(1, trace_dtype(loaded.game))[0]
    stream = task_stream(4, 0)
    exponentials = np.exp(np.random.default_rng(1).normal(size=loaded.game.n_codes)).astype(np.float32)
    for _ in range(3):  # what a game leaves in the trace must not disturb the next
        call["init"](state, loaded.instance)
        _play_softmax(loaded.game, state, exponentials, trace, 0, stream)
        call["init"](again, loaded.instance)
        codes, births = trace["numbered"]["code"], trace["births"]
        numbers, before = iter(trace["numbers"]), {}
        for step in range(trace["length"]):
            legal = [int(call["move"](again, i)) for i in range(call["n_moves"](again))]
            assert trace["counts"][step] == len(legal)
            now = {int(codes[number]): int(number) for _, number in zip(legal, numbers, strict=False)}
            assert now.keys() == {int(call["code"](again, move)) for move in legal}
            for code, number in now.items():
                assert births[number] == step if code not in before else number == before[code]
            played = trace["line"][step]
            assert now[call["code"](again, played)] == trace["chosen"][step]
            call["play"](again, played)
            before = now
        assert call["n_moves"](again) == 0 and call["score"](again) == call["score"](state)
        assert not trace["seen"]["until"].any()


def test_a_softmax_playout_plays_moves_by_their_weights(loaded):
    call = loaded.game.functions
    start, state = loaded.game.new_states(2)
    trace = private_zeros(1, trace_dtype(loaded.game))[0]
    call["init"](start, loaded.instance)
    # Probabilities 1 : 2 : 0 : 0 ... for the first move.
    names = [call["code"](start, call["move"](start, i)) for i in range(call["n_moves"](start))]
    exponentials = np.full(loaded.game.n_codes, 1e-20, np.float32)
    exponentials[names[:2]] = [1, 2]
    stream = task_stream(1, 0)
    first = []
    for _ in range(3000):
        call["copy"](state, start)
        _play_softmax(loaded.game, state, exponentials, trace, 0, stream)
        first.append(int(trace["numbered"]["code"][trace["chosen"][0]]))
    assert set(first) == set(names[:2])
    assert first.count(names[1]) / 3000 == pytest.approx(2 / 3, abs=0.03)
