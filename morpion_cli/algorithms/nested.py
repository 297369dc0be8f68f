"""Nested Monte-Carlo search (Cazenave, IJCAI 2009) and Monte-Carlo beam search (Cazenave, TCIAIG 2012, Algorithm 2).

One search serves both: nested search is beam search in which every beam is one position wide.

A search of level n keeps a beam of positions, each with its *line*: the moves that led to it, and after them the best
playout known from it. At each step

1. every position advances by the first move of its playout into the next beam, so that the best line is never lost
   (without memory, this is left out);
2. from every position, in beam order, every legal move, in random order, is tried by a search of level n - 1, and
   enters the next beam if its score is among the best.

A level-0 search is a playout. Ties: what entered the beam first stays. The search ends when every position of the beam
is the end of its game, and its result is the best line of the beam.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import BeamOptions, NestedOptions
from morpion_cli.algorithms.rollout import RolloutPolicy, forget, new_knowledge, rollout
from morpion_cli.algorithms.searcher import Searcher, count_playout, end_game
from morpion_cli.algorithms.split import Checkpoint, Evaluation, SplitSearcher
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, should_stop
from morpion_cli.kernel.game import (
    copy,
    move,
    n_moves,
    play,
    position_hash,
    score,
)
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import STATE_WORDS, below, fork

NO_MOVE = -1
NO_SLOT = -1
STOPPED = -1
_KEPT_LEVEL = 3  # from here up a search takes seconds, and is kept between two steps
_SHUFFLE = -1  # index of the stream that shuffles a step's moves, beside the evaluations 0, 1, 2, ...


class Workspace(NamedTuple):
    """The buffers of one search.

    A *slot* holds one beam entry. Slot 0 is for playouts, and its line is the line now being played; level n >= 1 owns
    2 x width slots from `first_slot[n]`: this beam and the next.
    """

    first_slot: NDArray[np.int64]  # (levels + 1,)
    widths: NDArray[np.int64]  # (levels + 1,)
    states: NDArray[np.void]  # (slots + 1,) positions; the last is scratch for the rollout policy
    lines: NDArray[np.int64]  # (slots, max_length)
    lengths: NDArray[np.int64]  # (slots,) length of the whole line
    scores: NDArray[np.int64]  # (slots,) score at the end of the line; NO_SCORE before the first playout
    parents: NDArray[np.int64]  # (slots,) slot of this beam that an entry of the next one comes from
    moves: NDArray[np.int64]  # (slots,) the move from there; NO_MOVE if the game has ended
    hashes: NDArray[np.uint64]  # (slots,) position, only with `unique`
    ranking: NDArray[np.int64]  # (levels + 1, 2, widest) slots of this beam and the next, best first
    shuffled: NDArray[np.int64]  # (levels + 1, most moves)
    streams: NDArray[np.uint64]  # (levels + 2, 4) one stream a level, and one to shuffle
    knowledge: NDArray[np.float64]  # of the rollout policy
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def _copy_line(w, target, source, length):
    for i in range(length):
        w.lines[target, i] = w.lines[source, i]


@inner
def _fill(w, slot, parent, move, source):
    """Make `slot` the entry that comes from `parent` by `move` and has the line of the slot `source`."""
    w.parents[slot] = parent
    w.moves[slot] = move
    w.lengths[slot] = w.lengths[source]
    _copy_line(w, slot, source, w.lengths[source])


@inner
def _rise(w, ranking, rank, slot, value):
    """Move `slot` up the ranking from `rank`, past every entry with a lower score than its new one."""
    while rank > 0 and value > w.scores[ranking[rank - 1]]:
        ranking[rank] = ranking[rank - 1]
        rank -= 1
    ranking[rank] = slot
    w.scores[slot] = value


@inner
def _enter(w, ranking, count, first, width, value, key, unique):
    """Rank a new entry of the next beam after its equals.

    With `unique`, of two entries with the same position `key` only the better stays. Returns the entry's slot, or
    NO_SLOT if it is not good enough, and the new number of entries.
    """
    if unique:
        for rank in range(count):
            slot = ranking[rank]
            if w.hashes[slot] == key:
                if value <= w.scores[slot]:
                    return NO_SLOT, count
                _rise(w, ranking, rank, slot, value)
                return slot, count
    if count < width:
        slot = first + count
        count += 1
    elif value > w.scores[ranking[count - 1]]:
        slot = ranking[count - 1]
    else:
        return NO_SLOT, count
    _rise(w, ranking, count - 1, slot, value)
    w.hashes[slot] = key
    return slot, count


@inner
def _shuffle_moves(w, level, step, index, n):
    stream = w.streams[len(w.widths)]
    fork(stream, w.streams[level], step, _SHUFFLE - index)
    shuffled = w.shuffled[level]
    for i in range(n):
        j = below(stream, i + 1)
        shuffled[i] = shuffled[j]
        shuffled[j] = i


@inner
def search(game, policy, w, level, depth, memory, unique):
    """Search on level >= 1 from the position in the level's first slot, `depth` moves into the game by w.lines[0].

    Returns the slot that holds the result: line, length and score. Returns STOPPED if it had to stop.
    """
    line, scratch = w.lines[0], w.states[len(w.states) - 1]
    stream, child_stream, playout_stream = w.streams[level], w.streams[level - 1], w.streams[0]
    start = w.first_slot[level]
    width = w.widths[level]
    _copy_line(w, start, 0, depth)
    w.lengths[start] = depth
    w.scores[start] = NO_SCORE
    if n_moves(game, w.states[start]) == 0:
        w.scores[start] = end_game(game, w.states[start], w.control, w.best_line, w.lines[start], depth)
        return start
    half = int64(0)  # a plain 0 would be another type at first, and compile everything below twice
    w.ranking[level, 0, 0] = start
    beam_size = int64(1)
    step = int64(0)
    while True:
        beam = w.ranking[level, half]
        ranking = w.ranking[level, 1 - half]
        first = start + (1 - half) * width
        count = int64(0)
        finished = True
        for i in range(beam_size):
            parent = beam[i]
            ended = n_moves(game, w.states[parent]) == 0
            finished = finished and ended
            if ended or (memory and w.lengths[parent] > depth):
                advance = NO_MOVE if ended else w.lines[parent, depth]
                key = uint64(0)
                if unique:
                    copy(game, w.states[0], w.states[parent])
                    if not ended:
                        play(game, w.states[0], advance)
                    key = position_hash(game, w.states[0])
                slot, count = _enter(w, ranking, count, first, width, w.scores[parent], key, unique)
                if slot != NO_SLOT:
                    _fill(w, slot, parent, advance, parent)
        if finished:
            return beam[0]
        index = int64(0)
        for i in range(beam_size):
            parent = beam[i]
            n = n_moves(game, w.states[parent])
            if n == 0:
                continue
            _copy_line(w, 0, parent, depth)
            _shuffle_moves(w, level, step, i, n)
            child = w.first_slot[level - 1]
            for k in range(n):
                if should_stop(w.control):
                    return STOPPED
                chosen = move(game, w.states[parent], w.shuffled[level, k])
                copy(game, w.states[child], w.states[parent])
                play(game, w.states[child], chosen)
                key = position_hash(game, w.states[child]) if unique else uint64(0)
                line[depth] = chosen
                fork(child_stream, stream, step, index)
                index += 1
                result = int64(0)
                if level == 1:
                    state = w.states[0]
                    w.lengths[0] = rollout(policy, game, state, scratch, w.knowledge, playout_stream, line, depth + 1)
                    w.scores[0] = count_playout(game, state, w.control, w.best_line, line, w.lengths[0])
                else:
                    result = search(game, policy, w, level - 1, depth + 1, memory, unique)
                    if result == STOPPED:
                        return STOPPED
                if count < width or w.scores[result] > w.scores[ranking[count - 1]]:  # most are not, and go no further
                    slot, count = _enter(w, ranking, count, first, width, w.scores[result], key, unique)
                    if slot != NO_SLOT:
                        _fill(w, slot, parent, chosen, result)
        for i in range(count):
            slot = ranking[i]
            copy(game, w.states[slot], w.states[w.parents[slot]])
            if w.moves[slot] != NO_MOVE:
                play(game, w.states[slot], w.moves[slot])
        half = 1 - half
        beam_size = count
        depth += 1
        step += 1


@entry
def _run(game, policy, root, w, stream, memory, unique):
    level = len(w.widths) - 1
    for i in range(len(stream)):
        w.streams[level, i] = stream[i]
    copy(game, w.states[w.first_slot[level]], root)
    result = search(game, policy, w, level, int64(0), memory, unique)
    return NO_SCORE if result == STOPPED else w.scores[result]


@entry
def _evaluate(game, policy, root, w, stream, prefix, step, index, memory, unique):
    """Search on the highest level from the position after `prefix`; return the slot of the result, or STOPPED."""
    level = len(w.widths) - 1
    state = w.states[w.first_slot[level]]
    copy(game, state, root)
    for i in range(len(prefix)):
        play(game, state, prefix[i])
        w.lines[0, i] = prefix[i]
    fork(w.streams[level], stream, step, index)
    return search(game, policy, w, level, int64(len(prefix)), memory, unique)


@entry
def _look(game, state, root, prefix, moves):
    """Write the legal moves after `prefix` to `moves`; return how many, and the position's hash."""
    copy(game, state, root)
    for i in range(len(prefix)):
        play(game, state, prefix[i])
    n = n_moves(game, state)
    for i in range(n):
        moves[i] = move(game, state, i)
    return n, position_hash(game, state)


