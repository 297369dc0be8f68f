import numpy as np
import pytest

from morpion_cli.algorithms.options import PriorityOptions
from morpion_cli.algorithms.priority import BEST, SIZE, Priority
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.verify import verify
from morpion_cli.kernel.random import below, task_stream

SMALL = PriorityOptions(task_children=4000, maintenance=200, cycle=4, window=3, ends_every=100, end_failures=10)


def greedy(loaded, state, ranks, base, salt):
    game = loaded.game
    line = np.zeros(game.max_length, np.int64)
    game.functions["init"](state, loaded.instance)
    length = game.functions["greedy_playout"](state, ranks, base, salt, np.zeros(game.max_moves, np.uint64), line, 0)
    return line[:length]


def plainly_greedy(loaded, state, ranks, base, salt):
    """The same by the protocol's required functions."""
    call, n_codes = loaded.game.functions, loaded.game.n_codes
    call["init"](state, loaded.instance)
    line = []
    while (n := call["n_moves"](state)) > 0:
        moves = [call["move"](state, i) for i in range(n)]
        rank = {
            move: ranks[call["code"](state, move)] or base[(call["code"](state, move) + salt) % n_codes]
            for move in moves
        }
        line.append(max(moves, key=rank.get))
        call["play"](state, line[-1])
    return line


@pytest.mark.parametrize("name", ["4D", pytest.param("5T", marks=pytest.mark.slow)])
def test_a_greedy_playout_plays_the_highest_rank_at_each_step(name):
    loaded = GAMES[name].load()
    state, other = loaded.game.new_states(2)
    stream = task_stream(3, 0)
    rng = np.random.default_rng(3)
    base = (rng.permutation(loaded.game.n_codes) + 1).astype(np.uint32)
    for _ in range(30):
        # Some codes above the base, in any order, and some with another's rank.
        ranks = np.zeros(loaded.game.n_codes, np.uint32)
        salt = below(stream, loaded.game.n_codes)
        first = plainly_greedy(loaded, state, ranks, base, salt)
        wanted = rng.permutation([loaded.game.functions["code"](state, move) for move in first])[: len(first) // 2]
        ranks[wanted] = loaded.game.n_codes + 1 + np.arange(len(wanted))
        swapped = rng.choice(wanted, 3, replace=False)
        ranks[swapped] = base[(swapped + salt) % loaded.game.n_codes]
        line = greedy(loaded, state, ranks, base, salt)
        assert list(line) == plainly_greedy(loaded, other, ranks, base, salt)
        assert loaded.game.functions["score"](state) == loaded.game.functions["score"](other) == len(line)
        assert loaded.game.functions["n_moves"](state) == 0


def test_outcomes_are_the_dots_alone():
    loaded = GAMES["4D"].load()
    call = loaded.game.functions
    found = {}
    state = loaded.game.new_states(1)[0]
    for seed in range(300):
        stream, dots = task_stream(seed, 0), set()
        call["init"](state, loaded.instance)
        while (n := call["n_moves"](state)) > 0 and len(dots) < 3:
            move = call["move"](state, below(stream, n))
            grid_move = loaded.grid_move(move)
            dots.add((grid_move.x, grid_move.y))
            call["play"](state, move)
        outcome = call["outcome_hash"](state)
        assert found.setdefault(frozenset(dots), outcome) == outcome
    assert len(set(found.values())) == len(found) > 200


@pytest.fixture(scope="module")
def search():
    searcher = Priority(GAMES["4D"].load(), SMALL)
    searcher.result = searcher.run(task_stream(5, 0))
    return searcher


def test_the_pool_holds_what_it_should(search):
    pool = search._pool
    size, best = pool.counts[SIZE], pool.counts[BEST]
    used = pool.slots[:size]
    assert best == search.result.score == search.result.best_score and size > 0
    assert sorted(pool.slots) == list(range(len(pool.slots)))
    assert len(set(pool.outcomes[used])) == size == np.count_nonzero(pool.known)
    assert pool.scores[used].max() == best and pool.scores[used].min() >= best - SMALL.window
    assert sorted(pool.base) == list(range(1, search.game.n_codes + 1))
    assert not pool.ranks.any()


def test_every_entry_is_a_legal_game_and_replays_itself(search):
    pool = search._pool
    state = search.game.new_states(1)[0]
    for slot in pool.slots[: pool.counts[SIZE]]:
        length = pool.lengths[slot]
        line, codes = pool.lines[slot, :length], pool.codes[slot, :length]
        verdict = verify(search.loaded.record(line, {}))
        assert verdict.legal and verdict.terminal and verdict.score == pool.scores[slot]
        ranks = np.zeros(search.game.n_codes, np.uint32)
        ranks[codes] = search.game.n_codes + length - np.arange(length)
        assert list(greedy(search.loaded, state, ranks, pool.base, pool.salts[slot])) == list(line)
        assert search.game.functions["outcome_hash"](state) == pool.outcomes[slot]


def test_it_goes_on_from_a_checkpoint_to_the_same_end(search):
    loaded = search.loaded
    kept = []

    class Watched(Priority):
        def _keep(self, *arguments):
            kept.append(super()._keep(*arguments))
            return kept[-1]

    Watched(loaded, SMALL).run(task_stream(5, 0))
    assert len(kept) > 2
    for start in (kept[0], kept[-1]):
        again = Priority(loaded, SMALL)
        again.forget_best()
        again.resume(start)
        result = again.run(task_stream(5, 0))
        assert (result.score, list(result.best_moves)) == (search.result.score, list(search.result.best_moves))
        assert list(again._pool.slots[: again._pool.counts[SIZE]].shape) == [search._pool.counts[SIZE]]


def test_patience_ends_a_task_that_finds_nothing_better():
    searcher = Priority(GAMES["4D"].load(), SMALL.model_copy(update={"task_children": 10**9, "patience": 3}))
    searcher.run(task_stream(1, 0))
    assert searcher.playouts < 200_000


@pytest.mark.slow
@pytest.mark.parametrize(("name", "optimum", "playouts"), [("4D", 35, 2_000_000), ("4T", 62, 4_000_000)])
def test_optima(name, optimum, playouts):
    # A C++ prototype of 290,000 playouts a second found them after 2 and 8 s.
    options = PriorityOptions(task_children=playouts, window=4 if name == "4D" else 8, patience=0)
    searcher = Priority(GAMES[name].load(), options)
    searcher.set_target(optimum)
    scores = []
    for task in range(5):
        searcher.forget_best()
        scores.append(searcher.run(task_stream(1, task)).best_score)
    assert sorted(scores)[2] == optimum
