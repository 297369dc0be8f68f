"""The game protocol: what an algorithm may ask of a game.

A game is a `Game` object: a name, a numpy record dtype for one position, and plain functions over it. Algorithms are
ordinary functions that take the game first and call the protocol functions below. For numba a game is a token, and each
protocol function is overloaded on it, so that every (algorithm, game) pair compiles to code in which the game's
functions are inlined.

In kernels, `state` is one record of `game.dtype`, a `move` is a non-negative int64 whose meaning belongs to the game,
and a `line` is an int64 array of the moves from the start of the game.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import float32, int64, uint32, uint64
from numba.extending import overload
from numpy.typing import NDArray

from morpion_cli.kernel.compiling import OPTIONS, inner_of
from morpion_cli.kernel.memory import in_blocks, private_zeros
from morpion_cli.kernel.random import below, weighted
from morpion_cli.kernel.token import Token

COLORS = 16  # of tiles; 0 is no tile

_games: dict[str, "Game"] = {}


@dataclass(frozen=True, eq=False)
class Game(Token):
    """One game with its rules compiled in.

    name: unique among games; the compiled code is cached under it, so it must name every constant that is compiled in.
    dtype: record dtype of one position, of fixed size and without pointers.
    max_length: no game is longer, in moves.
    max_moves: no position has more legal moves.
    n_codes: every `code` is below this.
    functions: the required functions of the protocol by name, and any of the optional ones.
    """

    name: str
    dtype: np.dtype[Any]
    max_length: int
    max_moves: int
    n_codes: int
    functions: Mapping[str, Callable[..., Any]]

    def __post_init__(self) -> None:
        missing = _REQUIRED - self.functions.keys()
        unknown = self.functions.keys() - _REQUIRED - _OPTIONAL.keys() - _OWN_WAYS
        if missing or unknown:
            raise ValueError(f"game {self.name!r}: missing functions {sorted(missing)}, unknown {sorted(unknown)}")
        own = inner_of(self.name)
        compiled = {name: own(function) for name, function in {**_OPTIONAL, **self.functions}.items()}
        object.__setattr__(self, "functions", compiled)
        object.__setattr__(self, "dtype", in_blocks(self.dtype))
        _games[self.name] = self

    def new_states(self, count: int) -> NDArray[Any]:
        """Return `count` blank positions, shape (count,)."""
        return private_zeros(count, self.dtype)


NOT_WANTED = 0xFFFFFFFF  # in place of a wish


def order_dtype(game: Game) -> np.dtype[Any]:
    """Return the record in which `ordered_playout` is told what to play, and tells what it has played."""
    return np.dtype(
        [
            ("wanted", "u4", (game.max_length,)),
            ("forgotten", "u4", (game.max_length,)),
            ("n_forgotten", "i8"),
            ("played", "u4", (game.max_length,)),
            # Scratch; turns are zeros before and after.
            ("turns", "i4", (game.n_codes,)),
            ("held", "u4", (game.max_length,)),
        ]
    )


NUMBERED = np.dtype(
    [
        ("code", "u4"),
        # For the game's use, while it is played.
        ("move", "u4"),
        ("exponentials", "f4", (2,)),  # nothing, and that of the move
    ]
)


SEEN = np.dtype([("until", "u4"), ("number", "u4")])  # last legal at step until - 2, with this number; 0 is never


def trace_dtype(game: Game) -> np.dtype[Any]:
    """Return the record to which `softmax_playout` writes a game, with the moves that were legal at each step.

    Those have numbers: a move keeps its number as long as it stays legal from step to step, and one that comes back
    gets a new one. Numbers are given in the order in which moves become legal.

    line: the moves played.
    length: how many.
    chosen: of each step the number of the move played.
    counts: of each step how many moves were legal.
    numbers: theirs, the steps one after another.
    n_numbered: how many moves have a number.
    numbered: what has each number, of NUMBERED.
    births: the first step at which it was legal.
    """
    every = game.max_length * game.max_moves
    return np.dtype(
        [
            ("length", "i8"),
            ("n_numbered", "i8"),
            ("line", "i8", (game.max_length,)),
            ("chosen", "u4", (game.max_length,)),
            ("counts", "u4", (game.max_length,)),
            ("numbers", "u4", (every,)),
            ("numbered", NUMBERED, (every,)),
            ("births", "u4", (every,)),
            # Scratch.
            ("sums", "f4", (game.max_moves,)),  # running sums of a step
            ("seen", SEEN, (game.n_codes,)),
        ],
        align=True,
    )


def named(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return functions of the protocol by their names, for `Game`."""
    return {function.__name__: function for function in functions}


