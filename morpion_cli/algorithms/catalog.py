"""Which algorithms there are. Light to import: the kernels are loaded only to search."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from morpion_cli.algorithms.options import (
    BeamOptions,
    BeamTreeOptions,
    DepthFirstOptions,
    FlatOptions,
    NestedOptions,
    NrpaOptions,
    PriorityOptions,
    ReflexiveOptions,
    SamplingOptions,
    SearchOptions,
    TreeOptions,
)
from morpion_cli.errors import UserError, shown

if TYPE_CHECKING:
    from morpion_cli.algorithms.searcher import Searcher


@dataclass(frozen=True)
class AlgorithmEntry:
    """One algorithm of the catalog.

    searcher: "module:class" of its searcher, called with (loaded game, options).
    learns: whether a task learns a policy, which can be saved.
    """

    name: str
    summary: str
    source: str
    options: type[SearchOptions]
    searcher: str
    learns: bool = False

    def load(self) -> "Callable[..., Searcher]":
        """Return the searcher class; imports numba."""
        module, name = self.searcher.split(":")
        searcher: Any = getattr(import_module(module), name)
        return searcher


ALGORITHMS = {
    entry.name: entry
    for entry in (
        AlgorithmEntry(
            "sampling",
            "iterative sampling: playouts from the start, the best one kept",
            "flat Monte-Carlo; RMC 2007, table 1",
            SamplingOptions,
            "morpion_cli.algorithms.flat:Sampling",
        ),
        AlgorithmEntry(
            "depth-first",
            "depth-first search in random order; on Sudoku this is forward checking",
            "NMCS 2009, section 6",
            DepthFirstOptions,
            "morpion_cli.algorithms.depth_first:DepthFirst",
        ),
        AlgorithmEntry(
            "flat-mc",
            "flat Monte-Carlo search: at each step the move whose playouts were best",
            "flat Monte-Carlo",
            FlatOptions,
            "morpion_cli.algorithms.flat:FlatMonteCarlo",
        ),
        AlgorithmEntry(
            "reflexive",
            "reflexive Monte-Carlo search: games whose moves are chosen by games of the level below",
            "Cazenave, Reflexive Monte-Carlo Search, CGW 2007",
            ReflexiveOptions,
            "morpion_cli.algorithms.reflexive:make_searcher",
        ),
        AlgorithmEntry(
            "nmcs",
            "nested Monte-Carlo search: at each step every move is tried by a search of the level below",
            "Cazenave, Nested Monte-Carlo Search, IJCAI 2009",
            NestedOptions,
            "morpion_cli.algorithms.nested:make_searcher",
        ),
        AlgorithmEntry(
            "mcbs",
            "Monte-Carlo beam search: nested search with a beam of positions at each level",
            "Cazenave, Monte-Carlo Beam Search, IEEE TCIAIG 4(1) 2012, Algorithm 2",
            BeamOptions,
            "morpion_cli.algorithms.nested:make_searcher",
        ),
        AlgorithmEntry(
            "nrpa",
            "nested rollout policy adaptation: playouts by a softmax policy that learns the best line of each level",
            "Rosin, Nested Rollout Policy Adaptation for Monte Carlo Tree Search, IJCAI 2011",
            NrpaOptions,
            "morpion_cli.algorithms.nrpa:Nrpa",
            learns=True,
        ),
        AlgorithmEntry(
            "priority",
            "priority search: a population of games, each an order in which moves are wanted",
            "public hunters of Morpion Solitaire 5T; this form is this project's",
            PriorityOptions,
            "morpion_cli.algorithms.priority:Priority",
        ),
        AlgorithmEntry(
            "uct",
            "Monte-Carlo tree search for one player",
            "Kocsis and Szepesvari 2006; Schadd et al., Single-Player Monte-Carlo Tree Search, CG 2008",
            TreeOptions,
            "morpion_cli.algorithms.uct:TreeSearch",
        ),
        AlgorithmEntry(
            "bmcts",
            "beam Monte-Carlo tree search: the tree is pruned depth by depth to its most visited nodes",
            "Baier and Winands, Beam Monte-Carlo Tree Search, IEEE CIG 2012",
            BeamTreeOptions,
            "morpion_cli.algorithms.uct:TreeSearch",
        ),
    )
}


def find_algorithm(name: str) -> AlgorithmEntry:
    """Return the algorithm of that name. Raises UserError, which lists all, if there is none."""
    if name in ALGORITHMS:
        return ALGORITHMS[name]
    close = difflib.get_close_matches(name[:40].lower(), ALGORITHMS, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise UserError(f"algorithm: no algorithm {shown(name)}{hint} (algorithms: {', '.join(ALGORITHMS)})")
