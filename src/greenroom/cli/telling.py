"""How mistakes and bugs are told: to people on standard error, with `--json` also as JSON on standard output."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import typer

from greenroom.cli.exits import AfterReport, ExitCode
from greenroom.model.errors import GreenroomError, UserMistake
from greenroom.report.printable import printable, printable_line

if TYPE_CHECKING:
    from greenroom.files.mistakes import FileMistakes
    from greenroom.model.base import Json


def tell_usage_mistake(mistake: typer.TyperException, wants_json: bool) -> ExitCode:
    """Tell of a command line that cannot be read."""
    message = printable_line(mistake.format_message())
    context = getattr(mistake, "ctx", None)
    command = getattr(context, "command_path", "greenroom")
    _say(f"Error: {message}")
    _say(f"See: {command} --help")
    if wants_json:
        _print_error({"kind": "usage", "message": message})
    return ExitCode.USERS_MISTAKE


def tell_problem(problem: Exception, wants_json: bool) -> ExitCode:
    """Tell of anything that ended a command."""
    from greenroom.files.mistakes import FileMistakes

    match problem:
        case AfterReport(__cause__=Exception() as cause):
            return tell_problem(cause, wants_json=False)
        case FileMistakes():
            return _tell_file_mistakes(problem, wants_json)
        case GreenroomError():
            _say(f"Error: {printable(str(problem))}")
            if wants_json:
                _print_error({"kind": _kind(problem), "message": printable(str(problem))})
            return ExitCode.USERS_MISTAKE if isinstance(problem, UserMistake) else ExitCode.COULD_NOT_FINISH
        case _:
            return _tell_bug(problem, wants_json)


def _kind(problem: GreenroomError) -> str:
    return "user_mistake" if isinstance(problem, UserMistake) else "could_not_finish"


def _tell_file_mistakes(problem: FileMistakes, wants_json: bool) -> ExitCode:
    count = len(problem.mistakes)
    for mistake in problem.mistakes:
        _say(printable_line(str(mistake)))
    _say(f"\n{count} {'mistake' if count == 1 else 'mistakes'}; nothing was played.")
    if wants_json:
        mistakes: list[Json] = [
            {
                "file": str(mistake.file),
                "line": mistake.line,
                "column": mistake.column,
                "message": mistake.message,
                "suggestion": mistake.suggestion,
            }
            for mistake in problem.mistakes
        ]
        _print_error({"kind": "file_mistakes", "message": printable(str(problem)), "mistakes": mistakes})
    return ExitCode.USERS_MISTAKE


def _tell_bug(bug: Exception, wants_json: bool) -> ExitCode:
    from greenroom.cli.log import log_bug

    path = log_bug(bug)
    where = f"what happened is written in {path}" if path else "no log could be written"
    message = (
        f"Greenroom itself failed ({type(bug).__name__}); {where}. This is a bug of Greenroom's: please report it "
        f"with {'that file' if path else 'the command that you gave'}."
    )
    _say(f"Error: {message}")
    if wants_json:
        _print_error({"kind": "bug", "message": message, "log": str(path) if path else None})
    return ExitCode.BUG


def _say(words: str) -> None:
    typer.echo(words, err=True)


def _print_error(error: dict[str, Json]) -> None:
    sys.stdout.write(json.dumps({"error": error}, indent=2) + "\n")
