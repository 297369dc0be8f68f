"""What every game of the catalog must do."""

import numpy as np
import pytest

from morpion_cli.algorithms.flat import Sampling
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.verify import verify
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
        shown = [loaded.engine.grid_move(loaded.puzzle, int(move)) for move in moves]
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