# ---- required ----


def init(game, state, instance):
    """Set `state` to the start; `instance` is a 1-D int64 array of what differs between games (a board, clues)."""
    raise NotImplementedError


def n_moves(game, state):
    """Return the number of legal moves; 0 ends the game."""
    raise NotImplementedError


def move(game, state, i):
    """Return legal move i, 0 <= i < n_moves(game, state), which was called since the last `play`."""
    raise NotImplementedError


def play(game, state, move):
    """Play a legal move in place."""
    raise NotImplementedError


def score(game, state):
    """Return the int64 score of the game if it ended here."""
    raise NotImplementedError


def copy(game, target, source):
    """Make `target` the same position as `source`."""
    raise NotImplementedError


def code(game, state, move):
    """Return an index below `game.n_codes` that names the move for learned policies, the same in every position."""
    raise NotImplementedError


def position_hash(game, state):
    """Return a uint64 hash of the position; equal positions have equal hashes whatever led to them."""
    raise NotImplementedError


# ---- optional, with what stands in for them ----


def playout(game, state, stream, line, depth):
    """Play uniformly random legal moves to the end, writing them to line[depth:]; return the whole line's length."""
    raise NotImplementedError


def tiles_of_color(game, state, color):
    """Return how many tiles of a colour there are, 0 <= color < COLORS; in games with tabu_playout."""
    raise NotImplementedError


def tabu_playout(game, state, stream, line, depth, color, epsilon):
    """As `playout`, but moves of the colour are played only where there are no others, or with chance `epsilon`."""
    raise NotImplementedError


def allowed_moves(game, state, color):
    """Return how many moves a playout may choose from where a colour is tabu, as in tabu_playout; 0 is no colour.

    `move` then returns these, until the next `play` or `n_moves`.
    """
    raise NotImplementedError


def wish(game, state, move):
    """Return what names a move to `ordered_playout`, an int in 0 .. 2^32 - 2; else its code.

    It may be n_codes or more only in a game with its own `ordered_playout`.
    """
    raise NotImplementedError


def ordered_playout(game, state, order, n_wanted, other_at, stream, line):
    """Play, at each step, the first wanted move that is legal, and where there is none a random one, to the end.

    The random one is not a forgotten one as long as another is legal; where none is, they are forgotten no more.

    Writes the moves to `line` and returns how many.

    order: one record of `order_dtype(game)`. Its first n_wanted `wanted` are the wishes of a game from `state`, in the
        order of play, some of them NOT_WANTED in place of one. Its first n_forgotten `forgotten` are wishes too.
        `played` will be the wishes of the moves played.
    other_at: one random move that is neither wanted nor forgotten, if there is one, is played before any wanted move
        from this index on; n_wanted is never.
    """
    raise NotImplementedError


def softmax_playout(game, state, exponentials, trace, tabu, stream):
    """Play moves with probabilities proportional to the exponentials of their codes, from the start to the end.

    exponentials: (n_codes,) float32.
    trace: one record of `trace_dtype(game)`, to be overwritten.
    tabu: a colour, as in allowed_moves, or 0.
    """
    raise NotImplementedError


