"""What `greenroom demo` does: plays the bundled tests and says what to do next."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from rich.text import Text

from greenroom.batch import BatchOptions
from greenroom.cli.exits import ExitCode, exit_code
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import Planned, leave_at_once, play, shown_path
from greenroom.cli.selecting import select
from greenroom.cli.writing import write_new_files
from greenroom.report.json_report import report_json
from greenroom.report.results import Report

DEMO_FILE = "demo.yaml"
FAILS_ON_PURPOSE = "fails-on-purpose"
_AT_ONCE = 10


def demo_text() -> str:
    """The demo's test file."""
    return files("greenroom.cli").joinpath(DEMO_FILE).read_text(encoding="utf-8")


def play_demo(*, as_json: bool) -> int:
    """Play the demo; the exit code is 0 when everything went as it is meant to, the failure on purpose included."""
    keep_log()
    output = Output.open(as_json=as_json)
    with as_file(files("greenroom.cli").joinpath(DEMO_FILE)) as path:
        selection = select([path])
    planned = [Planned(entry.plan, DEMO_FILE, entry.line) for entry in selection.planned]
    output.say(Text("A dental front desk and six tests, played by scripted models: no key, no network, no cost."))
    output.say()
    outcome = play(planned, selection.credentials, BatchOptions(_AT_ONCE), output)
    outcome.raise_unreported()
    report = outcome.report
    code = ExitCode.ALL_PASSED if went_as_meant(report) else exit_code(report) or ExitCode.A_TEST_FAILED
    _print(report, code, output)
    if outcome.at_once:
        leave_at_once(code)
    outcome.raise_reported()
    return code


def went_as_meant(report: Report) -> bool:
    """Whether the runs that are to fail on purpose failed, and all others passed."""
    return (
        not report.interrupted
        and not report.not_started
        and all(run.status == ("failed" if FAILS_ON_PURPOSE in run.tags else "passed") for run in report.runs)
    )


def _print(report: Report, code: ExitCode, output: Output) -> None:
    if output.as_json:
        output.print_json(report_json(report))
        return
    if not output.is_live:
        output.say()
    output.say_report(report)
    output.say()
    if code == ExitCode.ALL_PASSED:
        output.say(Text("One test fails on purpose, to show how a failure reads: the marked line broke its check."))
        output.say()
        output.say_next(
            [
                ("greenroom init", "writes your first agent and test"),
                ("greenroom demo --save demo", "writes the demo's file, to look at and to change"),
            ]
        )
    elif not report.interrupted:
        output.say(Text("The demo did not go as it is meant to: see above.", style="bold red"))


def save_demo(folder: Path, *, force: bool, as_json: bool) -> int:
    """Write the demo's file into `folder`.

    Raises:
        UserMistake: the file is there already and `force` is not set, or it cannot be written.
    """
    written = write_new_files({folder / "greenroom.yaml": demo_text()}, force=force)
    output = Output.open(as_json=as_json)
    if as_json:
        output.print_json(json.dumps({"files": [str(path) for path in written]}, indent=2))
        return ExitCode.ALL_PASSED
    _tell_written(written, output)
    output.say()
    output.say_next([(f"greenroom run {shown_path(folder)}", "plays it; one of its tests fails on purpose")])
    return ExitCode.ALL_PASSED


def _tell_written(written: Sequence[Path], output: Output) -> None:
    for path in written:
        output.say(Text("Wrote ").append(shown_path(path), style="bold"))