@entry
def _shuffle(w, level, stream, step, index, n):
    for i in range(len(stream)):
        w.streams[level, i] = stream[i]
    _shuffle_moves(w, level, step, index, n)


def _workspace(loaded: LoadedGame, beam: tuple[int, ...], block: Any, best_line: Any, knowledge: Any) -> Workspace:
    """Return the buffers of a search whose levels have beams of these widths, from level 1 up."""
    game, levels = loaded.game, len(beam)
    widths = np.array((1, *beam), np.int64)
    first_slot = np.concatenate(([0], 1 + 2 * np.cumsum(widths[1:]) - 2 * widths[1:])).astype(np.int64)
    slots = 1 + 2 * sum(beam)
    return Workspace(
        first_slot=first_slot,
        widths=widths,
        states=game.new_states(slots + 1),
        lines=private_zeros((slots, game.max_length), np.int64),
        lengths=private_zeros(slots, np.int64),
        scores=private_zeros(slots, np.int64),
        parents=private_zeros(slots, np.int64),
        moves=private_zeros(slots, np.int64),
        hashes=private_zeros(slots, np.uint64),
        ranking=private_zeros((levels + 1, 2, max(beam)), np.int64),
        shuffled=private_zeros((levels + 1, game.max_moves), np.int64),
        streams=private_zeros((levels + 2, STATE_WORDS), np.uint64),
        knowledge=knowledge,
        control=block,
        best_line=best_line,
    )


