"""Reflexive Monte-Carlo search (Cazenave, CGW 2007).

A game of level 0 is a playout. A game of level n >= 1 plays, at each step, `games[n - 1]` games of the level below,
remembers the best line of all steps so far, and plays its next move. With games (g0, g1, 1), one meta-meta-game is
played from the start; each of its moves is chosen by g1 meta-games, and each move of those by g0 playouts. The paper's
table of games and meta-games comes out with that 1 at the end, and not with (g0, g1), which scores 2 to 6 less.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import int64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import ReflexiveOptions
from morpion_cli.algorithms.rollout import RolloutPolicy, forget, new_knowledge, rollout
from morpion_cli.algorithms.searcher import Searcher, count_playout, end_game, split_stream
from morpion_cli.algorithms.split import Checkpoint, Evaluation, SplitSearcher
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import copy, n_moves, play, score
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import STATE_WORDS, fork

_TOP_STEP = 0
_KEPT_LEVEL = 2  # from here up a search takes seconds, and is kept between two steps


class Workspace(NamedTuple):
    """The buffers of one search; row n belongs to level n."""

    games: NDArray[np.int64]  # (levels,)
    states: NDArray[np.void]  # (levels + 1,) the game that is being played; the last is scratch
    lines: NDArray[np.int64]  # (levels, max_length) the best line known to that game; row 0 is the line being played
    lengths: NDArray[np.int64]  # (levels,)
    streams: NDArray[np.uint64]  # (levels + 1, 4)
    knowledge: NDArray[np.float64]  # of the rollout policy
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def play_game(game, policy, w, level, depth):
    """Play one game of `level` from the level's state, `depth` moves into the game by w.lines[0].

    Returns its score, and leaves its line in the level's row; NO_SCORE if it had to stop.
    """
    states, lines, line = w.states, w.lines, w.lines[0]
    if level == 0:
        w.lengths[0] = rollout(policy, game, states[0], states[len(states) - 1], w.knowledge, w.streams[0], line, depth)
        return count_playout(game, states[0], w.control, w.best_line, line, w.lengths[0])
    best = NO_SCORE
    w.lengths[level] = depth
    for i in range(depth):
        lines[level, i] = line[i]
    step = int64(0)
    while n_moves(game, states[level]) > 0:
        for index in range(w.games[level - 1]):
            if should_stop(w.control):
                return NO_SCORE
            copy(game, states[level - 1], states[level])
            fork(w.streams[level - 1], w.streams[level], step, index)
            value = play_game(game, policy, w, level - 1, depth)
            if value == NO_SCORE:
                return NO_SCORE
            if value > best:
                best = value
                w.lengths[level] = w.lengths[level - 1]
                for i in range(depth, w.lengths[level]):
                    lines[level, i] = lines[level - 1, i]
        chosen = lines[level, depth]
        line[depth] = chosen
        depth += 1
        step += 1
        play(game, states[level], chosen)
    return max(best, end_game(game, states[level], w.control, w.best_line, line, depth))


@entry
def _run(game, policy, root, w, stream):
    top = len(w.games) - 1
    for i in range(len(stream)):
        w.streams[top + 1, i] = stream[i]
    best = NO_SCORE
    for index in range(w.games[top]):
        if should_stop(w.control):
            return NO_SCORE
        copy(game, w.states[top], root)
        fork(w.streams[top], w.streams[top + 1], _TOP_STEP, index)
        value = play_game(game, policy, w, top, int64(0))
        if value == NO_SCORE:
            return NO_SCORE
        best = max(best, value)
    return best


@entry
def _evaluate(game, policy, root, w, stream, prefix, step, index):
    """Play one game of the workspace's highest level from the position after `prefix`; return its score."""
    top = len(w.games) - 1
    copy(game, w.states[top], root)
    for i in range(len(prefix)):
        play(game, w.states[top], prefix[i])
        w.lines[0, i] = prefix[i]
    fork(w.streams[top], stream, step, index)
    return play_game(game, policy, w, top, int64(len(prefix)))


