"""Hands a report over: to files, to GitHub, to whoever reads standard output."""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from greenroom.cli.output import Output
from greenroom.report.files import make_writable
from greenroom.report.json_report import report_json, write_json
from greenroom.report.results import Report


@dataclass(frozen=True, slots=True)
class Wanted:
    """The forms in which a report was asked for."""

    junit: Path | None = None
    html: Path | None = None
    markdown: Path | None = None
    report_json: Path | None = None
    annotations: bool = False
    as_json: bool = False

    @property
    def files(self) -> dict[str, Path]:
        """The files to write, by the option that asked for each."""
        given = {
            "--junit": self.junit,
            "--html": self.html,
            "--md": self.markdown,
            "--report-json": self.report_json,
        }
        return {option: path for option, path in given.items() if path is not None}

    def make_writable(self) -> None:
        """See that every file can be written, before anything is played.

        Raises:
            UserMistake: one cannot.
        """
        for option, path in self.files.items():
            make_writable(path, option)


def write_files(report: Report, wanted: Wanted) -> None:
    """Write every file that was asked for, and with `--annotations` the summary of the GitHub job.

    Raises:
        UserMistake: one could not be written.
    """
    if wanted.junit is not None:
        from greenroom.report.junit import write_junit

        write_junit(report, wanted.junit)
    if wanted.html is not None:
        from greenroom.report.html import write_html

        write_html(report, wanted.html)
    if wanted.markdown is not None:
        from greenroom.report.markdown import write_markdown

        write_markdown(report, wanted.markdown)
    if wanted.report_json is not None:
        write_json(report, wanted.report_json)
    if wanted.annotations and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        from greenroom.report.annotations import append_step_summary

        append_step_summary(report, Path(summary))


@contextmanager
def without_commands(wanted: Wanted, output: Output) -> Generator[None]:
    """With `--annotations`, keep GitHub from reading commands in what is printed within the block: a line of a talk may
    look like one."""
    if not wanted.annotations or wanted.as_json:
        yield
        return
    from greenroom.report.annotations import resume_commands, stop_commands

    token = secrets.token_hex(16)
    output.say_line(stop_commands(token))
    try:
        yield
    finally:
        output.say_line(resume_commands(token))


def say_annotations(report: Report, wanted: Wanted, output: Output) -> None:
    """Print the commands that mark the report's failures in GitHub's view of the change."""
    if not wanted.annotations or wanted.as_json:
        return
    from greenroom.report.annotations import workflow_commands

    root = os.environ.get("GITHUB_WORKSPACE")
    for line in workflow_commands(report, folder=Path.cwd(), repository=Path(root) if root else None):
        output.say_line(line)


def say_result(report: Report, wanted: Wanted, output: Output) -> None:
    """Print the report, as JSON or for people."""
    if wanted.as_json:
        output.print_json(report_json(report))
        return
    output.say_report(report)


def say_written(wanted: Wanted, output: Output) -> None:
    """Name the files that were written."""
    for path in wanted.files.values():
        output.say(Text(f"Written: {path}", style="dim"))
