"""The folder of an experiment: results.jsonl holds every finished search, one a line, and is all that a resume needs.

Each line names the config, what its cell depended on, the seed, the versions and the machine.
"""

import fcntl
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from morpion_cli.errors import UserError
from morpion_cli.experiment.origin import machine, versions
from morpion_cli.experiment.plan import Plan
from morpion_cli.experiment.trials import Trial
from morpion_cli.files import describe_error, make_folder

_NAME = "results.jsonl"
_LINE_LIMIT = 1 << 20  # bytes


class Journal:
    """The results of an experiment, locked by this process. A context manager.

    trials: what is on file of this plan, also of more searches than it asks for, and what is added.

    Raises UserError if it cannot be written, another process writes there, or there are results already and the
    experiment is not to go on from them.
    """

    def __init__(self, folder: Path, plan: Plan, resume: bool) -> None:
        self.path = folder / _NAME
        self._keys = {cell.name: cell.key for cell in plan.cells}
        self.unused = 0  # results on file that are of another config or seed
        self.origins: list[str] = []  # the versions and machines that made the others
        self._origin: dict[str, Any] = {
            "seed": plan.seed,
            "config": plan.name,
            "versions": versions(),
            "machine": machine(),
        }
        make_folder(folder)
        try:
            self._file = self.path.open("ab+")
        except OSError as error:
            raise UserError(f"{self.path}: cannot write: {describe_error(error)}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise UserError(f"{folder}: another experiment writes there") from None
        if not resume and self.path.stat().st_size:
            self._file.close()
            raise UserError(f"{folder}: there are results already; go on with them by --resume, or give another --out")
        self.trials = self._read(plan)

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read(self, plan: Plan) -> list[Trial]:
        """Return the searches on file that this plan has too, and cut off a line that was not finished."""
        found: dict[tuple[str, int], Trial] = {}
        named = {key: name for name, key in reversed(self._keys.items())}
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            end += len(line)
            try:
                row: Any = orjson.loads(line) if len(line) < _LINE_LIMIT else None
                trial, config = _trial(row), row["config"]
                same = row["seed"] == plan.seed and row["key"] in named
                # A cell is known by what it depends on; its name may have changed.
                name = trial.cell if row["key"] == self._keys.get(trial.cell) else named.get(row["key"], "")
            except (ValueError, KeyError, TypeError):
                raise UserError(f"{self.path}: line {number}: not a result of an experiment") from None
            if config != plan.name:
                raise UserError(f"{self.path}: has results of another experiment, {config}; give another --out")
            if same:
                found[name, trial.search] = replace(trial, cell=name)
                self._note(str(row["versions"]), str(row["machine"]))
            else:
                self.unused += 1
        self._file.truncate(end)
        return list(found.values())

    def _note(self, versions: str, machine: str) -> None:
        if (origin := f"{versions}, {machine}") not in self.origins:
            self.origins.append(origin)

    def add(self, trials: list[Trial]) -> None:
        """Append finished searches. Raises UserError if they cannot be written."""
        if not trials:
            return
        lines = b"".join(orjson.dumps(self._row(trial)) + b"\n" for trial in trials)
        try:
            self._file.write(lines)
            self._file.flush()
        except OSError as error:
            raise UserError(f"{self.path}: cannot write: {describe_error(error)}") from None
        self.trials += (replace(trial, found=None) for trial in trials)  # a game takes far more memory than its score
        self._note(self._origin["versions"], self._origin["machine"])

    def _row(self, trial: Trial) -> dict[str, Any]:
        row = {
            "cell": trial.cell,
            "search": trial.search,
            "score": trial.score,
            "playouts": trial.playouts,
            "cpu_secs": round(trial.cpu, 6),
        }
        if trial.curve:
            row["curve"] = trial.curve
        return {**row, "key": self._keys[trial.cell], **self._origin}


def _trial(row: dict[str, Any]) -> Trial:
    return Trial(
        str(row["cell"]),
        int(row["search"]),
        int(row["score"]),
        int(row["playouts"]),
        float(row["cpu_secs"]),
        tuple((float(cpu), int(score)) for cpu, score in row.get("curve", ())),
    )
