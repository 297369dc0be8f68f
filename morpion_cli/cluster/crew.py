"""The client's side of a cluster: workers of a hunt that hand their tasks to a Dask scheduler.

The client's ledger says which tasks are done; the cluster only answers requests, each known by its number. So a request
that is lost with a worker is made again, and no task is counted twice. Requests are cancelled when a hunt ends.
"""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from morpion_cli.algorithms.searcher import TaskResult
from morpion_cli.algorithms.split import Answer, Evaluation
from morpion_cli.cluster import remote
from morpion_cli.errors import UserError
from morpion_cli.files import read_file
from morpion_cli.hunt.run_folder import start_of
from morpion_cli.hunt.settings import Settings
from morpion_cli.kernel.control import PLAYOUTS

if TYPE_CHECKING:
    from distributed import Client, Future

    from morpion_cli.algorithms.split import SplitSearcher

_WAITING = 2  # requests for each thread of the cluster: one that runs, and one that is there when it ends
_BATCH_SECONDS = 1.0  # how long the tasks of one request should take together
_MOST_TASKS = 10_000  # in one request
_CONNECT_SECONDS = 10
_FILE_LIMIT = 1 << 20  # bytes of a scheduler's file


def connect(scheduler: str | None, scheduler_file: str | None, local: int | None) -> "Client":
    """Return a client of a scheduler that runs, or of one with so many worker processes that is started here.

    Raises UserError.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UserError("a cluster needs Dask distributed: pip install 'morpion-cli[cluster]'") from None
    import logging

    for name in ("distributed", "asyncio", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what matters of it is said by us
    try:
        if local is not None:
            cluster = LocalCluster(local, threads_per_worker=1, processes=True, dashboard_address=None)
            return Client(cluster, timeout=_CONNECT_SECONDS)
        if scheduler_file is not None:
            scheduler = _address(Path(scheduler_file))
        return Client(scheduler, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        place = scheduler or "a local cluster"
        raise UserError(f"--scheduler: cannot reach {place}: {str(error).splitlines()[0]}") from None


def _address(file: Path) -> str:
    """Return the address in a scheduler's file, which may be there soon. Raises UserError."""
    until = time.monotonic() + _CONNECT_SECONDS
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.2)
    try:
        address = orjson.loads(read_file(file, _FILE_LIMIT))["address"]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        address = None
    if not isinstance(address, str):
        raise UserError(f"{file}: not the file of a Dask scheduler")
    return address


def search_of(settings: Settings) -> remote.Search:
    """Return what workers need to know of a hunt."""
    return remote.Search(
        settings.game.name,
        settings.puzzle,
        settings.opening,
        settings.algorithm.name,
        settings.options,
        settings.seed,
        settings.budget.target,
        remote.version(),
    )


def _threads(client: "Client") -> int:
    return sum(client.nthreads().values())