class Nested(Searcher):
    """A task is one search of the highest level, all of it compiled."""

    def __init__(self, loaded: LoadedGame, options: NestedOptions | BeamOptions) -> None:
        super().__init__(loaded)
        self._memory, self._unique = options.memory, options.unique
        self._policy = RolloutPolicy(options.rollout)
        self._workspace = _workspace(loaded, options.beam, self.control, self.best_line, new_knowledge(options)[0])

    def _search(self, stream: NDArray[np.uint64]) -> int:
        forget(self._workspace.knowledge)
        return int(_run(self.game, self._policy, self.root, self._workspace, stream, self._memory, self._unique))


@dataclass
class _Slot:
    """An entry of the master's beam: its game's line, of which the first `depth` moves are played, and its score."""

    line: NDArray[np.int64]
    score: int
    key: int = 0


class SplitNested(SplitSearcher):
    """The same search, and move for move the same result, but the highest level is played by a master."""

    def __init__(self, loaded: LoadedGame, options: NestedOptions | BeamOptions) -> None:
        super().__init__(loaded, options.threads)
        self._memory, self._unique = options.memory, options.unique
        self._policy = RolloutPolicy(options.rollout)
        *below, self._width = options.beam
        self._lanes = [
            _workspace(loaded, tuple(below), block, best_line, knowledge)
            for block, best_line, knowledge in zip(
                self.controls, self.best_lines, new_knowledge(options, options.threads), strict=True
            )
        ]
        self._state = self.game.new_states(1)[0]
        self._moves = private_zeros(self.game.max_moves, np.int64)

    def _evaluate(self, thread: int, evaluation: Evaluation) -> tuple[int, NDArray[np.int64]] | None:
        w, e = self._lanes[thread], evaluation
        forget(w.knowledge)  # or the answer would depend on what this thread has done before
        slot = _evaluate(
            self.game, self._policy, self.root, w, e.stream, e.prefix, e.step, e.index, self._memory, self._unique
        )
        return None if slot == STOPPED else (int(w.scores[slot]), w.lines[slot, : w.lengths[slot]].copy())

    def _legal_moves(self, prefix: NDArray[np.int64]) -> NDArray[np.int64]:
        n, _ = _look(self.game, self._state, self.root, prefix, self._moves)
        return self._moves[:n].copy()

    def _key(self, prefix: NDArray[np.int64]) -> int:
        if not self._unique:
            return 0
        return int(_look(self.game, self._state, self.root, prefix, self._moves)[1])

    def _shuffled(self, stream: NDArray[np.uint64], step: int, index: int, n: int) -> NDArray[np.int64]:
        w, level = self._lanes[0], len(self._lanes[0].widths) - 1
        _shuffle(w, level, stream, step, index, n)
        return w.shuffled[level, :n].copy()

    def _play(self, stream: NDArray[np.uint64], start: Checkpoint | None) -> int:
        step = 0
        beam = [_Slot(np.zeros(0, np.int64), NO_SCORE)]
        if start is not None:
            step = int(start["step"])
            lines = np.split(start["lines"], np.cumsum(start["lengths"])[:-1])
            beam = [_Slot(line, int(score)) for line, score in zip(lines, start["scores"], strict=True)]
        while True:
            # Every position of the beam is `step` moves into its line, or its game has ended there.
            legal = [self._legal_moves(slot.line[:step]) for slot in beam]
            ranking: list[_Slot] = []
            for slot, moves in zip(beam, legal, strict=True):
                ended = len(moves) == 0
                if ended or (self._memory and len(slot.line) > step):
                    self._enter(ranking, _Slot(slot.line, slot.score, self._key(slot.line[: step + 1])))
            if not any(len(moves) for moves in legal):
                return self._end(beam[0])
            evaluations = []
            for number, (slot, moves) in enumerate(zip(beam, legal, strict=True)):
                for i in self._shuffled(stream, step, number, len(moves)) if len(moves) else ():
                    prefix = np.append(slot.line[:step], moves[i])
                    evaluations.append(Evaluation(stream, prefix, step, len(evaluations)))
            answers = self._ask(evaluations)
            if answers is None:
                return NO_SCORE
            for evaluation, answer in zip(evaluations, answers, strict=True):
                self._enter(ranking, _Slot(answer.line, answer.score, self._key(evaluation.prefix)))
            beam, step = ranking, step + 1
            self._keep(
                step=step,
                lines=np.concatenate([slot.line for slot in beam]),
                lengths=[len(slot.line) for slot in beam],
                scores=[slot.score for slot in beam],
            )

    def _end(self, slot: _Slot) -> int:
        """Return the score of a finished game, which is 0 moves long if it is over at the start."""
        return _start_score(self.game, self.root) if slot.score == NO_SCORE else slot.score

    def _enter(self, ranking: list[_Slot], new: _Slot) -> None:
        """Rank a new entry of the next beam after its equals, as `_enter` of the compiled search."""
        if self._unique:
            for rank, old in enumerate(ranking):
                if old.key == new.key:
                    if new.score <= old.score:
                        return
                    del ranking[rank]
                    break
        if len(ranking) == self._width:
            if new.score <= ranking[-1].score:
                return
            ranking.pop()
        rank = len(ranking)
        while rank > 0 and new.score > ranking[rank - 1].score:
            rank -= 1
        ranking.insert(rank, new)


@entry
def _start_score(game, root):
    return score(game, root)


def make_searcher(loaded: LoadedGame, options: NestedOptions | BeamOptions) -> Searcher:
    """Return what searches: one with a master where there are several threads, or losing a search would hurt."""
    if options.threads > 1 or options.level >= _KEPT_LEVEL:
        return SplitNested(loaded, options)
    return Nested(loaded, options)
