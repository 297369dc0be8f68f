"""Priority search: a population of games, each an order in which moves are wanted.

A child of an entry has one change or some: moves of the entry are forgotten, or a move that is not the entry's is
played at some moment. It is then an *ordered playout*: at each step it plays the first of the entry's moves that is
legal, and where none is, a random one, which is a forgotten one only if there is no other. It enters the pool if its
score is within the window below the best and no entry has the same outcome (in Morpion Solitaire the same dots, however
the lines were drawn). If one has, the child takes its place: so entries drift among the many games of one outcome.

- Parents: entry size * u^skew of the pool, which at each maintenance is sorted by how often an entry was a parent since
  it last had a child that entered. So about a third of all children are those of the first; and a child that enters and
  is no worse than its parent changes places with it at once, or it would wait for its turn behind thousands.
- The window narrows step by step to nothing, a maintenance each. What falls below it is dropped at maintenance.
- A task ends when the window has closed, or when its pool is spent: a leap forward leaves behind all but the few games
  around it, and what is to be found among those is found soon or never.
- Ends: now and then the best entry not yet searched takes back its last 1, 2, ... a quarter of its moves, each until
  so many random completions in a row have brought nothing that enters.

Found by others for Morpion Solitaire 5T; here over the game protocol, for any game.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from morpion_cli.algorithms.options import PriorityOptions
from morpion_cli.algorithms.searcher import Searcher, count_playout
from morpion_cli.games.catalog import LoadedGame
from morpion_cli.kernel.compiling import entry, inner
from morpion_cli.kernel.control import NO_SCORE, restore_best, should_stop
from morpion_cli.kernel.game import NOT_WANTED, copy, order_dtype, ordered_playout, outcome_hash, play, playout, wish
from morpion_cli.kernel.memory import private_zeros
from morpion_cli.kernel.random import below, uniform

_CAPACITY = 1 << 16  # entries of the pool; some thousands are usual
_TABLE = 1 << 18  # slots of a set of outcomes, a power of two
_FIRST = 100  # random playouts for a start
_KEEP_EVERY = 20_000_000  # children between two checkpoints: some two minutes
_SHARE = 4  # the ends of a game that are searched are its last 1 / _SHARE
GAME, REPLAY, STEM = range(3)  # indices of the states
SIZE, BEST, SINCE_ENDS, N_SEARCHED = range(4)  # indices of the counts
_KEPT = ("scores", "visits", "outcomes", "searched", "lengths")  # of each entry, in a checkpoint


class Pool(NamedTuple):
    """The population and its buffers. Entries stand in slots; `slots[:counts[SIZE]]` are in use, in order of choice."""

    counts: NDArray[np.int64]  # (4,)
    slots: NDArray[np.int64]  # (_CAPACITY,) a permutation
    scores: NDArray[np.int64]  # (_CAPACITY,)
    visits: NDArray[np.int64]  # (_CAPACITY,)
    outcomes: NDArray[np.uint64]  # (_CAPACITY,)
    searched: NDArray[np.bool_]  # (_CAPACITY,) whether its ends are
    lengths: NDArray[np.int64]  # (_CAPACITY,)
    lines: NDArray[np.int64]  # (_CAPACITY, longest game)
    wishes: NDArray[np.uint32]  # (_CAPACITY, longest game) what children want, in the order of play
    known: NDArray[np.uint64]  # (_TABLE,) the outcomes in the pool; 0 is a free place
    owners: NDArray[np.int64]  # (_TABLE,) the slots of their entries
    ended: NDArray[np.uint64]  # (_TABLE,) those whose ends have been searched, for the whole task
    line: NDArray[np.int64]  # (max_length,)
    control: NDArray[np.int64]
    best_line: NDArray[np.int64]  # (max_length,)


@inner
def slot_of(table, outcome):
    """Return where an outcome is in a set, or would be."""
    at = int64(outcome & uint64(_TABLE - 1))
    while table[at] != 0 and table[at] != outcome:
        at = (at + 1) & (_TABLE - 1)
    return at


@inner
def outcome_of(game, state):
    """Return the outcome of a finished game; never 0, which in a set is a free slot."""
    outcome = outcome_hash(game, state)
    return outcome if outcome != 0 else uint64(1)


@inner
def note_wishes(game, root, state, line, length, wishes):
    """Write the wishes of a game's moves. `state` is overwritten."""
    copy(game, state, root)
    for i in range(length):
        wishes[i] = wish(game, state, line[i])
        play(game, state, line[i])