def outcome_hash(game, state):
    """Return a uint64 hash of what makes finished games different enough to learn from both; else `position_hash`."""
    raise NotImplementedError


def truncated(game, state):
    """Tell whether the game goes beyond what a state can hold: it may break the rules, and is to be thrown away."""
    raise NotImplementedError


def _never_truncated(state):
    return False


_REQUIRED = frozenset({"init", "n_moves", "move", "play", "score", "copy", "code", "position_hash"})
_OWN_WAYS = frozenset(
    {
        "playout",
        "tabu_playout",
        "tiles_of_color",
        "allowed_moves",
        "wish",
        "ordered_playout",
        "softmax_playout",
        "outcome_hash",
    }
)
_OPTIONAL: dict[str, Callable[..., Any]] = {"truncated": _never_truncated}


def _function(game_type: Any, name: str) -> Callable[..., Any]:
    return _games[game_type.token].functions[name]


@overload(init, jit_options=OPTIONS)
def _init(game, state, instance):
    function = _function(game, "init")
    return lambda game, state, instance: function(state, instance)


@overload(n_moves, jit_options=OPTIONS)
def _n_moves(game, state):
    function = _function(game, "n_moves")
    return lambda game, state: function(state)


@overload(move, jit_options=OPTIONS)
def _move(game, state, i):
    function = _function(game, "move")
    return lambda game, state, i: function(state, i)


@overload(play, jit_options=OPTIONS)
def _play(game, state, move):
    function = _function(game, "play")
    return lambda game, state, move: function(state, move)


@overload(score, jit_options=OPTIONS)
def _score(game, state):
    function = _function(game, "score")
    return lambda game, state: int64(function(state))


@overload(copy, jit_options=OPTIONS)
def _copy(game, target, source):
    function = _function(game, "copy")
    return lambda game, target, source: function(target, source)


@overload(code, jit_options=OPTIONS)
def _code(game, state, move):
    function = _function(game, "code")
    return lambda game, state, move: function(state, move)


@overload(position_hash, jit_options=OPTIONS)
def _position_hash(game, state):
    function = _function(game, "position_hash")
    return lambda game, state: function(state)


@overload(truncated, jit_options=OPTIONS)
def _truncated(game, state):
    function = _function(game, "truncated")
    return lambda game, state: function(state)


@overload(tiles_of_color, jit_options=OPTIONS)
def _tiles_of_color(game, state, color):
    function = _function(game, "tiles_of_color")
    return lambda game, state, color: function(state, color)


@overload(tabu_playout, jit_options=OPTIONS)
def _tabu_playout(game, state, stream, line, depth, color, epsilon):
    function = _function(game, "tabu_playout")
    return lambda game, state, stream, line, depth, color, epsilon: function(state, stream, line, depth, color, epsilon)


@overload(allowed_moves, jit_options=OPTIONS)
def _allowed_moves(game, state, color):
    functions = _games[game.token].functions
    if "allowed_moves" in functions:
        function = functions["allowed_moves"]
        return lambda game, state, color: function(state, color)
    return lambda game, state, color: n_moves(game, state)


@overload(playout, jit_options=OPTIONS)
def _playout(game, state, stream, line, depth):
    functions = _games[game.token].functions
    if "playout" in functions:
        function = functions["playout"]
        return lambda game, state, stream, line, depth: function(state, stream, line, depth)

    def uniform_playout(game, state, stream, line, depth):
        n = n_moves(game, state)
        while n > 0:
            chosen = move(game, state, below(stream, n))
            line[depth] = chosen
            depth += 1
            play(game, state, chosen)
            n = n_moves(game, state)
        return depth

    return uniform_playout


@overload(outcome_hash, jit_options=OPTIONS)
def _outcome_hash(game, state):
    functions = _games[game.token].functions
    function = functions.get("outcome_hash", functions["position_hash"])
    return lambda game, state: function(state)


