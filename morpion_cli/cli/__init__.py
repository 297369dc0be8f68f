"""The command line.

Each command is in a module that is imported when it is named, and that imports its work inside its body: to start is
fast.
"""

import io
import os
import sys
import warnings
from importlib import import_module

import typer

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
# The module of each command, in the order of `--help`.
_COMMANDS = {
    "search": "search",
    "runs": "runs",
    "watch": "runs",
    "merge": "merge",
    "improve": "improve",
    "verify": "verify",
    "render": "render",
    "replay": "replay",
    "convert": "convert",
    "grids": "grids",
    "board": "board",
    "games": "catalog",
    "algorithms": "catalog",
    "experiment": "experiment",
    "compare": "compare",
    "bench": "bench",
}


def _register(name: str) -> None:
    module = import_module(f"morpion_cli.cli.{_COMMANDS[name]}")
    if name == "grids":
        app.add_typer(module.app, name=name)
    else:
        app.command()(getattr(module, name))


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
        # A command needs no other; help, completion and a misspelt name need all.
        named = sys.argv[1:2]
        for name in named if named and named[0] in _COMMANDS else _COMMANDS:
            _register(name)
        try:
            code = app(standalone_mode=False)
        except SystemExit as end:  # 1 is what Typer makes of a closed pipe; commands end by other exceptions
            sys.exit(EXIT_PIPE if end.code == 1 else end.code)
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
    prefix = "" if message.startswith("Usage: ") else "morpion: "  # the help, where no command is named
    for line in message.splitlines():
        print(f"{prefix}{plain(line)}", file=sys.stderr)
    sys.exit(EXIT_USAGE)
