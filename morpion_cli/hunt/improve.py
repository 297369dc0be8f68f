"""Improving a game: its last k moves are taken back, for k = 1, 2, 3, ..., and everything after that is searched.

So each round either finds a better end or proves that there is none, as Helmstetter did with the human record of 68 in
5D. What is proven is kept in a file, from which another run goes on.
"""

import queue
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from morpion_cli.errors import UserError
from morpion_cli.files import read_file, write_atomic
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.hunt.store import Store, StoredGrid, provenance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from morpion_cli.algorithms.exhaustive import Exhaustive
    from morpion_cli.games.catalog import LoadedGame

    Part = NDArray[np.int64]

TICK = 0.1  # seconds between two looks at the threads
_SAVE_EVERY = 10.0  # seconds
_PARTS = 512  # of a round, at most; a part that was begun is begun again after a stop
_STATE_LIMIT = 1 << 20  # bytes


@dataclass
class Progress:
    """An improvement as the main thread sees it.

    proven: nothing better follows the first len(moves) - proven moves.
    taken_back: k of the round that runs, of which parts_done of `parts` are done.
    """

    record: Record
    id: str
    score: int
    proven: int = 0
    taken_back: int = 0
    parts: int = 0
    parts_done: set[int] = field(default_factory=set)
    positions: int = 0
    elapsed: float = 0.0
    best: StoredGrid | None = None
    stopped_by: str = ""

    @property
    def proven_from(self) -> int:
        """Return the number of the first of the moves that are proven to be best."""
        return len(self.record.moves) - self.proven + 1

    @property
    def to_beat(self) -> int:
        """Return the score that a better end must beat."""
        return self.score if self.best is None else self.best.score


class Listener:
    """Told what happens, always from the main thread."""

    def tick(self, progress: Progress) -> None:
        """Look: called ten times a second."""

    def improved(self, progress: Progress) -> None:
        """Announce `progress.best`, which is on disk."""

    def proved(self, progress: Progress) -> None:
        """Announce that a round is over."""


