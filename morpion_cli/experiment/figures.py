"""The figures of an experiment, by matplotlib (the extra `plots`)."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from morpion_cli.errors import UserError
from morpion_cli.experiment.left_move import distribution
from morpion_cli.experiment.plan import Figure
from morpion_cli.experiment.report import Report
from morpion_cli.experiment.statistics import CellResult
from morpion_cli.experiment.trials import Trial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")
_POINTS = 60  # of a curve


def draw(figure: Figure, shown: Report, trials: Sequence[Trial]) -> dict[str, bytes]:
    """Return a figure in each of FORMATS. Raises UserError if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise UserError("figures need matplotlib: pip install 'morpion-cli[plots]'") from None
    canvas = Canvas(figsize=(7, 4.5), layout="constrained")
    axes = canvas.subplots()
    axes.set_title(figure.title)
    _DRAWERS[figure.kind](axes, shown, trials)
    drawn = {}
    for name in FORMATS:
        out = io.BytesIO()
        canvas.savefig(out, format=name, dpi=150, metadata={"Date": None} if name == "svg" else None)
        drawn[name] = out.getvalue()
    return drawn


def _time(axes: "Axes", shown: Report, _trials: Sequence[Trial]) -> None:
    lines: dict[str, list[CellResult]] = {}
    for result in shown.results:
        lines.setdefault(result.cell.row, []).append(result)
    for name, results in lines.items():
        x = [result.cpu for result in results]
        y = [result.estimate.value for result in results]
        errors = [
            0.0 if result.estimate.high is None else result.estimate.high - result.estimate.value for result in results
        ]
        axes.errorbar(x, y, errors, marker="o", capsize=3, label=name)
        for result in results:
            axes.annotate(
                result.cell.column, (result.cpu, result.estimate.value), xytext=(4, 4), textcoords="offset points"
            )
    axes.set(xscale="log", xlabel="CPU seconds a search", ylabel="mean score")
    _legend(axes)


def _curve(axes: "Axes", shown: Report, trials: Sequence[Trial]) -> None:
    for result in shown.results:
        limit = result.cell.time
        if limit is None:
            continue
        curves = [trial.curve for trial in trials if trial.cell == result.cell.name and trial.curve]
        # From where every search has a score.
        first = max(curve[0][0] for curve in curves)
        times = np.geomspace(max(first, limit / 1000), limit, _POINTS)
        axes.plot(
            times,
            [float(np.mean([best_at(curve, time) for curve in curves])) for time in times],
            label=result.cell.name,
        )
    axes.set(xscale="log", xlabel="CPU seconds", ylabel="mean best score so far")
    _legend(axes)


def best_at(curve: Sequence[tuple[float, int]], time: float) -> int:
    """Return the best score at a time not before the first."""
    return max((score for cpu, score in curve if cpu <= time), default=curve[0][1])


def _distribution(axes: "Axes", shown: Report, _trials: Sequence[Trial]) -> None:
    for result in shown.results:
        scores = range(min(result.scores), max(result.scores) + 1)
        total = sum(result.scores.values())
        (line,) = axes.plot(scores, [result.scores[score] / total for score in scores], label=result.cell.name)
        if result.cell.measure == "deviation":
            depth = result.cell.puzzle().bounds[1]
            theory = distribution(result.cell.options.level, depth)  # type: ignore[attr-defined]
            axes.plot(scores, theory[list(scores)], linestyle=":", color=line.get_color())
    axes.set(
        xlabel="score",
        ylabel="share of the searches (dotted: theory)" if _has_theory(shown) else "share of the searches",
    )
    _legend(axes)


def _has_theory(shown: Report) -> bool:
    return any(result.cell.measure == "deviation" for result in shown.results)


def _landscape(axes: "Axes", shown: Report, _trials: Sequence[Trial]) -> None:
    rows = list(dict.fromkeys(result.cell.row for result in shown.results))
    columns = list(dict.fromkeys(result.cell.column for result in shown.results))
    values = np.full((len(rows), len(columns)), np.nan)
    for result in shown.results:
        at = rows.index(result.cell.row), columns.index(result.cell.column)
        values[at] = result.estimate.value
        axes.text(at[1], at[0], f"{result.estimate.value:.5g}", ha="center", va="center")
    image = axes.imshow(values, origin="lower", aspect="auto", cmap="viridis", alpha=0.7)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.figure.colorbar(image, label="mean score")


def _legend(axes: "Axes") -> None:
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend()


_DRAWERS: dict[str, Any] = {"time": _time, "curve": _curve, "distribution": _distribution, "landscape": _landscape}