class Requests:
    """Makes requests and waits for their answers; what a lost worker leaves undone is asked for again."""

    def __init__(self, client: "Client", settings: Settings) -> None:
        self.client = client
        self._name = f"morpion-{start_of(settings)}"
        self._tries = itertools.count()

    def submit(self, function: Callable[..., Any], what: str, *arguments: Any) -> "Future":
        """Return the future of function(*arguments, key)."""
        key = f"{self._name}-{what}-{next(self._tries)}"
        return self.client.submit(function, *arguments, key, key=key, pure=False, retries=3)

    def result(self, future: "Future") -> Any:
        """Return a finished future's answer, or None if it was lost with its worker. Raises UserError."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return future.result(timeout=_CONNECT_SECONDS)
        except (KilledWorker, CancelledError):
            if self.client.status != "running":
                raise UserError("the scheduler has gone; everything that was finished is kept: --resume") from None
            return None
        except (remote.VersionError, ModuleNotFoundError, AttributeError) as error:
            raise UserError(f"the cluster has another version of morpion: {error}") from None
        except (OSError, TimeoutError) as error:
            raise UserError(f"the scheduler has gone ({error}); everything that was finished is kept") from None


class ClusterCrew:
    """All workers of a cluster, as one worker of a hunt; see `Worker`, whose part it plays.

    take_task: gives the next task's number, or None.
    """

    policy = None
    truncated = 0

    def __init__(
        self, client: "Client", settings: Settings, take_task: Callable[[], int | None], on_end: Callable[[], None]
    ) -> None:
        self._requests = Requests(client, settings)
        self._client = client
        self._search = search_of(settings)
        self._take_task = take_task
        self._on_end = on_end
        self._stopping = False
        self._limit: int | None = None
        self.playouts = 0
        self.finished: deque[tuple[int, TaskResult]] = deque()
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)

    def start(self) -> None:
        """Start asking."""
        self._thread.start()

    def stop(self) -> None:
        """Cancel what is not answered yet, and end."""
        self._stopping = True

    def join(self, seconds: float) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    @property
    def running(self) -> bool:
        """Tell whether there is anything to wait for."""
        return self._thread.is_alive()

    def limit_playouts(self, count: int) -> None:
        """Ask for no more once so many games have been played; tasks are whole, so it may be a few more."""
        self._limit = count

    def look(self) -> tuple[int, int, NDArray[np.int64]] | None:
        """Return None: what a cluster has not finished cannot be seen."""
        return None

    def checkpoint(self) -> tuple[int, Mapping[str, NDArray[Any]]] | None:
        """Return None: a task that is lost with its worker is run again as a whole."""
        return None

    def _run(self) -> None:
        try:
            self._ask()
        except OSError as error:  # of the client's connections
            if not self._stopping:
                self.error = UserError(f"the scheduler has gone ({error}); everything that was finished is kept")
        except BaseException as error:  # the main thread raises it again
            if not self._stopping:
                self.error = error
        self._on_end()

    def _ask(self) -> None:
        waiting: dict[Future, list[int]] = {}
        again: deque[list[int]] = deque()
        size, seconds, tasks = 1, 0.0, 0
        more = True
        try:
            while not self._stopping:
                enough = self._limit is not None and self.playouts >= self._limit
                while (more or again) and not enough and len(waiting) < max(_WAITING * _threads(self._client), 1):
                    batch = again.popleft() if again else self._batch(size)
                    if not batch:
                        more = False
                        break
                    waiting[self._submit(batch)] = batch
                if not waiting:
                    return
                for future in [each for each in waiting if each.done()]:
                    batch = waiting.pop(future)
                    answer = self._requests.result(future)
                    done = [] if answer is None else answer[0]
                    for task, result in done:
                        self.playouts += result.playouts
                        self.finished.append((task, result))
                    left = batch[len(done) :]
                    if left:
                        again.append(left)
                    if answer is not None and done:
                        seconds, tasks = seconds + answer[1], tasks + len(done)
                        size = int(min(max(_BATCH_SECONDS * tasks / max(seconds, 1e-9), 1), 2 * size, _MOST_TASKS))
                    self._on_end()  # have the main thread look
                if self._client.status != "running":
                    raise UserError("the scheduler has gone; everything that was finished is kept: --resume")
                time.sleep(0.005)
        finally:
            if waiting and self._client.status == "running":
                self._client.cancel(list(waiting), force=True)

    def _batch(self, size: int) -> list[int]:
        batch: list[int] = []
        while len(batch) < size and (task := self._take_task()) is not None:
            batch.append(task)
        return batch

    def _submit(self, batch: list[int]) -> "Future":
        return self._requests.submit(remote.run_tasks, f"tasks-{batch[0]}", self._search, batch)


def answer_elsewhere(searcher: "SplitSearcher", client: "Client", settings: Settings) -> None:
    """Have a master's evaluations answered by a cluster instead of this machine's threads."""
    requests, search = Requests(client, settings), search_of(settings)

    def ask(evaluations: list[Evaluation]) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(evaluations)
        waiting = {
            requests.submit(remote.evaluate, f"step-{e.step}-{e.index}", search, e): number
            for number, e in enumerate(evaluations)
        }
        try:
            while waiting and not searcher.stopped:
                for future in [each for each in waiting if each.done()]:
                    number = waiting.pop(future)
                    found = requests.result(future)
                    if found is None or found[0] is None:
                        e = evaluations[number]
                        waiting[requests.submit(remote.evaluate, f"step-{e.step}-{e.index}", search, e)] = number
                        continue
                    answers[number], played = found
                    searcher.control[PLAYOUTS] += played
                    if searcher.out_of_playouts:
                        return answers
                time.sleep(0.001)
        finally:
            if waiting and client.status == "running":
                client.cancel(list(waiting), force=True)
        return answers

    searcher.elsewhere = ask
