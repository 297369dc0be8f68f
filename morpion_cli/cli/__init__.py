"""The command line. Each command is a module that imports its work inside its body, so that `--help` is fast."""

import io
import os
import sys
import warnings

import typer

from morpion_cli.cli import bench as bench_command
from morpion_cli.cli import (
    board,
    catalog,
    compare,
    convert,
    experiment,
    grids,
    improve,
    merge,
    render,
    replay,
    runs,
    verify,
)
from morpion_cli.cli import search as search_command
from morpion_cli.cli.common import EXIT_PIPE, EXIT_USAGE
from morpion_cli.errors import UserError
from morpion_cli.files import describe_error, plain

app = typer.Typer(
    name="morpion",
    help="Hunt records in single-player games with Monte-Carlo search, and check and draw what was found.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(search_command.search)
app.command()(runs.runs)
app.command()(runs.watch)
app.command()(merge.merge)
app.command()(improve.improve)
app.command()(verify.verify)
app.command()(render.render)
app.command()(replay.replay)
app.command()(convert.convert)
app.add_typer(grids.app, name="grids")
app.command()(board.board)
app.command()(catalog.games)
app.command()(catalog.algorithms)
app.command()(experiment.experiment)
app.command()(compare.compare)
app.command()(bench_command.bench)


def _show_version(wanted: bool) -> None:
    if wanted:
        from morpion_cli import __version__

        print(f"morpion {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


def main() -> None:
    """Run the command line and exit: 0 done, 1 a grid is not legal, 2 unusable input, 128 + n after signal n."""
    warnings.showwarning = lambda message, *_: print(f"morpion: warning: {message}", file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no box-drawing characters shows ? for them
    try:
        if sys.stdout is None:
            raise UserError("standard output is closed")
        try:
            code = app(standalone_mode=False)
        except SystemExit:  # what Typer makes of a closed pipe; commands end by other exceptions
            sys.exit(EXIT_PIPE)
        sys.stdout.flush()
    except (UserError, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        _fail(message)
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): nothing to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_PIPE)
    except OSError as error:  # files of our own report theirs as UserError
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter fails at its last flush
        _fail(f"cannot write the output: {describe_error(error)}")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    for line in message.splitlines():
        print(f"morpion: {plain(line)}", file=sys.stderr)
    sys.exit(EXIT_USAGE)