class Improver:
    """One run over one legal game. Raises UserError if a file cannot be read or written.

    state: the file of what is proven; read if it is there.
    most: rounds at most; None for as many as there are moves.
    """

    def __init__(
        self,
        record: Record,
        out: Path,
        state: Path,
        threads: int,
        table_bytes: int,
        listener: Listener,
        most: int | None = None,
        seconds: float | None = None,
    ) -> None:
        position = replay(record.puzzle, record.moves)
        self.progress = Progress(record, record.puzzle.ids(record.moves)["id"], position.score)
        self._store = Store(out)
        self._store.check_writable()
        self._state = state
        self._threads = threads
        self._table_bytes = table_bytes
        self._listener = listener
        self._most = len(record.moves) if most is None else min(most, len(record.moves))
        self._seconds = seconds
        self._interrupted_by: str | None = None
        self._last_save = float("-inf")
        self._resumed_parts: set[int] = set()
        if state.exists():
            self._resume()

    def interrupt(self, reason: str) -> None:
        """Ask to end now and save what is proven; from a signal handler or any thread."""
        self._interrupted_by = reason

    def run(self) -> Progress:
        """Search until everything is proven or somebody interrupts, and return what came of it."""
        progress = self.progress
        searcher = self._compile()
        begun = time.monotonic()
        rounds = range(1, self._most + 1)
        for taken_back in rounds if searcher is not None else ():
            assert searcher is not None
            searcher.start_at(self._loaded(taken_back), progress.to_beat)
            if taken_back > progress.proven and not self._round(searcher, taken_back, begun):
                break
            searcher.mark_done()
        else:
            progress.stopped_by = self._interrupted_by or "everything asked for is proven"
        self._save()
        return progress

    def _loaded(self, taken_back: int) -> "LoadedGame":
        record = self.progress.record
        opening = record.moves[: len(record.moves) - taken_back]
        return GAMES[record.puzzle.name].load(record.puzzle, opening)

    def _compile(self) -> "Exhaustive | None":
        """Return what searches, with everything compiled; None if somebody interrupts first."""
        made: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def compile_it() -> None:
            try:
                from morpion_cli.algorithms.exhaustive import Exhaustive
                from morpion_cli.kernel.cache import first_call_lock

                with first_call_lock():
                    searcher = Exhaustive(self._loaded(1), self._threads, self._table_bytes)
                    searcher.start_at(self._loaded(1), self.progress.to_beat)
                    searcher.warm_up()
                    searcher = Exhaustive(self._loaded(1), self._threads, self._table_bytes)
                made.put(searcher)
            except MemoryError:
                made.put(UserError(f"--max-memory: there is not so much: {self._table_bytes:,} bytes"))
            except BaseException as error:  # the main thread raises it again
                made.put(error)

        threading.Thread(target=compile_it, name="loader", daemon=True).start()
        while self._interrupted_by is None:
            self._listener.tick(self.progress)
            try:
                result = made.get(timeout=TICK)
            except queue.Empty:
                continue
            if isinstance(result, BaseException):
                raise result
            return result  # type: ignore[no-any-return]
        return None

    def _round(self, searcher: "Exhaustive", taken_back: int, begun: float) -> bool:
        """Search everything after all but the last moves; tell whether it was not stopped on the way."""
        progress = self.progress
        progress.taken_back = taken_back
        parts = self._without_mirrored(searcher.parts(_PARTS), searcher.loaded)
        progress.parts = len(parts)
        progress.parts_done = self._resumed_parts if len(self._resumed_parts) <= len(parts) else set()
        self._resumed_parts = set()
        todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(len(parts)):
            if number not in progress.parts_done:
                todo.put(number)
        finished: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()

        def work(thread: int) -> None:
            try:
                while True:
                    try:
                        number = todo.get_nowait()
                    except queue.Empty:
                        return
                    if not searcher.search(thread, parts[number]):
                        return
                    finished.put(number)
            except BaseException as error:  # the main thread raises it again
                finished.put(error)

        threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(self._threads)]
        for thread in threads:
            thread.start()
        while True:
            running = any(thread.is_alive() for thread in threads)
            while not finished.empty():
                done = finished.get()
                if isinstance(done, BaseException):
                    raise done
                progress.parts_done.add(done)
            progress.positions = searcher.positions
            progress.elapsed = time.monotonic() - begun
            self._take_best(searcher)
            self._listener.tick(progress)
            if not running:
                break
            late = self._seconds is not None and progress.elapsed >= self._seconds
            if self._interrupted_by is not None or late:
                progress.stopped_by = self._interrupted_by or "time"
                searcher.stop()
            elif time.monotonic() - self._last_save >= _SAVE_EVERY:
                self._save()
            threads[0].join(TICK) if threads[0].is_alive() else time.sleep(TICK / 10)
        if len(progress.parts_done) < progress.parts:
            return False
        if searcher.truncated:
            raise UserError("a game became too large for the engine's board: nothing more can be proven")
        progress.proven = taken_back
        progress.parts_done = set()
        self._save()
        self._listener.proved(progress)
        return True

    def _without_mirrored(self, parts: "list[Part]", loaded: "LoadedGame") -> "list[Part]":
        """Return the parts without those that are like an earlier one but for a symmetry."""
        puzzle = self.progress.record.puzzle
        if not puzzle.is_symmetric(loaded.opening):
            return parts
        kept = {puzzle.ids(loaded.record(part, {}).moves)["id"]: part for part in reversed(parts)}
        return list(reversed(kept.values()))

    def _take_best(self, searcher: "Exhaustive") -> None:
        score, moves = searcher.best()
        progress = self.progress
        if score > progress.to_beat and len(moves) > 0:
            origin = provenance(
                method=f"improve, the last {progress.taken_back} moves of {progress.id} taken back",
                nodes_explored=searcher.positions,
                elapsed_secs=round(progress.elapsed, 3),
            )
            grid = self._store.check(searcher.loaded.record(moves, origin), score)
            self._store.write(grid)
            progress.best = grid
            self._save()
            self._listener.improved(progress)

    def _save(self) -> None:
        progress = self.progress
        state = {
            "grid": progress.id,
            "proven": progress.proven,
            "to_beat": progress.to_beat,
            "parts_done": sorted(progress.parts_done),
            "best": None if progress.best is None else str(progress.best.path),
        }
        write_atomic(self._state, orjson.dumps(state) + b"\n")
        self._last_save = time.monotonic()

    def _resume(self) -> None:
        progress = self.progress
        try:
            state = orjson.loads(read_file(self._state, _STATE_LIMIT))
            proven, parts = state["proven"], state["parts_done"]
            good = state["grid"] == progress.id and 0 <= proven <= len(progress.record.moves)
            good = good and all(type(number) is int and 0 <= number < _PARTS for number in parts)
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise UserError(f"{self._state}: not what `improve` keeps of this grid; remove it, or name another --state")
        progress.proven, self._resumed_parts = proven, set(parts)
        # A better end found earlier is on disk; what is proven is proven with regard to it.
        if state.get("best") is not None:
            from morpion_cli.formats.reading import read

            record = read(Path(state["best"])).record
            progress.best = self._store.check(record, replay(record.puzzle, record.moves).score)