@entry
def _over(game, state, root, prefix):
    """Tell whether a game has ended after `prefix`, and what it scores."""
    copy(game, state, root)
    for i in range(len(prefix)):
        play(game, state, prefix[i])
    return n_moves(game, state) == 0, score(game, state)


def _workspace(loaded: LoadedGame, games: tuple[int, ...], block: Any, best_line: Any, knowledge: Any) -> Workspace:
    levels = len(games)
    return Workspace(
        games=np.array(games, np.int64),
        states=loaded.game.new_states(levels + 1),
        lines=private_zeros((levels, loaded.game.max_length), np.int64),
        lengths=private_zeros(levels, np.int64),
        streams=private_zeros((levels + 1, STATE_WORDS), np.uint64),
        knowledge=knowledge,
        control=block,
        best_line=best_line,
    )


class Reflexive(Searcher):
    """A task is `games[-1]` games of the highest level; its score is that of the best."""

    def __init__(self, loaded: LoadedGame, options: ReflexiveOptions) -> None:
        super().__init__(loaded)
        self._policy = RolloutPolicy(options.rollout)
        self._workspace = _workspace(loaded, options.games, self.control, self.best_line, new_knowledge(options)[0])

    def _search(self, stream: NDArray[np.uint64]) -> int:
        forget(self._workspace.knowledge)
        return int(_run(self.game, self._policy, self.root, self._workspace, stream))


class SplitReflexive(SplitSearcher):
    """The same, and move for move the same games, but those of the highest level are played by a master."""

    def __init__(self, loaded: LoadedGame, options: ReflexiveOptions) -> None:
        super().__init__(loaded, options.threads)
        self._policy = RolloutPolicy(options.rollout)
        *below, self._top_games = options.games
        self._lanes = [
            _workspace(loaded, tuple(below), block, best_line, knowledge)
            for block, best_line, knowledge in zip(
                self.controls, self.best_lines, new_knowledge(options, options.threads), strict=True
            )
        ]
        self._games = below[-1]  # of the level below at each step
        self._state = self.game.new_states(1)[0]

    def _evaluate(self, thread: int, evaluation: Evaluation) -> tuple[int, NDArray[np.int64]] | None:
        w, e = self._lanes[thread], evaluation
        forget(w.knowledge)  # or the answer would depend on what this thread has done before
        value = int(_evaluate(self.game, self._policy, self.root, w, e.stream, e.prefix, e.step, e.index))
        top = len(w.games) - 1
        return None if value == NO_SCORE else (value, w.lines[top, : w.lengths[top]].copy())

    def _play(self, stream: NDArray[np.uint64], start: Checkpoint | None) -> int:
        game, step, line, best, best_of_all = 0, 0, np.zeros(0, np.int64), NO_SCORE, NO_SCORE
        if start is not None:
            game, step, best, best_of_all = (int(start[name]) for name in ("game", "step", "best", "best_of_all"))
            line = start["line"]
        own = private_zeros(STATE_WORDS, np.uint64)
        while game < self._top_games:
            split_stream(own, stream, _TOP_STEP, game)
            while True:
                over, value = _over(self.game, self._state, self.root, line[:step])
                if over:
                    break
                evaluations = [Evaluation(own.copy(), line[:step], step, index) for index in range(self._games)]
                answers = self._ask(evaluations)
                if answers is None:
                    return NO_SCORE
                for answer in answers:
                    if answer.score > best:
                        best, line = answer.score, answer.line
                step += 1
                self._keep(game=game, step=step, line=line, best=best, best_of_all=best_of_all)
            best_of_all = max(best_of_all, best, int(value))
            game, step, line, best = game + 1, 0, np.zeros(0, np.int64), NO_SCORE
            self._keep(game=game, step=step, line=line, best=best, best_of_all=best_of_all)
        return best_of_all


def make_searcher(loaded: LoadedGame, options: ReflexiveOptions) -> Searcher:
    """Return what searches: one with a master where there are several threads, or losing a search would hurt."""
    if options.threads > 1 or options.levels >= _KEPT_LEVEL:
        return SplitReflexive(loaded, options)
    return Reflexive(loaded, options)