@overload(wish, jit_options=OPTIONS)
def _wish(game, state, move):
    functions = _games[game.token].functions
    function = functions.get("wish", functions["code"])
    return lambda game, state, move: function(state, move)


@overload(ordered_playout, jit_options=OPTIONS)
def _ordered_playout(game, state, order, n_wanted, other_at, stream, line):
    functions = _games[game.token].functions
    if "ordered_playout" in functions:
        function = functions["ordered_playout"]
        return lambda game, state, order, n_wanted, other_at, stream, line: function(
            state, order, n_wanted, other_at, stream, line
        )

    def ordered(game, state, order, n_wanted, other_at, stream, line):
        wanted, played, turns = order.wanted, order.played, order.turns
        for i in range(order.n_forgotten):
            turns[order.forgotten[i]] = -1
        for i in range(n_wanted):
            if wanted[i] != NOT_WANTED:
                turns[wanted[i]] = n_wanted - i
        due = other_at < n_wanted
        length = int64(0)
        n = n_moves(game, state)
        while n > 0:
            soonest = int64(0)
            chosen = int64(0)
            others = int64(0)
            for i in range(n):
                candidate = move(game, state, i)
                turn = int64(turns[wish(game, state, candidate)])
                others += int64(turn == 0)
                if turn > soonest:
                    soonest = turn
                    chosen = candidate
            if due and n_wanted - soonest >= other_at:
                due = False
                if others > 0:
                    soonest = int64(0)
            if soonest == 0:
                if others == 0:
                    for i in range(order.n_forgotten):
                        turns[order.forgotten[i]] = 0
                    others = n
                pick = below(stream, others)
                for i in range(n):
                    candidate = move(game, state, i)
                    if turns[wish(game, state, candidate)] == 0:
                        if pick == 0:
                            chosen = candidate
                        pick -= 1
            line[length] = chosen
            played[length] = wish(game, state, chosen)
            length += 1
            play(game, state, chosen)
            n = n_moves(game, state)
        for i in range(n_wanted):
            if wanted[i] != NOT_WANTED:
                turns[wanted[i]] = 0
        for i in range(order.n_forgotten):
            turns[order.forgotten[i]] = 0
        return length

    return ordered


@overload(softmax_playout, jit_options=OPTIONS)
def _softmax_playout(game, state, exponentials, trace, tabu, stream):
    functions = _games[game.token].functions
    if "softmax_playout" in functions:
        function = functions["softmax_playout"]
        return lambda game, state, exponentials, trace, tabu, stream: function(state, exponentials, trace, stream)

    def softmax(game, state, exponentials, trace, tabu, stream):
        numbers, numbered, sums = trace.numbers, trace.numbered, trace.sums
        births, seen = trace.births, trace.seen
        n_numbered = int64(0)
        length = int64(0)
        at = int64(0)
        n = allowed_moves(game, state, tabu)
        while n > 0:
            total = float32(0.0)
            for i in range(n):
                name = code(game, state, move(game, state, i))
                # Written where it is not needed, too, which is cheaper than to branch.
                numbered[n_numbered].code = name
                births[n_numbered] = length
                known = seen[name].until == uint32(length + 1)
                number = seen[name].number if known else uint32(n_numbered)
                n_numbered += int64(not known)
                seen[name].until = length + 2
                seen[name].number = number
                numbers[uint64(at + i)] = number
                total += exponentials[name]
                sums[i] = total
            pick = weighted(stream, sums, n)
            played = move(game, state, pick)
            trace.line[length] = played
            trace.chosen[length] = numbers[uint64(at + pick)]
            trace.counts[length] = n
            length += 1
            at += n
            play(game, state, played)
            n = allowed_moves(game, state, tabu)
        trace.length = length
        trace.n_numbered = n_numbered
        for i in range(n_numbered):
            seen[numbered[i].code].until = 0

    return softmax
