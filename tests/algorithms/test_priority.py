from collections import Counter

import numpy as np
import pytest
from numba import njit

from morpion_cli.algorithms import priority
from morpion_cli.algorithms.options import PriorityOptions
from morpion_cli.algorithms.priority import BEST, SIZE, Priority
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.verify import verify
from morpion_cli.kernel.game import NOT_WANTED, order_dtype, ordered_playout
from morpion_cli.kernel.random import below, task_stream, uniform

SMALL = PriorityOptions(task_children=4000, maintenance=200, window=3, ends_every=100, end_failures=10)


# Called through the protocol, so that games without their own are tested too.
play_in_order = njit(lambda game, *rest: ordered_playout(game, *rest))


def ordered(loaded, state, wanted, stream, other_at=None, forgotten=()):
    """Return the line of an ordered playout from the start."""
    game = loaded.game
    order = np.zeros(1, order_dtype(game))
    order["wanted"][0, : len(wanted)] = wanted
    order["forgotten"][0, : len(forgotten)] = forgotten
    order["n_forgotten"] = len(forgotten)
    line = np.zeros(game.max_length, np.int64)
    game.functions["init"](state, loaded.instance)
    other_at = len(wanted) if other_at is None else other_at
    length = play_in_order(game, state, order[0], len(wanted), other_at, stream, line)
    assert not order["turns"].any()
    assert list(order["played"][0, :length]) == list(wishes(loaded, game.new_states(1)[0], line[:length]))
    return line[:length]


def wish(call, state, move):
    return call.get("wish", call["code"])(state, move)


def wishes(loaded, state, game):
    """Return those of a game's moves; `state` is overwritten."""
    call = loaded.game.functions
    call["init"](state, loaded.instance)
    found = []
    for move in game:
        found.append(wish(call, state, move))
        call["play"](state, move)
    return np.array(found)


def legal_moves(call, state):
    return [call["move"](state, i) for i in range(call["n_moves"](state))]


@pytest.mark.parametrize("name", ["4D", "samegame", pytest.param("5T", marks=pytest.mark.slow)])
def test_an_ordered_playout_plays_the_first_wanted_move_that_is_legal(name):
    loaded = GAMES[name].load()
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    rng = np.random.default_rng(3)
    at_random = others = taken_up = 0
    for task in range(80):
        stream = task_stream(3, task)
        game = ordered(loaded, state, [], stream)
        wanted = wishes(loaded, state, game)
        gone = rng.integers(len(wanted), size=3)
        forgotten = set(wanted[gone].tolist()) if task % 4 > 1 else set()
        wanted[gone] = NOT_WANTED
        other_at = rng.integers(len(wanted)) if task % 2 else len(wanted)
        line = ordered(loaded, state, wanted, stream, other_at, list(forgotten))
        forgotten -= set(wanted.tolist())  # in SameGame a wish may come twice
        ended = state.copy()
        turn = {int(name): i for i, name in enumerate(wanted) if name != NOT_WANTED}
        call["init"](state, loaded.instance)
        due = other_at < len(wanted)
        for move in line:
            legal = {wish(call, state, other): other for other in legal_moves(call, state)}
            assert move in legal.values()
            hoped = turn.keys() & legal.keys()
            first = min(hoped, key=turn.get, default=None)
            if due and (first is None or turn[first] >= other_at):
                due = False
                if legal.keys() - hoped - forgotten:
                    first = None
                    others += 1
            if first is not None:
                assert move == legal[first]
            else:
                at_random += 1
                if not legal.keys() - hoped - forgotten:
                    taken_up += 1
                    forgotten = set()
                assert wish(call, state, move) in legal.keys() - hoped - forgotten
            call["play"](state, move)
        assert not legal_moves(call, state)
        assert call["n_moves"](ended) == 0 and call["score"](ended) == call["score"](state)
        assert call["position_hash"](ended) == call["position_hash"](state)
    assert at_random > 200 and others > 30 and taken_up > 3


def test_where_nothing_is_wanted_an_ordered_playout_is_uniform():
    # The first move after 10 wanted ones, over the legal moves, 4000 times.
    loaded = GAMES["4D"].load()
    call = loaded.game.functions
    state = loaded.game.new_states(1)[0]
    stream = task_stream(8, 0)
    wanted = wishes(loaded, state, ordered(loaded, state, [], stream)[:10])
    counts = Counter(int(ordered(loaded, state, wanted, stream)[10]) for _ in range(4000))
    expected = 4000 / len(counts)
    call["init"](state, loaded.instance)
    for name in wanted:
        call["play"](state, next(move for move in legal_moves(call, state) if wish(call, state, move) == name))
    assert counts.keys() == set(legal_moves(call, state))
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_squared < 4 * len(counts)  # p < 1e-6 for the dozens of moves here


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
            dots.add((move >> 5) & 1023)
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
    assert not search._order["turns"].any()


