"""`--watch`: plays the tests again whenever one of their files changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.rule import Rule
from rich.text import Text

from greenroom.cli.changes import Known, wait_for_change
from greenroom.cli.exits import AfterReport, ExitCode
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.cli.telling import tell_problem
from greenroom.files.text_files import noted_reads
from greenroom.model.errors import GreenroomError
from greenroom.report.figures import plural

_NAMES_SHOWN = 3


def keep_playing(play: Callable[[], int], paths: Sequence[Path], output: Output) -> int:
    """Play, wait until a file changes, play again, until Ctrl-C; the exit code.

    What is wrong in a file is told, and waited for to be mended. Ctrl-C while nothing plays ends with 0; while runs
    play it ends them as it does without `--watch`.
    """
    try:
        while True:
            with noted_reads() as contents:
                code = _play_once(play)
            if code == ExitCode.INTERRUPTED:
                return code
            sys.stdout.flush()
            output.say_aside(Text(f"\nWatching {plural(len(contents), 'file')} for changes. Ctrl-C ends.", style="dim"))
            changed = wait_for_change(Known(contents, paths))
            _tell_changed(changed, output)
    except KeyboardInterrupt:
        return ExitCode.ALL_PASSED


def _play_once(play: Callable[[], int]) -> int:
    try:
        return play()
    except (GreenroomError, AfterReport) as problem:
        return tell_problem(problem, wants_json=False)


def _tell_changed(changed: Sequence[Path], output: Output) -> None:
    if output.result.is_terminal:
        output.result.clear()
    names = ", ".join(shown_path(file) for file in changed[:_NAMES_SHOWN])
    more = f" and {len(changed) - _NAMES_SHOWN} more" if len(changed) > _NAMES_SHOWN else ""
    title = Text(f"Changed: {names}{more}", style="bold")
    output.say(Rule(title, align="left", characters=output.signs.empty, style="dim"))
