import numpy as np
import pytest

from morpion_cli.algorithms.options import ReflexiveOptions
from morpion_cli.algorithms.reflexive import Reflexive
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import fork, task_stream
from tests.algorithms.reference import playout


class ReferenceReflexive:
    """The paper's algorithm in plain Python; shares the streams with the engine, and nothing else."""

    def __init__(self, loaded, games):
        self.game, self.call, self.games = loaded.game, loaded.game.functions, games
        self.root = self.game.new_states(1)[0]
        self.call["init"](self.root, loaded.instance)

    def search(self, stream):
        return max(
            (self._game(self.root, len(self.games) - 1, s) for s in self._streams(stream, 0, self.games[-1])),
            key=lambda r: r[0],
        )

    def _streams(self, parent, step, count):
        for index in range(count):
            child = np.zeros(4, np.uint64)
            fork(child, parent, step, index)
            yield child

    def _game(self, start, level, stream):
        state = self.game.new_states(1)[0]
        self.call["copy"](state, start)
        if level == 0:
            line = playout(self.call, state, stream)
            return int(self.call["score"](state)), line
        best, rest, played = -1, [], []
        step = 0
        while self.call["n_moves"](state) > 0:
            for child in self._streams(stream, step, self.games[level - 1]):
                score, line = self._game(state, level - 1, child)
                if score > best:
                    best, rest = score, line
            played.append(rest[0])
            self.call["play"](state, rest[0])
            rest = rest[1:]
            step += 1
        return best, played


@pytest.mark.parametrize("games", [(7,), (3, 4), (2, 2, 2)])
def test_equals_the_paper_move_for_move(games):
    loaded = GAMES["4D"].load()
    searcher = Reflexive(loaded, ReflexiveOptions(games=games))
    for task in range(3):
        searcher.forget_best()
        result = searcher.run(task_stream(8, task))
        score, moves = ReferenceReflexive(loaded, games).search(task_stream(8, task))
        assert (result.score, result.best_score) == (score, score)
        assert list(result.best_moves) == moves


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("games", "published"), [((1, 10, 1), 63), ((10, 10, 1), 67), ((100, 10, 1), 69)])
def test_published_lengths(games, published):
    # RMC 2007, table of best lengths by games and meta-games, one run each.
    loaded = GAMES["5D"].load()
    searcher = Reflexive(loaded, ReflexiveOptions(games=games))
    scores = []
    for task in range(10):
        searcher.forget_best()
        scores.append(searcher.run(task_stream(1, task)).score)
    assert np.mean(scores) == pytest.approx(published, abs=1.5)
