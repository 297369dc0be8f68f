"""The table of an experiment, as Markdown that reads well as text, as CSV and as JSON."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from morpion_cli.experiment.plan import Cell, Figure, Plan
from morpion_cli.experiment.statistics import CellResult, Estimate, by_cell, difference, evaluate, student, verdict
from morpion_cli.experiment.trials import Trial

_MARKS = {"inside": "=", "above": "+", "below": "-", "": ""}
_LEGEND = (
    "Ours with its 95 % interval, and the paper's: = inside, + ours is above, - ours is below, no mark: nothing can be "
    "said, as of one search. Where it is known of how many searches the paper's figure is the mean, its own chance "
    "counts too, with the deviation of ours: so a single run may be inside far from the mean."
)
_TOTAL = "total"


@dataclass(frozen=True)
class Pair:
    """Two cells of one row on the same boards: the difference of the scores, second less first, board by board."""

    row: str
    first: str
    second: str
    difference: Estimate


@dataclass(frozen=True)
class Report:
    """What an experiment says so far; cells without a finished search are left out."""

    plan: Plan
    results: tuple[CellResult, ...]
    pairs: tuple[Pair, ...]


def report(plan: Plan, trials: Sequence[Trial]) -> Report:
    """Return the report of what has been run."""
    of_cell = by_cell(trials, (cell.name for cell in plan.cells))
    results = tuple(evaluate(cell, list(found.values())) for cell in plan.cells if (found := of_cell[cell.name]))
    return Report(plan, results, tuple(_pairs(plan, of_cell)))


def _pairs(plan: Plan, of_cell: Mapping[str, Mapping[int, Trial]]) -> Iterator[Pair]:
    """Yield each cell beside the first of its row that plays the same boards."""
    firsts: dict[tuple[str, str, str], Cell] = {}
    for cell in plan.cells:
        if cell.boards is None or not cell.row:
            continue
        first = firsts.setdefault((cell.row, cell.game.name, repr(cell.game_options)), cell)
        found = difference(of_cell[first.name], of_cell[cell.name])
        if first is not cell and found is not None:
            yield Pair(cell.row, first.column, cell.column, found)


def number(value: float) -> str:
    """Return a figure with the digits that say something."""
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.{2 if abs(value) >= 1 else _decimals(value) + 1}f}"


def _decimals(error: float) -> int:
    """Return how many decimals show two digits of an error."""
    return 0 if error <= 0 else max(0, min(6, 1 - math.floor(math.log10(abs(error)))))


def with_interval(estimate: Estimate) -> str:
    """Return a figure with its interval, as +- if it is as wide on both sides, to two digits of its width."""
    low, high, value = estimate.low, estimate.high, estimate.value
    if low is None or high is None:
        return number(value)
    places = _decimals((high - low) / 2)
    if math.isclose(high - value, value - low, rel_tol=1e-6, abs_tol=1e-12):
        return f"{value:,.{places}f} ± {value - low:,.{places}f}"
    return f"{value:,.{places}f} [{low:,.{places}f}, {high:,.{places}f}]"


def _published(result: CellResult) -> str:
    published = result.cell.published
    return "" if published is None else f"{number(published)} {_MARKS[result.verdict]}".strip()


def _in_table(result: CellResult) -> str:
    published = _published(result)
    return _ours(result) + (f" ({published})" if published else "")


def _ours(result: CellResult) -> str:
    return ("> " if result.at_least else "") + with_interval(result.estimate)


def _total(results: Sequence[CellResult]) -> tuple[Estimate, float | None, str]:
    """Return the sum of a column, the paper's sum if it has all, and what can be said of both.

    With several searches a row, the interval is that of a sum, and there is none if a row has none, as a best score;
    with one search a row it is that of the differences to the paper's.
    """
    value, rows = sum(result.estimate.value for result in results), len(results)
    figures = [result.cell.published for result in results]
    published = None if None in figures else float(sum(figure for figure in figures if figure is not None))
    low_n = min(result.estimate.n for result in results)
    half = None
    if low_n >= 2:
        halves = [r.estimate.high - r.estimate.value for r in results if r.estimate.high is not None]
        if len(halves) == rows:
            half = math.sqrt(sum(half * half for half in halves))
    elif published is not None and rows >= 2:
        gaps = [result.estimate.value - (result.cell.published or 0) for result in results]
        spread = math.sqrt(sum((gap - sum(gaps) / rows) ** 2 for gap in gaps) / (rows - 1))
        half = student(rows - 1) * spread * math.sqrt(rows)
    estimate = Estimate(value, None if half is None else value - half, None if half is None else value + half, low_n)
    return estimate, published, verdict(estimate, published, None)


def _rows(plan: Plan, results: Sequence[CellResult]) -> list[list[str]]:
    """Return the table as the paper has it: its header, and a list for each row."""
    placed = plan.placed
    rows = list(dict.fromkeys(cell.row for cell in placed))
    columns = list(dict.fromkeys(cell.column for cell in placed))
    at = {(result.cell.row, result.cell.column): result for result in results}
    others = list(dict.fromkeys(name for cell in placed for name in cell.beside))
    of_others = {(cell.row, name): value for cell in placed for name, value in cell.beside.items()}
    table = [["", *columns, *others]]
    for row in rows:
        found = [at.get((row, column)) for column in columns]
        theirs = [of_others.get((row, name)) for name in others]
        table.append(
            [
                row,
                *("" if result is None else _in_table(result) for result in found),
                *("" if value is None else number(value) for value in theirs),
            ]
        )
    if plan.total:
        sums = [_TOTAL]
        for column in columns:
            of_column = [result for result in results if result.cell.column == column]
            whole = len(of_column) == sum(cell.column == column for cell in plan.cells)
            if not whole:
                sums.append("")
                continue
            estimate, published, says = _total(of_column)
            paper = "" if published is None else f" ({number(published)} {_MARKS[says]})".replace(" )", ")")
            sums.append(with_interval(estimate) + paper)
        for name in others:
            theirs = [of_others.get((row, name)) for row in rows]
            sums.append("" if None in theirs else number(sum(value for value in theirs if value is not None)))
        table.append(sums)
    return table


def _details(results: Sequence[CellResult]) -> list[list[str]]:
    header = [
        "cell",
        "measure",
        "ours",
        "paper",
        "its searches",
        "says",
        "searches",
        "reached",
        "CPU s",
        "playouts",
        "what",
    ]
    return [
        header,
        *(
            [
                result.cell.name,
                result.cell.measure,
                _ours(result),
                "" if result.cell.published is None else number(result.cell.published),
                "" if result.cell.published_searches is None else f"{result.cell.published_searches:,}",
                result.verdict,
                f"{result.estimate.n:,}",
                _reached(result),
                f"{result.cpu:.3g}",
                f"{result.playouts:,.0f}",
                f"{result.cell.game.name}, {result.cell.method}",
            ]
            for result in results
        ),
    ]


def _reached(result: CellResult) -> str:
    return "" if result.reached is None else f"{result.reached:,} of {result.estimate.n:,}"


def _markdown(table: Sequence[Sequence[str]]) -> str:
    table = [[cell.replace("|", "\\|") for cell in row] for row in table]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in table
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def as_table(shown: Report) -> str:
    """Return the table of the paper with our figures, or if it has no rows and columns a list of the cells.

    Below it, what pairs of columns on the same boards say.
    """
    plan, results = shown.plan, shown.results
    table = _markdown(_rows(plan, results) if plan.placed else _details(results))
    if not shown.pairs:
        return table
    header = ["row", "on the same boards", "difference", "pairs"]
    rows = [
        [pair.row, f"{pair.second} minus {pair.first}", with_interval(pair.difference), f"{pair.difference.n:,}"]
        for pair in shown.pairs
    ]
    return f"{table}\n\n{_markdown([header, *rows])}"


def figure_names(plan: Plan) -> list[tuple[str, Figure]]:
    """Return the figures of a plan with the names of their files, without an ending."""
    if len(plan.figures) == 1:
        return [("figure", plan.figures[0])]
    return [(f"figure{number}", figure) for number, figure in enumerate(plan.figures, 1)]


def as_markdown(shown: Report, made: str) -> str:
    """Return the whole report; `made` says when, where and how long."""
    plan, results = shown.plan, shown.results
    parts = [
        f"## {plan.title}",
        *([f"Source: {plan.source}."] if plan.source else ()),
        *([plan.note] if plan.note else ()),
    ]
    parts += [as_table(shown), _LEGEND]
    parts += [f"![{figure.title}]({name}.svg)" for name, figure in figure_names(plan)]
    if plan.placed:
        parts.append(_markdown(_details(results)))
    finished = sum(result.estimate.n for result in results)
    wanted = sum(cell.searches for cell in plan.cells)
    whole = f"{finished:,} searches" if finished == wanted else f"NOT FINISHED: {finished:,} of {wanted:,} searches"
    parts.append(f"{whole}; config {plan.name}, seed {plan.seed}; {made}.")
    return "\n\n".join(parts) + "\n"


def as_csv(shown: Report) -> str:
    """Return a row for each cell, figures with all their digits."""
    out = io.StringIO()
    rows = [_row(result) for result in shown.results]
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["cell"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def as_document(shown: Report) -> dict[str, Any]:
    """Return the report for JSON."""
    plan = shown.plan
    return {
        "experiment": plan.name,
        "title": plan.title,
        "source": plan.source,
        "seed": plan.seed,
        "searches_wanted": sum(cell.searches for cell in plan.cells),
        "pairs": [asdict(pair) for pair in shown.pairs],
        "cells": [
            {**_row(result), "scores": {str(score): n for score, n in sorted(result.scores.items())}}
            for result in shown.results
        ],
    }


def _row(result: CellResult) -> dict[str, Any]:
    cell, estimate = result.cell, result.estimate
    return {
        "cell": cell.name,
        "row": cell.row,
        "column": cell.column,
        "game": cell.game.name,
        "method": cell.method,
        "measure": cell.measure,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "searches": estimate.n,
        "published": cell.published,
        "published_searches": cell.published_searches,
        "target": cell.target,
        "reached": result.reached,
        "verdict": result.verdict,
        "cpu_secs": result.cpu,
        "playouts": result.playouts,
    }