@inner
def fill(pool, slot, length, score, wishes):
    """Make the game in `pool.line` an entry's."""
    pool.scores[slot] = score
    pool.lengths[slot] = length
    for i in range(length):
        pool.lines[slot, i] = pool.line[i]
        pool.wishes[slot, i] = wishes[i]


@inner
def add(pool, length, score, wishes, outcome):
    """Put the game in `pool.line` with a new outcome into the pool, and tell whether there was room.

    If there is none, a game that is better than all takes the place of the newest.
    """
    size = pool.counts[SIZE]
    if size == len(pool.slots):
        if score <= pool.counts[BEST]:
            return False
        size -= 1
    pool.counts[BEST] = max(score, pool.counts[BEST])
    slot = pool.slots[size]
    pool.counts[SIZE] = size + 1
    place = slot_of(pool.known, outcome)
    pool.known[place] = outcome
    pool.owners[place] = slot
    pool.visits[slot] = 0
    pool.outcomes[slot] = outcome
    pool.searched[slot] = pool.ended[slot_of(pool.ended, outcome)] == outcome
    fill(pool, slot, length, score, wishes)
    return True


@inner
def add_if_new(game, root, states, order, pool, length, score):
    """Put the game in `pool.line`, just ended, into the pool; False if its outcome is there, or no room."""
    outcome = outcome_of(game, states[GAME])
    if pool.known[slot_of(pool.known, outcome)] == outcome:
        return False
    note_wishes(game, root, states[REPLAY], pool.line, length, order.played)
    return add(pool, length, score, order.played, outcome)


@inner
def play_child(game, state, order, wishes, length, changes, stream, line):
    """Play a child of the entry with these wishes to `line`; return its length."""
    wanted = order.wanted
    for i in range(length):
        wanted[i] = wishes[i]
    n_changes = int64(1)
    while n_changes < changes and below(stream, 2) == 0:
        n_changes += 1
    other_at = length
    if below(stream, 2) == 0:
        other_at = below(stream, length)
        n_changes -= 1
    order.n_forgotten = 0
    for _ in range(n_changes):
        i = below(stream, length)
        if wanted[i] != NOT_WANTED:
            order.forgotten[order.n_forgotten] = wanted[i]
            order.n_forgotten += 1
            wanted[i] = NOT_WANTED
    return ordered_playout(game, state, order, length, other_at, stream, line)


