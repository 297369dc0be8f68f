"""Joining runs of one hunt that were run in shares, each in a process of its own."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from morpion_cli.errors import UserError
from morpion_cli.files import make_folder, plain, read_file, write_atomic
from morpion_cli.hunt.ledger import Ledger
from morpion_cli.hunt.run_folder import is_running, read_state
from morpion_cli.hunt.store import now

_CONFIG_LIMIT = 1 << 20  # bytes


def merge(folders: Sequence[Path], out: Path) -> dict[str, Any]:
    """Write a run with all tasks of several, and return its state; the runs stay as they are.

    Raises UserError if they are not of one hunt, have a task in common, or one of them is still running.
    """
    if (out / "state.json").exists():
        raise UserError(f"{plain(out)}: there is a run in this folder already")
    states = []
    for folder in folders:
        if is_running(folder):
            raise UserError(f"{plain(folder)}: is still running; stop it first")
        states.append(read_state(folder))
    done: set[int] = set()
    scores: Counter[int] = Counter()
    try:
        for folder, state in zip(folders, states, strict=True):
            if state["start"] != states[0]["start"]:
                raise UserError(
                    f"{plain(folder)}: another hunt than {plain(folders[0])}: game, algorithm or seed differ"
                )
            own = {task for first, last in state["done"] for task in range(first, last + 1)}
            if common := done & own:
                raise UserError(f"{plain(folder)}: task {min(common)} is in an earlier one too")
            done |= own
            scores.update({int(score): count for score, count in state["scores"].items()})
        found = [state["best"] for state in states if state["best"] is not None]
        merged = {
            **states[0],
            "done": list(Ledger((task, task) for task in done).ranges()),
            "scores": {str(score): count for score, count in sorted(scores.items())},
            "playouts": sum(state["playouts"] for state in states),
            "truncated": sum(state["truncated"] for state in states),
            "elapsed": sum(state["elapsed"] for state in states),
            # Of equal games that of the earliest task, as in one run.
            "best": min(found, key=lambda best: (-best["score"], best["task"]), default=None),
            "stopped_by": "merging",
            "saved_at": now(),
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(f"one of the states is not that of a run ({error!r})") from None
    config = read_file(folders[0] / "config.yaml", _CONFIG_LIMIT)
    lines = [line for line in config.decode(errors="replace").splitlines() if not line.startswith("shard:")]
    make_folder(out)
    write_atomic(out / "config.yaml", ("\n".join(lines) + "\n").encode())
    write_atomic(out / "state.json", orjson.dumps(merged) + b"\n")
    return merged
