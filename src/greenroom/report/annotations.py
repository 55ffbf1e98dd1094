"""The report as GitHub workflow commands, which mark the lines of the changed files, and as a job's summary.

Source of the format: GitHub's documentation of workflow commands, https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Literal

from greenroom.model.errors import UserMistake
from greenroom.model.text import shorten
from greenroom.report.figures import plural
from greenroom.report.markdown import markdown
from greenroom.report.printable import printable
from greenroom.report.results import Report, ReportedRun, TestSummary, by_test
from greenroom.report.verdict import status_of, sums, verdict, why

Level = Literal["error", "warning", "notice"]
_Roots = tuple[PurePath | None, PurePath | None]

PER_LEVEL = 10
"""How many annotations of one level GitHub shows of a step; it drops what comes after."""
SUMMARY_LIMIT = 340_000
"""How long a job's summary may be, in UTF-16 units: GitHub takes 1 MiB of UTF-8, three bytes a unit at most."""
_TITLE_LIMIT = 200
_MESSAGE_LIMIT = 2_000


def workflow_commands(
    report: Report, *, folder: PurePath | None = None, repository: PurePath | None = None
) -> list[str]:
    """The report as commands, one a line of standard output: an error for every run that did not pass at the place of
    its test, a warning for what runs warn of, and a notice with the sums.

    Repeats of a test share one command, which is a warning where the gate that was set lets them fail so often. Of
    each level the first ten are kept, the last of which says how many more there are. `folder` is where the files'
    names start from and `repository` the root of the checkout, both absolute; with them the names are made relative to
    the root, as GitHub wants them.
    """
    roots = (folder, repository)
    errors: list[str] = []
    warnings: list[str] = []
    for summary, runs in by_test(report.runs):
        if any(run.status in ("failed", "error") for run in runs):
            forgiven = status_of(summary, report.gate) == "passed"
            (warnings if forgiven else errors).append(_failure(report, summary, runs, roots, forgiven))
    warnings += [*_warnings(report, roots), *_not_started(report)]
    return [*_capped("error", errors), *_capped("warning", warnings), _sums(report)]


def command(level: Level, message: str, *, title: str = "", file: str | None = None, line: int | None = None) -> str:
    """One workflow command. Control characters in `message` are made visible, and line ends kept."""
    properties: list[tuple[str, str]] = []
    if file is not None:
        properties.append(("file", file))
        if line is not None:
            properties.append(("line", str(line)))
    if title:
        properties.append(("title", shorten(title, _TITLE_LIMIT)))
    written = ",".join(f"{name}={_property(value)}" for name, value in properties)
    return f"::{level}{' ' + written if written else ''}::{_data(message)}"


def stop_commands(token: str) -> str:
    """The command after which GitHub reads no commands until `resume_commands` with the same token. To be printed
    before text that others wrote, such as a talk: a line of it may look like a command. `token` must not be
    guessable."""
    return f"::stop-commands::{token}"


def resume_commands(token: str) -> str:
    """The command that ends `stop_commands`."""
    return f"::{token}::"


def step_summary(report: Report) -> str:
    """The report in Markdown, as long as the summary of a job may be."""
    return markdown(report, SUMMARY_LIMIT)


def append_step_summary(report: Report, path: Path) -> None:
    """Add the report to the file that GitHub names in `GITHUB_STEP_SUMMARY`.

    Raises:
        UserMistake: it could not be written.
    """
    try:
        with path.open("a", encoding="utf-8", errors="replace", newline="\n") as stream:
            stream.write(step_summary(report) + "\n")
    except OSError as problem:
        reason = (problem.strerror or "the system refused").lower()
        raise UserMistake(f"The summary could not be written to {path}: {reason}") from None


def _data(text: str) -> str:
    shown = printable(text)
    if len(shown) > _MESSAGE_LIMIT:
        shown = shown[: _MESSAGE_LIMIT - 1] + "…"
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _capped(level: Level, commands: Sequence[str]) -> list[str]:
    if len(commands) <= PER_LEVEL:
        return list(commands)
    kept = commands[: PER_LEVEL - 1]
    more = len(commands) - len(kept)
    return [*kept, command(level, f"There are {more} more; see the report.", title=f"{more} more")]


def _failure(report: Report, summary: TestSummary, runs: Sequence[ReportedRun], roots: _Roots, forgiven: bool) -> str:
    troubled = [run for run in runs if run.status in ("failed", "error")]
    first = next((run for run in troubled if run.status == "failed"), troubled[0])
    verb = "failed" if first.status == "failed" else "could not finish"
    name = f"{summary.title} ({summary.variant})" if summary.variant and report.comparison else summary.title
    message = why(first) or f"The run {verb}."
    if len(runs) > 1:
        closed = report.gate.gate.why_closed(summary) if report.gate is not None else ""
        count = closed or f"{len(troubled)} of {plural(len(runs), 'run')} did not pass."
        message = f"{count} {first.title}: {message}"
    return command(
        "warning" if forgiven else "error",
        message,
        title=f"{name} {'failed now and then' if forgiven else verb}",
        file=_placed(first.file, roots),
        line=first.line,
    )


def _warnings(report: Report, roots: _Roots) -> list[str]:
    places: dict[tuple[str | None, int | None, str, str], int] = {}
    for run in report.runs:
        for warning in run.warnings:
            key = (run.file, run.line, run.test, warning)
            places[key] = places.get(key, 0) + 1
    return [
        command("warning", warning if count == 1 else f"{warning} (in {count} runs)", title=test,
                file=_placed(file, roots), line=line)
        for (file, line, test, warning), count in places.items()
    ]  # fmt: skip


def _not_started(report: Report) -> list[str]:
    if not report.not_started:
        return []
    remarks = " ".join(verdict(report).remarks)
    count = plural(len(report.not_started), "run was", "runs were")
    return [command("warning", f"{count} not started. {remarks}".strip(), title="Not all was played")]


def _sums(report: Report) -> str:
    figures = ", ".join(f"{name.lower()} {value}" for name, value in sums(report)[1:])
    compared = f"\n{report.comparison.overall.words}" if report.comparison is not None else ""
    return command("notice", f"{verdict(report).sentence}: {figures}{compared}", title="Greenroom")


def _placed(file: str | None, roots: _Roots) -> str | None:
    if file is None:
        return None
    folder, repository = roots
    whole = os.path.normpath(file if folder is None else folder / file)
    if repository is None:
        return PurePath(whole).as_posix()
    try:
        return PurePath(whole).relative_to(repository).as_posix()
    except ValueError:
        return PurePath(whole).as_posix()