@inner
def search_ends(game, root, states, order, pool, window, failures, stream):
    """Search the ends of the best entry whose ends have not been; False if it had to stop."""
    counts, line = pool.counts, pool.line
    slot = int64(-1)
    for i in range(counts[SIZE]):
        other = pool.slots[i]
        if not pool.searched[other] and (slot < 0 or pool.scores[other] > pool.scores[slot]):
            slot = other
    if slot < 0:
        return True
    pool.searched[slot] = True
    if counts[N_SEARCHED] >= _TABLE // 2:  # to forget them costs a search done twice
        pool.ended[:] = 0
        counts[N_SEARCHED] = 0
    pool.ended[slot_of(pool.ended, pool.outcomes[slot])] = pool.outcomes[slot]
    counts[N_SEARCHED] += 1
    length, source = pool.lengths[slot], pool.lines[slot]
    for kept in range(length - 1, length - length // _SHARE - 1, -1):
        copy(game, states[STEM], root)
        for i in range(kept):
            line[i] = source[i]
            play(game, states[STEM], source[i])
        failed = 0
        while failed < failures:
            if should_stop(pool.control):
                return False
            failed += 1
            copy(game, states[GAME], states[STEM])
            end = playout(game, states[GAME], stream, line, kept)
            score = count_playout(game, states[GAME], pool.control, pool.best_line, line, end)
            if score < counts[BEST] - window:
                continue
            if add_if_new(game, root, states, order, pool, end, score):
                failed = 0
    return True


@inner
def begin_pool(game, root, states, order, pool, stream):
    """Put the first entries into the pool; False if it had to stop."""
    for _ in range(_FIRST):
        if should_stop(pool.control):
            return False
        copy(game, states[GAME], root)
        length = playout(game, states[GAME], stream, pool.line, 0)
        score = count_playout(game, states[GAME], pool.control, pool.best_line, pool.line, length)
        add_if_new(game, root, states, order, pool, length, score)
    return True


@entry
def _evolve(game, root, states, order, pool, children, window, changes, skew, ends_every, failures, stream):
    """Play so many children, each into the pool if it belongs there; False if it had to stop."""
    counts, state = pool.counts, states[GAME]
    if counts[SIZE] == 0 and not begin_pool(game, root, states, order, pool, stream):
        return False
    for _ in range(children):
        if should_stop(pool.control):
            return False
        turn = int64(counts[SIZE] * uniform(stream) ** skew)
        slot = pool.slots[turn]
        pool.visits[slot] += 1
        copy(game, state, root)
        length = play_child(game, state, order, pool.wishes[slot], pool.lengths[slot], changes, stream, pool.line)
        score = count_playout(game, state, pool.control, pool.best_line, pool.line, length)
        if score >= counts[BEST] - window:
            outcome = outcome_of(game, state)
            place = slot_of(pool.known, outcome)
            if pool.known[place] != outcome:
                if score <= counts[BEST]:
                    pool.visits[slot] = 0
                if add(pool, length, score, order.played, outcome) and score >= pool.scores[slot]:
                    last = counts[SIZE] - 1
                    pool.slots[turn], pool.slots[last] = pool.slots[last], pool.slots[turn]
            elif pool.outcomes[pool.owners[place]] == outcome and score >= pool.scores[pool.owners[place]]:
                fill(pool, pool.owners[place], length, score, order.played)
                counts[BEST] = max(score, counts[BEST])
        counts[SINCE_ENDS] += 1
        if counts[SINCE_ENDS] == ends_every:
            counts[SINCE_ENDS] = 0
            if not search_ends(game, root, states, order, pool, window, failures, stream):
                return False
    return True


@entry
def _take_up(game, root, states, pool, ended):
    """Make what a checkpoint leaves out: the wishes of the entries, and the set of the outcomes that are `ended`."""
    for i in range(pool.counts[SIZE]):
        slot = pool.slots[i]
        note_wishes(game, root, states[REPLAY], pool.lines[slot], pool.lengths[slot], pool.wishes[slot])
    for i in range(len(ended)):
        pool.ended[slot_of(pool.ended, ended[i])] = ended[i]


@entry
def _index(pool):
    """Make the set of the outcomes in the pool anew."""
    pool.known[:] = 0
    for i in range(pool.counts[SIZE]):
        slot = pool.slots[i]
        place = slot_of(pool.known, pool.outcomes[slot])
        pool.known[place] = pool.outcomes[slot]
        pool.owners[place] = slot


class Priority(Searcher):
    """A task is one population, until it has had its children or nothing better has come for long."""

    def __init__(self, loaded: LoadedGame, options: PriorityOptions) -> None:
        super().__init__(loaded)
        game = self.game
        self._options = options
        self._states = game.new_states(3)
        self._order = private_zeros(1, order_dtype(game))[0]
        longest = min(game.max_length, loaded.puzzle.moves_limit)
        self._pool = Pool(
            counts=private_zeros(4, np.int64),
            slots=private_zeros(_CAPACITY, np.int64),
            scores=private_zeros(_CAPACITY, np.int64),
            visits=private_zeros(_CAPACITY, np.int64),
            outcomes=private_zeros(_CAPACITY, np.uint64),
            searched=private_zeros(_CAPACITY, np.bool_),
            lengths=private_zeros(_CAPACITY, np.int64),
            lines=private_zeros((_CAPACITY, longest), np.int64),
            wishes=private_zeros((_CAPACITY, longest), np.uint32),
            known=private_zeros(_TABLE, np.uint64),
            owners=private_zeros(_TABLE, np.int64),
            ended=private_zeros(_TABLE, np.uint64),
            line=private_zeros(game.max_length, np.int64),
            control=self.control,
            best_line=self.best_line,
        )

    def _search(self, stream: NDArray[np.uint64]) -> int:
        options, pool, counts = self._options, self._pool, self._pool.counts
        counts[:] = 0
        counts[BEST] = NO_SCORE
        pool.ended[:] = 0
        pool.slots[:] = np.arange(len(pool.slots))
        round_, kept, improved, best = 0, 0, 0, NO_SCORE
        if self._start is not None:
            round_, improved, best = self._restore(self._start, stream)
            kept = round_
        _index(pool)
        while round_ * options.maintenance < options.task_children and not self._is_spent(round_ - improved):
            if not _evolve(
                self.game, self.root, self._states, self._order, pool, options.maintenance, self._window(round_),
                options.changes, options.skew, options.ends_every, options.end_failures, stream,
            ):  # fmt: skip
                return NO_SCORE
            round_ += 1
            if counts[BEST] > best:
                improved, best = round_, int(counts[BEST])
            self._maintain(self._window(round_))
            if (round_ - kept) * options.maintenance >= _KEEP_EVERY:
                kept = round_
                self._checkpoint = self._keep(round_, improved, stream)
        return best

    def _window(self, round_: int) -> int:
        """Return how far below the best an entry may be."""
        options = self._options
        return int(options.window * max(1 - round_ * options.maintenance / options.task_children, 0) + 0.5)

    def _is_spent(self, rounds: int) -> bool:
        """Tell whether the pool has had all its children, as many maintenances after it last had a better game."""
        return 0 < self._options.patience * self._pool.counts[SIZE] < rounds * self._options.maintenance

    def _maintain(self, window: int) -> None:
        """Drop what is below the window, or a narrower one if it holds too many, and sort the others by visits."""
        pool = self._pool
        size, best = pool.counts[SIZE], pool.counts[BEST]
        used = pool.slots[:size].copy()
        good = pool.scores[used] >= best - window
        while window > 0 and np.count_nonzero(good) > len(pool.slots) // 2:  # that there may be room for new ones
            window -= 1
            good = pool.scores[used] >= best - window
        kept = used[good]
        kept = kept[np.argsort(pool.visits[kept], kind="stable")]
        pool.slots[:size] = np.concatenate((kept, used[~good]))
        pool.counts[SIZE] = len(kept)
        _index(pool)

    def _keep(self, round_: int, improved: int, stream: NDArray[np.uint64]) -> Mapping[str, NDArray[Any]]:
        """Return the pool in its order."""
        pool = self._pool
        used = pool.slots[: pool.counts[SIZE]]
        most = int(pool.lengths[used].max())
        best_score, best_line = self.snapshot()
        return {
            "round": np.array([round_, improved]),
            "stream": stream.copy(),
            "counts": pool.counts.copy(),
            "ended": pool.ended[pool.ended != 0],
            **{name: getattr(pool, name)[used] for name in _KEPT},
            "lines": pool.lines[used, :most].astype(np.min_scalar_type(pool.lines[used, :most].max())),
            "best_score": np.array(best_score),
            "best_line": best_line,
        }

    def _restore(self, start: Mapping[str, NDArray[Any]], stream: NDArray[np.uint64]) -> tuple[int, int, int]:
        """Take up what `_keep` has kept; return the round, that of the last improvement, and the best score."""
        pool = self._pool
        stream[:] = start["stream"]
        pool.counts[:] = start["counts"]
        size, most = start["lines"].shape
        for name in _KEPT:
            getattr(pool, name)[:size] = start[name]
        pool.lines[:size, :most] = start["lines"]
        _take_up(self.game, self.root, self._states, pool, start["ended"])
        restore_best(self.control, self.best_line, int(start["best_score"]), start["best_line"])
        round_, improved = map(int, start["round"])
        return round_, improved, int(pool.counts[BEST])
