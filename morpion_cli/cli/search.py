"""morpion search"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from morpion_cli.cli.common import EXIT_USAGE, parsed, print_json, say

if TYPE_CHECKING:
    from distributed import Client

    from morpion_cli.hunt.hunt import Status
    from morpion_cli.hunt.settings import Settings

_MAY_CHANGE = ("time", "tasks", "playouts", "target", "workers")  # with --resume


def search(
    config: Path | None = typer.Argument(None, metavar="CONFIG.yaml", help="A hunt's YAML file (see configs/)."),
    game: str | None = typer.Option(None, "--game", metavar="NAME", help="The game; 'morpion games' lists them. [5D]"),
    board: str | None = typer.Option(None, "--board", metavar="FILE", help="SameGame and its like: a file of boards."),
    number: str | None = typer.Option(None, "--number", metavar="N", help="Which board of the file, from 1. [1]"),
    leftover: str | None = typer.Option(
        None, "--leftover", metavar="none|penalty", help="SameGame: what tiles left over cost. [none]"
    ),
    depth: str | None = typer.Option(None, "--depth", metavar="N", help="Toy problems: moves in a game. [60]"),
    game_assign: list[str] = typer.Option(
        [], "--game-set", metavar="KEY=VALUE", help="Any other option of the game; may be given several times."
    ),
    algorithm: str | None = typer.Option(
        None, "--algorithm", metavar="NAME", help="The algorithm; 'morpion algorithms' lists them. [mcbs]"
    ),
    level: str | None = typer.Option(None, "--level", metavar="N", help="Nesting depth. Alone it means nmcs. [3]"),
    beam: str | None = typer.Option(
        None, "--beam", metavar="S1,S2,..", help="Beam width of each level, from level 1 up; means mcbs. [1,8,8]"
    ),
    policy_in: str | None = typer.Option(
        None, "--policy-in", metavar="FILE", help="A saved policy, for nrpa to start from or for puct."
    ),
    policy_out: str | None = typer.Option(
        None, "--policy-out", metavar="FILE", help="Save the policy that the best task of nrpa has learned."
    ),
    source: str | None = typer.Option(
        None, "--from", metavar="GRID", help="Continue this grid: every game begins with its first moves."
    ),
    keep: str | None = typer.Option(None, "--keep", metavar="N", help="With --from: how many moves. [half of them]"),
    assign: list[str] = typer.Option(
        [], "--set", metavar="KEY=VALUE", help="Any other option of the algorithm; may be given several times."
    ),
    seed: str | None = typer.Option(None, "--seed", metavar="N", help="Same seed, same tasks. [a fresh one, printed]"),
    workers: str | None = typer.Option(None, "--workers", metavar="N", help="Threads. [one a core]"),
    duration: str | None = typer.Option(None, "--time", metavar="TIME", help="Stop after 90s, 10m, 2h or 1:30:00."),
    tasks: str | None = typer.Option(None, "--tasks", metavar="N", help="Stop after N tasks, of all shards."),
    playouts: str | None = typer.Option(None, "--playouts", metavar="N", help="Stop after N playouts, e.g. 1e6."),
    target: str | None = typer.Option(None, "--target", metavar="SCORE", help="Stop when a grid has this score."),
    out: str | None = typer.Option(None, "--out", metavar="DIR", help="Where grids are written. [grids]"),
    run_dir: Path | None = typer.Option(
        None, "--run-dir", metavar="DIR", help="Where the state of this run is kept. [runs/GAME-ALGORITHM-TIME]"
    ),
    resume: Path | None = typer.Option(
        None, "--resume", metavar="DIR", help="Go on with the run in this folder; only a budget may be given anew."
    ),
    shard: str | None = typer.Option(
        None, "--shard", metavar="I/N", help="Run only the I-th of N shares of the tasks; 'morpion merge' joins them."
    ),
    scheduler: str | None = typer.Option(
        None, "--scheduler", metavar="ADDRESS", help="Let a Dask cluster do it, such as tcp://10.0.0.1:8786."
    ),
    scheduler_file: str | None = typer.Option(
        None, "--scheduler-file", metavar="FILE", help="The same, by the file that 'dask scheduler' has written."
    ),
    cluster: str | None = typer.Option(
        None, "--cluster", metavar="local:N", help="The same, with N worker processes on this machine."
    ),
    keep_all: str | None = typer.Option(
        None, "--keep-all", metavar="SCORE", help="Keep the best game of every task that has this score or more."
    ),
    on_record: str | None = typer.Option(
        None, "--on-record", metavar="CMD", help="Run this when a new best is written; {} is the grid's path. No shell."
    ),
    log: Path | None = typer.Option(None, "--log", metavar="FILE", help="Append a line of JSON for all that happens."),
    max_memory: str | None = typer.Option(
        None, "--max-memory", metavar="SIZE", help="Stop and save before the process takes more than this, e.g. 4G."
    ),
    nice: int = typer.Option(0, "--nice", metavar="N", help="Give way to other processes: 0 to 19.", min=0, max=19),
    as_json: bool = typer.Option(False, "--json", help="Print the result as one JSON object on stdout."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show no progress."),
) -> None:
    """Hunt: search again and again, keep the best grid, until a budget ends or Ctrl-C.

    Options override the file. Every improvement is replayed by the referee and on disk before it is shown; Ctrl-C
    ends a hunt within a second with its best grid saved.

    Example: morpion search --game 5D --level 3 --beam 1,8,8 --time 10m
    """
    import contextlib
    import os
    import sys

    from rich.console import Console

    from morpion_cli.cli.signals import on_signals
    from morpion_cli.config.hunt_config import build_settings
    from morpion_cli.config.yaml_tree import read_yaml
    from morpion_cli.errors import UserError
    from morpion_cli.hunt.hunt import Hunt, Listener
    from morpion_cli.hunt.listeners import Log, MemoryLimit, RecordCommand, Several
    from morpion_cli.hunt.progress import LiveProgress, PlainProgress
    from morpion_cli.hunt.run_folder import RunFolder, default_folder, read_state
    from morpion_cli.values import parse_bytes

    options = {
        "game": game,
        "board": board,
        "number": number,
        "leftover": leftover,
        "depth": depth,
        "algorithm": algorithm,
        "level": level,
        "beam": beam,
        "policy_in": policy_in,
        "policy_out": policy_out,
        "seed": seed,
        "workers": workers,
        "time": duration,
        "tasks": tasks,
        "playouts": playouts,
        "target": target,
        "out": out,
        "from": source,
        "keep": keep,
        "keep_all": keep_all,
        "shard": shard,
    }
    given = {name: value for name, value in options.items() if value is not None}
    state = None
    if resume is not None:
        others = [f"--{name}" for name in given if name not in _MAY_CHANGE]
        others += ["--set"] * bool(assign) + ["--game-set"] * bool(game_assign) + ["--run-dir"] * bool(run_dir)
        if config is not None or others:
            what = "a config file" if config is not None else others[0]
            raise UserError(f"--resume goes on with the run as it was begun; {what} cannot be given with it")
        config, state = resume / "config.yaml", read_state(resume)
    settings = build_settings(
        None if config is None else read_yaml(config),
        given,
        _assignments("--set", assign),
        _assignments("--game-set", game_assign),
    )
    extras: list[Listener] = []
    if log is not None:
        extras.append(Log(log))
    if on_record is not None:
        extras.append(RecordCommand(on_record))
    memory = None if max_memory is None else parsed(parse_bytes, max_memory, "--max-memory")
    os.nice(nice)

    console = Console(stderr=True)
    live = not quiet and console.is_terminal and not console.is_dumb_terminal
    listener: Listener
    listener = LiveProgress(console) if live else Listener() if quiet else PlainProgress(console)
    client = _cluster(scheduler, scheduler_file, cluster, settings)
    folder = RunFolder(resume) if resume else RunFolder.create(run_dir or default_folder(settings), settings)
    listeners = [listener, *extras]
    try:
        hunt = Hunt(settings, Several(listeners), folder, state, client)
    except UserError:
        if resume is None:
            folder.discard()
        raise
    if memory is not None:
        listeners.append(MemoryLimit(memory, hunt.interrupt))
    if not quiet:
        console.print(
            f"{settings.game.name}: {settings.method}, seed {settings.seed}, {settings.crew}, in {folder.path}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )

    failure: UserError | None = None
    received = on_signals(hunt.interrupt)
    with listener if isinstance(listener, LiveProgress) else contextlib.nullcontext():
        try:
            hunt.run()
        except UserError as error:  # the last best could not be written: still say what was found and saved
            failure = error

    status = hunt.status
    best = status.best
    if as_json:
        print_json(
            {
                "game": settings.game.name,
                "score": best.grid.score if best else None,
                "path": str(best.grid.path) if best else None,
                "id": best.grid.id if best else None,
                "tasks_done": status.tasks_done,
                "playouts": status.playouts,
                "elapsed_secs": round(status.elapsed, 3),
                "seed": settings.seed,
                "stopped_by": status.stopped_by,
                "mean_score": status.mean_score,
                "run": str(folder.path),
            }
        )
    else:
        _print_summary(status, folder.path)
    if failure is not None:
        if client is None:
            raise failure
        for line in str(failure).splitlines():
            say(line)
        os._exit(EXIT_USAGE)  # the client of a cluster that has gone would wait for it
    code = 128 + received[0] if received else 0
    if hunt.abandoned or client is not None:
        if cluster is not None and client is not None:
            with contextlib.suppress(Exception):  # a cluster of ours that has gone already
                client.cluster.close(timeout=2)
        # A thread is still inside the compiler, or in the cluster's client, and the interpreter would wait for it.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    raise typer.Exit(code)


def _cluster(scheduler: str | None, file: str | None, local: str | None, settings: "Settings") -> "Client | None":
    """Return the cluster that is asked for, if one is. Raises UserError."""
    from morpion_cli.errors import UserError

    asked = [value for value in (scheduler, file, local) if value is not None]
    if not asked:
        return None
    if len(asked) > 1:
        raise UserError("--scheduler, --scheduler-file, --cluster: one of them is enough")
    if settings.policy_out is not None:
        raise UserError("--policy-out: a cluster gives games back, not what was learned on the way")
    count = None
    if local is not None:
        kind, _, number = local.partition(":")
        if kind != "local" or not number.isdigit() or not 1 <= int(number) <= 1024:
            raise UserError(f"--cluster: expected local:N such as local:4, got {local!r}")
        count = int(number)
    if settings.options.threads_per_task > 1 and settings.algorithm.name in ("uct", "bmcts"):
        raise UserError(f"{settings.algorithm.name}: threads that share a tree cannot be on several machines")
    from morpion_cli.cluster.crew import connect

    return connect(scheduler, file, count)


def _assignments(option: str, items: list[str]) -> dict[str, str]:
    from morpion_cli.errors import UserError

    values = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not key or not equals:
            raise UserError(f"{option}: expected KEY=VALUE, got {item!r}")
        if key in values:
            raise UserError(f"{option} {key}: given twice")
        values[key] = value
    return values


def _print_summary(status: "Status", folder: Path) -> None:
    from morpion_cli.hunt.progress import best_line, duration, histogram

    print(f"best      {best_line(status)}")
    mean = "" if status.mean_score is None else f", mean score {status.mean_score:.2f}"
    print(f"tasks     {status.tasks_done:,} done{mean}")
    if status.task_scores:
        print(f"scores    {histogram(status.task_scores, 60)}")
    print(f"playouts  {status.playouts:,}, {status.overall_rate:,.0f}/s")
    print(f"time      {duration(status.elapsed)}, stopped by {status.stopped_by}")
    if status.truncated:
        print(f"too large {status.truncated:,} games, for the engine's board; thrown away")
    print(f"seed      {status.settings.seed}")
    print(f"run       {folder}")
    if status.policy_of is not None:
        print(f"policy    {status.settings.policy_out}, learned by task {status.policy_of}")