def test_every_entry_is_a_legal_game_and_replays_itself(search):
    pool = search._pool
    state = search.game.new_states(1)[0]
    for slot in pool.slots[: pool.counts[SIZE]]:
        length = pool.lengths[slot]
        line, wanted = pool.lines[slot, :length], pool.wishes[slot, :length]
        verdict = verify(search.loaded.record(line, {}))
        assert verdict.legal and verdict.terminal and verdict.score == pool.scores[slot]
        assert list(ordered(search.loaded, state, wanted, task_stream(1, slot))) == list(line)
        assert search.game.functions["outcome_hash"](state) == pool.outcomes[slot]


def test_a_full_pool_takes_nothing_but_what_is_better_and_ends_are_searched_to_the_end(monkeypatch):
    # With room for few, every end finds games that are not in the pool; it must not go on for ever because of them.
    monkeypatch.setattr(priority, "_CAPACITY", 128)
    searcher = Priority(GAMES["4D"].load(), SMALL.model_copy(update={"window": 30}))
    full = []
    maintain = searcher._maintain
    monkeypatch.setattr(searcher, "_maintain", lambda window: (full.append(len(used(searcher))), maintain(window)))
    result = searcher.run(task_stream(5, 0))
    scores = searcher._pool.scores[used(searcher)]
    assert max(full) == 128 and max(scores) == result.score
    assert len(scores) <= 64 or min(scores) == result.score


def test_a_child_that_is_new_and_no_worse_changes_places_with_its_parent():
    searcher = Priority(GAMES["4D"].load(), SMALL)
    searcher.run(stream := task_stream(5, 0))
    pool, counts = searcher._pool, searcher._pool.counts
    n_better = n_worse = 0
    for _ in range(5000):
        before, ahead = pool.slots[: counts[SIZE]].copy(), stream.copy()
        turn = int(len(before) * uniform(ahead) ** 2.0)
        parent = before[turn]
        assert priority._evolve(
            searcher.game, searcher.root, searcher._states, searcher._order, pool, 1, 10, 5, 2.0, 10**9, 10, stream
        )
        after = pool.slots[: counts[SIZE]]
        if len(after) == len(before):
            assert list(after) == list(before)
            continue
        (child,) = set(after) - set(before)
        if pool.scores[child] >= pool.scores[parent]:
            n_better += 1
            before[turn] = child
            assert list(after) == [*before, parent]
        else:
            n_worse += 1
            assert list(after) == [*before, child]
    assert n_better > 5 and n_worse > 50


def used(searcher):
    return searcher._pool.slots[: searcher._pool.counts[SIZE]]


def test_it_goes_on_from_a_checkpoint_to_the_same_end(search, monkeypatch):
    monkeypatch.setattr(priority, "_KEEP_EVERY", 600)
    loaded = search.loaded
    kept = []

    class Watched(Priority):
        def _keep(self, *arguments):
            kept.append(super()._keep(*arguments))
            return kept[-1]

    Watched(loaded, SMALL).run(task_stream(5, 0))
    assert len(kept) == 6  # at rounds 3, 6, ... 18 of 20
    for start in kept:
        again = Priority(loaded, SMALL)
        again.forget_best()
        again.resume(start)
        result = again.run(task_stream(5, 0))
        assert (result.score, list(result.best_moves)) == (search.result.score, list(search.result.best_moves))
        assert list(again._pool.slots[: again._pool.counts[SIZE]].shape) == [search._pool.counts[SIZE]]


def test_patience_ends_a_task_whose_pool_brings_nothing_better(monkeypatch):
    searcher = Priority(GAMES["4D"].load(), SMALL.model_copy(update={"task_children": 10**9, "patience": 3}))
    kept, bests = [], []
    maintain = searcher._maintain

    def watched(window):
        maintain(window)
        kept.append(len(used(searcher)))
        bests.append(int(searcher._pool.counts[BEST]))

    monkeypatch.setattr(searcher, "_maintain", watched)
    searcher.run(task_stream(1, 0))
    since = [round_ - bests.index(best) for round_, best in enumerate(bests)]
    spent = [200 * rounds > 3 * size for rounds, size in zip(since, kept, strict=True)]
    assert spent.index(True) == len(spent) - 1 > 5


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
