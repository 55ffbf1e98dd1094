"""Talks and sums as text, for failure messages and summaries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from greenroom.grade.repeats import RepeatSummary
from greenroom.model.run import Run
from greenroom.report.console import UNICODE
from greenroom.report.describe import describe_check
from greenroom.report.figures import plural
from greenroom.report.junit import plain_text
from greenroom.report.results import ReportedRun
from greenroom.report.run_view import render_run
from greenroom.report.verdict import percent, why


def shown_run(run: Run, width: int, place: tuple[Path, int] | None = None) -> str:
    """A run with its talk, the line that broke a check marked. `place` is where its test is written."""
    file, line = (shown_path(place[0]), place[1]) if place else (None, None)
    return plain_text(render_run(ReportedRun.of(run, file, line), UNICODE), width)


def why_not_passed(run: Run) -> str:
    """Why a run did not pass, on one line."""
    return why(run) or {"cancelled": "it was stopped"}.get(run.status, "it did not pass")


def shown_rates(summary: RepeatSummary) -> str:
    """What the repeats of a test come to: the pass rate with its interval, and the checks that did not always hold."""
    if summary.rate is None or summary.low is None or summary.high is None:
        return f"no run of {summary.runs} finished"
    words = (
        f"{summary.passes} of {plural(summary.finished, 'run')} passed "
        f"({percent(summary.rate)}, 95% interval {percent(summary.low)} to {percent(summary.high)})"
    )
    words += ", flaky" if summary.flaky else ""
    unfinished = summary.errors + summary.cancelled
    return f"{words}; {unfinished} could not finish" if unfinished else words


def shown_checks(summary: RepeatSummary) -> list[str]:
    """How often each check held that did not always hold."""
    return [
        f"{describe_check(check.check)}: held in {check.passed} of {check.graded}"
        for check in summary.checks
        if check.passed < check.graded
    ]


def shown_path(path: Path) -> str:
    """`path` from here where it lies below here, else whole."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except (ValueError, OSError):
        return str(path)


def joined(*parts: str | Sequence[str]) -> str:
    """Paragraphs with an empty line between them; empty ones are left out."""
    texts = ["\n".join(part) if not isinstance(part, str) else part for part in parts]
    return "\n\n".join(text for text in texts if text)
