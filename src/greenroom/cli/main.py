"""The `greenroom` program: its commands, and how every ending is told to the person who started it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO

import typer
from typer.main import get_command

from greenroom.cli.chat import chat
from greenroom.cli.compare import compare
from greenroom.cli.demo import demo
from greenroom.cli.exits import ExitCode
from greenroom.cli.generate import generate
from greenroom.cli.import_tests import import_tests
from greenroom.cli.init import init
from greenroom.cli.label import label
from greenroom.cli.mcp_server import mcp
from greenroom.cli.push import pull, push
from greenroom.cli.report import report
from greenroom.cli.run import run
from greenroom.cli.serve import serve, worker
from greenroom.cli.serve_admin import db, keys, users
from greenroom.cli.serve_projects import credits, projects

app = typer.Typer(
    name="greenroom",
    help="Test conversational agents before they take real calls.",
    epilog="New here? Start with: greenroom demo",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(short_help="Play a bundled agent's tests: no key, no network.")(demo)
app.command(short_help="Write a first agent and a first test.")(init)
app.command(short_help="Play tests from files and report on them.")(run)
app.command(short_help="Play the same tests on two variants of an agent.")(compare)
app.command(short_help="Show a stored report again, or in another form.")(report)
app.command(short_help="Talk to an agent yourself, and make tests of the talk.")(chat)
app.command(short_help="Draft tests from a prompt, a real call or a failed run.")(generate)
app.command("import", short_help="Make tests of another tool's files.")(import_tests)
app.command(short_help="Say whether the judge was right, and see how often it is.")(label)
app.command(short_help="Serve the API, and play runs.")(serve)
app.command(short_help="Play the runs of a service whose API runs elsewhere.")(worker)
app.command(short_help="Bring agents and tests of a file to a server.")(push)
app.command(short_help="Fetch an agent and its tests from a server.")(pull)
app.command(short_help="Serve MCP over standard input and output.")(mcp)
app.add_typer(db, name="db", short_help="Look after the database of the service.")
app.add_typer(keys, name="keys", short_help="Make, list and revoke keys of the service.")
app.add_typer(projects, name="projects", short_help="Make and list projects.")
app.add_typer(credits, name="credits", short_help="See and change what a project may spend.")
app.add_typer(users, name="users", short_help="Let people in, and keep them out.")


def _tell_version(wanted: bool) -> None:
    if wanted:
        from greenroom.report.results import greenroom_version

        typer.echo(f"greenroom {greenroom_version()}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", help="Tell the version and exit.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Test conversational agents before they take real calls."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program with `arguments`, by default those of the process, and give its exit code.

    Never raises: a mistake is told with what to do about it, a bug in one sentence with the path of the log.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        code = _dispatch(words)
        sys.stdout.flush()
    except OSError as problem:
        _leave_the_pipe()
        if isinstance(problem, BrokenPipeError):
            return ExitCode.BROKEN_PIPE
        typer.echo(f"Error: the result could not be printed: {problem.strerror}", err=True)
        return ExitCode.USERS_MISTAKE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return code


def _dispatch(words: list[str]) -> int:
    wants_json = "--json" in words
    try:
        result: object = get_command(app).main(args=words, prog_name="greenroom", standalone_mode=False)
    except typer.Abort:
        typer.echo("Stopped.", err=True)
        return ExitCode.INTERRUPTED
    except typer.TyperException as mistake:
        from greenroom.cli.telling import tell_usage_mistake

        return tell_usage_mistake(mistake, wants_json)
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except SystemExit as ending:  # a pipe that was closed while help was printed
        return ending.code if isinstance(ending.code, int) else ExitCode.BROKEN_PIPE
    except Exception as problem:  # noqa: BLE001 - the last resort: nothing may reach the user as a traceback
        from greenroom.cli.telling import tell_problem

        return tell_problem(problem, wants_json)
    return result if isinstance(result, int) else ExitCode.ALL_PASSED


def _prepare_streams() -> None:
    # What a stream's encoding lacks is printed as a question mark, never raised in the middle of a report. A stream
    # that was closed by whoever started the program (`>&-`) leads nowhere.
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - the types leave this case out
        sys.stdout = _open_nowhere()
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = _open_nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _open_nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _leave_the_pipe() -> None:
    # Nobody reads any more: what is left in the buffers must not be complained about when the program ends.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            os.dup2(nowhere, stream.fileno())
