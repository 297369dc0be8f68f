"""The index of a folder: what each file is, so that only what is new or has changed is replayed.

It is an SQLite file beside the grids, `.morpion-index`, which is only a cache: it may be removed at any time, and where
it cannot be written the folder is examined anew each time. Several processes may use it at once.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from multiprocessing import get_context
from pathlib import Path
from stat import S_ISREG

import orjson

from morpion_cli import __version__
from morpion_cli.collection.entry import SUFFIXES, Entry, examine
from morpion_cli.errors import UserError
from morpion_cli.files import plain

NAME = ".morpion-index"
_PATIENCE = 5.0  # seconds to wait for another process
_TOGETHER = 64  # files that a process examines, or that are saved, at a time
_WORTH_PROCESSES = 200  # files
_Stamp = tuple[int, int]  # nanoseconds of the last change, size


def scan(folder: Path, tell: Callable[[int, int], None] = lambda _done, _total: None) -> dict[Path, Entry]:
    """Return every grid below a folder, by path; `tell` is called with how many of how many have been replayed.

    Hidden files and folders are left out. Raises UserError if there is no such folder.
    """
    if not folder.is_dir():
        problem = "is a file, expected a folder" if folder.exists() else "no such folder"
        raise UserError(f"{plain(folder)}: {problem}")
    stamps = dict(_files(folder))
    with closing(_open(folder / NAME)) as database:
        known = _load(database)
        entries = {path: entry for path, (stamp, entry) in known.items() if stamps.get(path) == stamp}
        todo = sorted(stamps.keys() - entries.keys())
        fresh: dict[str, Entry] = {}
        for path, entry in _examine(folder, todo):
            entries[path] = fresh[path] = entry
            tell(len(entries) - len(stamps) + len(todo), len(todo))
            if len(fresh) >= _TOGETHER:
                _save(database, fresh, stamps, ())
                fresh = {}
        _save(database, fresh, stamps, known.keys() - stamps.keys())
    return {folder / path: entries[path] for path in sorted(entries)}


def _files(folder: Path) -> Iterator[tuple[str, _Stamp]]:
    """Yield each file's path below the folder, and its stamp."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith(".") and name.lower().endswith(SUFFIXES):
                path = Path(place, name)
                with suppress(OSError):  # it has gone meanwhile
                    stat = path.lstat()
                    if S_ISREG(stat.st_mode):  # a link is another name of something that is somewhere else
                        yield str(path.relative_to(folder)), (stat.st_mtime_ns, stat.st_size)


def _examine(folder: Path, paths: list[str]) -> Iterable[tuple[str, Entry]]:
    whole = [folder / path for path in paths]
    if len(paths) < _WORTH_PROCESSES:
        yield from zip(paths, map(examine, whole), strict=True)
        return
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("fork")) as processes:
        yield from zip(paths, processes.map(examine, whole, chunksize=_TOGETHER), strict=True)


def _open(path: Path) -> sqlite3.Connection:
    """Return the index, made anew if it is damaged, or one in memory if it cannot be used."""
    for place in (path, path, ":memory:"):
        try:
            database = sqlite3.connect(place, timeout=_PATIENCE, isolation_level=None)
            try:
                database.execute("CREATE TABLE IF NOT EXISTS info (version TEXT UNIQUE)")
                database.execute("CREATE TABLE IF NOT EXISTS grids (path TEXT PRIMARY KEY, changed, size, entry)")
                if database.execute("SELECT version FROM info").fetchall() != [(__version__,)]:
                    database.execute("BEGIN IMMEDIATE")
                    database.execute("DELETE FROM grids")  # another version may have seen other things
                    database.execute("DELETE FROM info")
                    database.execute("INSERT INTO info VALUES (?)", (__version__,))
                    database.execute("COMMIT")
                database.execute("SELECT path, changed, size, entry FROM grids LIMIT 1").fetchall()
                return database
            except sqlite3.Error as error:
                database.close()
                if place == path and not isinstance(error, sqlite3.OperationalError):
                    path.unlink(missing_ok=True)  # damaged
        except (sqlite3.Error, OSError):
            continue
    raise AssertionError("SQLite cannot make a database in memory")


def _load(database: sqlite3.Connection) -> dict[str, tuple[_Stamp, Entry]]:
    try:
        rows = database.execute("SELECT path, changed, size, entry FROM grids").fetchall()
        return {
            os.fsdecode(path): ((changed, size), Entry(**orjson.loads(entry))) for path, changed, size, entry in rows
        }
    except (sqlite3.Error, orjson.JSONDecodeError, TypeError):
        return {}


def _save(
    database: sqlite3.Connection, entries: dict[str, Entry], stamps: dict[str, _Stamp], gone: Iterable[str]
) -> None:
    # As bytes: a name need not be text.
    rows = [(os.fsencode(path), *stamps[path], orjson.dumps(entry.as_dict())) for path, entry in entries.items()]
    lost = [(os.fsencode(path),) for path in gone]
    if rows or lost:
        with suppress(sqlite3.Error):  # full disk, or locked for long: then it is examined again next time
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT OR REPLACE INTO grids VALUES (?, ?, ?, ?)", rows)
            database.executemany("DELETE FROM grids WHERE path = ?", lost)
            database.execute("COMMIT")
