"""morpion grids"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from morpion_cli.cli.common import illegal, print_json, read_grid, say, terminal_color
from morpion_cli.files import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from morpion_cli.collection.entry import Entry

_HERE = Path("grids")
_SORTS = ("score", "name", "date")


class _ListByDefault(TyperGroup):
    """`morpion grids DIR` is `morpion grids list DIR`."""

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        if not arguments or arguments[0] not in (*self.commands, "--help", "-h"):
            arguments = ["list", *arguments]
        return super().parse_args(context, arguments)


app = typer.Typer(
    cls=_ListByDefault,
    help="A folder of grids: what is there, what is the same, what is known. Without a command: list.",
    rich_markup_mode=None,
)
_FOLDERS = typer.Argument(None, metavar="[DIR]...", help="Folders, with all below them. [grids]", show_default=False)


@app.command("list")
def list_grids(
    folders: list[Path] = _FOLDERS,
    game: str | None = typer.Option(None, "--game", metavar="NAME", help="Only this game."),
    least: int | None = typer.Option(None, "--min", metavar="SCORE", help="Only this score or more."),
    sort: str = typer.Option("score", "--sort", metavar="KEY", help="score, name or date."),
    as_json: bool = typer.Option(False, "--json", help="Print every grid as a JSON list on stdout."),
) -> None:
    """List grids, best first: one line for each set of dots, with how many grids have it, and known records marked.

    Files that are damaged, illegal, or say something false of themselves come after that. What has been replayed is
    kept in an index beside the grids, so that the next time is fast.

    Example: morpion grids grids/records --game 5T --min 170
    """
    from morpion_cli.collection.entry import FALSE, LEGAL, OTHER
    from morpion_cli.collection.known import known_as
    from morpion_cli.errors import UserError, shown
    from morpion_cli.games.catalog import find_game

    if game is not None:
        game = find_game(game).name
    if sort not in _SORTS:
        raise UserError(f"--sort: expected {', '.join(_SORTS)}, got {shown(sort)}")
    entries = {path: entry for path, entry in _scan(folders).items() if entry.state != OTHER}
    wanted = {
        path: entry
        for path, entry in entries.items()
        if game in (None, entry.game) and (least is None or (entry.score is not None and entry.score >= least))
    }
    orders: dict[str, Callable[[tuple[Path, Entry]], Any]] = {
        "score": lambda item: (item[1].game or "", -(item[1].score or 0), item[0]),
        "name": lambda item: item[0],
        "date": lambda item: (item[1].saved_at or "", item[0]),
    }
    ordered = sorted(wanted.items(), key=orders[sort])
    if as_json:
        print_json([{"file": str(path), **entry.as_dict(), "known": known_as(entry)} for path, entry in ordered])
        return
    groups: dict[tuple[str | None, int | None, str | None], list[tuple[Path, Entry]]] = {}
    for path, entry in ordered:
        if entry.state in (LEGAL, FALSE):
            groups.setdefault((entry.game, entry.score, entry.group), []).append((path, entry))
    if groups:
        width = max(len(str(key[0])) for key in groups)
        print(f"{'game':{width}}  {'score':>7}  grids  {'dots or id':12}  file")
    for (name, score, dots), members in groups.items():
        path, entry = members[0]
        known = next((text for text in (known_as(member) for _, member in members) if text), None)
        notes = ["not finished"] if not entry.terminal else []
        notes += [f"equals {known} up to symmetry"] if known else []
        note = f"  ({'; '.join(notes)})" if notes else ""
        print(f"{name:{width}}  {score:>7}  {len(members):>5}  {dots}  {plain(path)}{note}")
    if not groups:
        print("no grids")
    bad = [(path, entry) for path, entry in ordered if entry.state != LEGAL]
    if bad:
        print(f"\n{len(bad)} with something wrong:")
        for path, entry in bad:
            print(f"{plain(path)}: {entry.state}: {entry.error}")


@app.command()
def dedupe(
    folders: list[Path] = _FOLDERS,
    by: str = typer.Option("lines", "--by", metavar="KEY", help="lines: equal games; dots: equal sets of dots too."),
    delete: bool = typer.Option(False, "--delete", help="Delete the duplicates, instead of listing them."),
    as_json: bool = typer.Option(False, "--json", help="Print them as a JSON list on stdout."),
) -> None:
    """Find grids that are the same up to symmetry and the order of moves; the first saved that names its author stays.

    Nothing is deleted without --delete, and only legal grids ever are.

    Example: morpion grids dedupe grids --by dots
    """
    from datetime import UTC, datetime

    from morpion_cli.collection.entry import LEGAL
    from morpion_cli.errors import UserError, shown

    if by not in ("lines", "dots"):
        raise UserError(f"--by: expected lines or dots, got {shown(by)}")
    groups: dict[tuple[str | None, int | None, str | None], list[Path]] = {}
    legal = [(path, entry) for path, entry in _scan(folders).items() if entry.state == LEGAL]

    def rank(item: "tuple[Path, Entry]") -> tuple[bool, str, Path]:
        path, entry = item
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
        return entry.author is None, entry.saved_at or changed, path

    for path, entry in sorted(legal, key=rank):
        key = entry.game, entry.score, entry.id if by == "lines" else entry.group
        groups.setdefault(key, []).append(path)
    found = [{"keep": kept, "duplicate": path} for kept, *rest in groups.values() for path in rest]
    for pair in found:
        if delete:
            try:
                pair["duplicate"].unlink()
            except OSError as error:
                raise UserError(f"{pair['duplicate']}: cannot delete: {(error.strerror or '').lower()}") from None
        if not as_json:
            gone = "deleted, " if delete else ""
            print(f"{plain(pair['duplicate'])} {gone}is the same as {plain(pair['keep'])}")
    if as_json:
        print_json([{key: str(path) for key, path in pair.items()} for pair in found])
    else:
        many = "" if len(found) == 1 else "s"
        say(f"{len(found)} duplicate{many}" + ("" if delete or not found else "; --delete deletes them"))


@app.command()
def diff(
    first: Path = typer.Argument(..., metavar="A", help="A grid."),
    second: Path = typer.Argument(..., metavar="B", help="Another of the same variant."),
    as_json: bool = typer.Option(False, "--json", help="Print the numbers as one JSON object on stdout."),
) -> None:
    """Compare two games of Morpion Solitaire: what they share when they are turned to be most alike, side by side.

    Example: morpion grids diff grids/records/5T-rosin177a.json grids/records/5T-rosin178.json
    """
    import shutil
    import sys

    from morpion_cli.collection.difference import difference
    from morpion_cli.errors import UserError
    from morpion_cli.grid.morpion import Variant
    from morpion_cli.grid.puzzle import IllegalMoveError, replay
    from morpion_cli.render.side_by_side import side_by_side

    records = [read_grid(path, None).record for path in (first, second)]
    for path, record in zip((first, second), records, strict=True):
        try:
            replay(record.puzzle, record.moves)
        except IllegalMoveError as error:
            raise illegal(path, "compared", error) from None
    variant = records[0].puzzle
    if not isinstance(variant, Variant) or records[1].puzzle != variant:
        names = " and ".join(record.puzzle.name for record in records)
        raise UserError(f"only two games of one variant of Morpion Solitaire can be compared; these are {names}")
    found = difference(variant, records[0].moves, records[1].moves)
    numbers = {
        "game": variant.name,
        "moves": [len(record.moves) for record in records],
        "shared_lines": found.shared_lines,
        "shared_dots": found.shared_dots,
        "symmetry": found.symmetry._asdict(),
    }
    if as_json:
        print_json(numbers)
        return
    same = " They are the same game." if found.shared_lines == len(records[0].moves) == len(records[1].moves) else ""
    a, b = (len(record.moves) for record in records)
    print(f"{variant.name}: {a} and {b} moves; {found.shared_lines} lines and {found.shared_dots} dots shared.{same}\n")
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(side_by_side(variant, records[0].moves, found.second, terminal_color(), columns))


def _scan(folders: list[Path] | None) -> "dict[Path, Entry]":
    """Return all grids below the folders, with progress on stderr where it takes long."""
    import sys
    import time

    from morpion_cli.collection.index import scan

    begun = last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if (now - begun > 1 and now - last > (0.2 if sys.stderr.isatty() else 10)) or (done == total and last > begun):
            last = now
            end = "\r" if sys.stderr.isatty() and done < total else "\n"
            print(f"morpion: {done:,} of {total:,} new grids replayed ", end=end, file=sys.stderr, flush=True)

    entries: dict[Path, Entry] = {}
    seen: set[Path] = set()
    for folder in folders or [_HERE]:
        for path, entry in scan(folder, tell).items():
            whole = path.resolve()  # a file is there once, however often its folder is named
            if whole not in seen:
                seen.add(whole)
                entries[path] = entry
    return entries
