"""The report as Markdown, for a comment on a pull request and for the summary of a CI job.

Everything that a model, a caller or a tool said is written so that no renderer finds anything in it: no markup, no
link, no mention of a person, no reference to an issue.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from greenroom.grade.comparison import Difference
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, Run
from greenroom.model.text import shorten
from greenroom.report.describe import (
    RESULT_LIMIT,
    describe_call,
    describe_check,
    describe_end,
    describe_source,
)
from greenroom.report.figures import checks_held, cost, plural, run_seconds, seconds
from greenroom.report.files import write_file
from greenroom.report.printable import compact_json, printable, printable_line
from greenroom.report.results import WHY_NOT_STARTED, GateResult, Report, ReportedRun, TestSummary, by_test
from greenroom.report.talk import broken_checks
from greenroom.report.verdict import SIGNS, WORDS, percent, status_of, sums, verdict, why

MARKER = "<!-- greenroom-report -->"
"""The first line of every report in Markdown, by which a bot finds its own comment again."""
COMMENT_LIMIT = 65_000
"""How long a report may be, in UTF-16 units: GitHub takes comments of up to 65,536 characters."""

_TABLE_SHARE = 0.35
_DETAILS_SHARE = 0.12
_TITLE_LIMIT = 120
_LINE_LIMIT = 700
_LEAST_TALK = 4000
_SENTENCES = 10
_NO_BREAK = "\u200b"
# What means something to a Markdown renderer inside a line, or to GitHub in the text that comes of it.
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>&#|~@!$:^=\"']")
_LINKED = re.compile(r"(?<=[@#])(?=\w)|(?<=\bgh-)(?=\d)|(?<=\bwww)(?=\.)|(?<=:)(?=//)", re.IGNORECASE)


def markdown(report: Report, limit: int = COMMENT_LIMIT) -> str:
    """The report in at most `limit` UTF-16 units: the verdict, a table of the tests, and the talk of every run that
    did not pass, folded. What does not fit is left out and said to be. Begins with `MARKER`; the same report gives
    the same text."""
    room = _Room(limit)
    room.add(_head(report), forced=True)
    _add_gate(room, report)
    _add_comparison(room, report)
    _add_table(room, report)
    _add_not_started(room, report)
    _add_details(room, report)
    room.add(f"\n<sub>Greenroom {inline(shorten(report.greenroom_version, _TITLE_LIMIT))}</sub>\n", forced=True)
    return room.text()


def write_markdown(report: Report, path: Path) -> None:
    """Write the report, in the length of a comment, to `path`.

    Raises:
        UserMistake: it could not be written.
    """
    write_file(path, markdown(report))


def inline(text: str) -> str:
    """`text` on one line, as words that mean nothing to Markdown, HTML or GitHub."""
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", _LINKED.sub(_NO_BREAK, printable_line(text)))


def block(text: str) -> str:
    """`text` as the content of a `<pre>` element."""
    return html.escape(printable(text), quote=False)


def width(text: str) -> int:
    """The length of `text` in UTF-16 units."""
    return len(text.encode("utf-16-le", "replace")) // 2


class _Room:
    """A text that grows as long as there is room; some is kept for the notes on what was left out."""

    _KEPT = 800

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self.left = limit - self._KEPT

    def add(self, part: str, *, forced: bool = False) -> bool:
        length = width(part)
        if length > self.left and not forced:
            return False
        self._parts.append(part)
        self.left -= length
        return True

    def text(self) -> str:
        return "".join(self._parts)


def _head(report: Report) -> str:
    outcome = verdict(report)
    figures = " · ".join(f"{name.lower()} {value}" for name, value in sums(report)[1:])
    lines = [MARKER, f"### {outcome.sign} {outcome.sentence}", "", *outcome.remarks]
    variant = f"variant {inline(shorten(report.variant, _TITLE_LIMIT))} · " if report.variant else ""
    return "\n".join([*lines, variant + figures, ""])


def _add_gate(room: _Room, report: Report) -> None:
    closed = report.gate.closed if report.gate is not None else []
    room.add("\n" if closed else "")
    for index, sentence in enumerate(closed):
        if index == _SENTENCES or not room.add(f"- {inline(shorten(sentence, _LINE_LIMIT))}\n"):
            room.add(f"- and {len(closed) - index} more\n", forced=True)
            return


def _add_comparison(room: _Room, report: Report) -> None:
    if report.comparison is None:
        return
    names = [inline(shorten(name, _TITLE_LIMIT)) for name in (report.comparison.first, report.comparison.second)]
    room.add(f"\n**{inline(report.comparison.overall.words)}**\n")
    room.add(f"\n| Test | {names[0]} | {names[1]} | Difference |\n| :--- | ---: | ---: | :--- |\n")
    least = room.left - int(room.left * _TABLE_SHARE)
    for index, difference in enumerate(report.comparison.tests):
        if room.left < least or not room.add(_difference_row(difference)):
            room.add(
                f"\n{plural(len(report.comparison.tests) - index, 'more test')}: in the full report.\n", forced=True
            )
            return


def _difference_row(found: Difference) -> str:
    rates = ["unknown" if rate is None else percent(rate) for rate in (found.first_rate, found.second_rate)]
    if found.difference is None or found.low is None or found.high is None:
        words = "unknown"
    else:
        points = [f"{share * 100:+.0f}" for share in (found.difference, found.low, found.high)]
        words = f"{points[0]} points ({points[1]} to {points[2]})"
        words = f"**{words}**" if found.is_seen else words
    return f"| {inline(shorten(found.test or '', _TITLE_LIMIT))} | {rates[0]} | {rates[1]} | {words} |\n"


def _add_table(room: _Room, report: Report) -> None:
    if not report.runs:
        return
    room.add("\n| Test | Result | Checks | Cost | Time |\n| :--- | :--- | ---: | ---: | ---: |\n")
    rows = sorted(by_test(report.runs), key=lambda row: status_of(row[0], report.gate) == "passed")
    least = room.left - int(room.left * _TABLE_SHARE)
    for index, (summary, runs) in enumerate(rows):
        if room.left < least or not room.add(_row(summary, runs, report)):
            left_out = rows[index:]
            troubled = sum(status_of(other, report.gate) != "passed" for other, _ in left_out)
            rest = f", {troubled} of which did not pass: in the full report" if troubled else ": all passed"
            room.add(f"\n{plural(len(left_out), 'more test')}{rest}.\n", forced=True)
            return


def _row(summary: TestSummary, runs: Sequence[ReportedRun], report: Report) -> str:
    name = inline(shorten(summary.title, _TITLE_LIMIT))
    if len({run.agent for run in report.runs}) > 1:
        name += f" <sub>{inline(shorten(summary.agent, _TITLE_LIMIT))}</sub>"
    if report.comparison is not None and summary.variant:
        name += f" <sub>{inline(shorten(summary.variant, _TITLE_LIMIT))}</sub>"
    held = [checks_held(run) for run in runs]
    known = sum((run.known_cost_usd for run in runs), start=Decimal(0))
    took = sum(run_seconds(run) or 0.0 for run in runs)
    cells = [
        name,
        _result(summary, runs, report.gate),
        f"{sum(passed for passed, _ in held)}/{sum(total for _, total in held)}",
        cost(known, complete=all(run.cost_usd is not None for run in runs)),
        seconds(took),
    ]
    return f"| {' | '.join(cells)} |\n"


def _result(summary: TestSummary, runs: Sequence[ReportedRun], gate: GateResult | None) -> str:
    if len(runs) == 1:
        status = runs[0].status
        return f"{SIGNS[status]} {WORDS[status]}"
    words = f"{SIGNS[status_of(summary, gate)]} {summary.passes} of {summary.runs} passed"
    if summary.rate is not None and summary.low is not None and summary.high is not None:
        words += f" ({percent(summary.low)} to {percent(summary.high)})"
    return f"{words}, flaky" if summary.flaky else words


def _add_not_started(room: _Room, report: Report) -> None:
    for reason, because in WHY_NOT_STARTED.items():
        count = sum(entry.reason == reason for entry in report.not_started)
        if count:
            room.add(f"\n{plural(count, 'run was', 'runs were')} not started: {because}.\n", forced=True)


def _add_details(room: _Room, report: Report) -> None:
    troubled = _troubled(report)
    each = int(room.left * _DETAILS_SHARE) if len(troubled) > 1 else room.left
    for index, run in enumerate(troubled):
        shown = _details(run, min(each, room.left), in_comparison=report.comparison is not None)
        if not room.add(shown):
            more = len(troubled) - index
            note = (
                f"{plural(more, 'more run')} that did not pass {'is' if more == 1 else 'are'} left out for want of room"
            )
            room.add(f"\n{note}: see the full report.\n", forced=True)
            return


def _troubled(report: Report) -> list[ReportedRun]:
    """The runs that did not pass: one of each test first, so that the repeats of one do not crowd out the others, and
    last those of tests that the gate lets fail so often."""
    ranked = [
        ((status_of(summary, report.gate) == "passed", rank), run)
        for summary, runs in by_test(report.runs)
        for rank, run in enumerate(run for run in runs if run.status in ("failed", "error"))
    ]
    return [run for _, run in sorted(ranked, key=lambda entry: entry[0])]


def _details(run: ReportedRun, limit: int, *, in_comparison: bool) -> str:
    title = f"{SIGNS[run.status]} <b>{inline(shorten(run.title, _TITLE_LIMIT))}</b>"
    if in_comparison and run.variant:
        title += f" <sub>{inline(shorten(run.variant, _TITLE_LIMIT))}</sub>"
    reason = why(run)
    head = f"\n<details><summary>{title}{': ' + inline(reason) if reason else ''}</summary>\n\n"
    place = f"{inline(run.file)}{'' if run.line is None else f' line {run.line}'} · " if run.file is not None else ""
    head += f"{place}{inline(describe_end(run))} · {plural(run.turns, 'turn')}\n\n"
    if run.status != "error":
        head += "".join(_finding(result) for result in run.checks)
    if run.scorecard is not None:
        head += f"- score {run.scorecard.score} of 100: {inline(shorten(run.scorecard.summary, _LINE_LIMIT))}\n"
    tail = "\n</details>\n"
    return head + _talk(run, max(_LEAST_TALK, limit - width(head) - width(tail))) + tail


def _finding(result: CheckResult) -> str:
    sign = SIGNS["queued" if result.passed is None else "passed" if result.passed else "failed"]
    words = f"- {sign} <code>{inline(shorten(describe_check(result.check), _LINE_LIMIT))}</code>"
    if not result.check.required:
        words += " (not required)"
    if result.detail and result.passed is not True:
        words += f": {inline(shorten(result.detail, _LINE_LIMIT))}"
    return words + "\n"


def _talk(run: Run, limit: int) -> str:
    """The talk in a `<pre>`: whole where it fits, else the lines around what broke."""
    lines = [_shown(run, index) for index in range(len(run.transcript))]
    frame = "\n<pre>\n{}\n</pre>\n"
    if not lines:
        return ""
    kept = _fitting([width(line) + 1 for line in lines], limit - width(frame) - 80, _middle(run))
    if not kept:
        return "\nThe talk is left out here for want of room.\n"
    shown = lines[kept.start : kept.stop]
    if kept.start:
        shown.insert(0, f"({plural(kept.start, 'earlier line')} left out)")
    if kept.stop < len(lines):
        shown.append(f"({plural(len(lines) - kept.stop, 'later line')} left out)")
    return frame.format("\n".join(shown))


def _middle(run: Run) -> int:
    """The line that a cut talk is shown around: the first that broke a check, else the last."""
    return min(broken_checks(run), default=len(run.transcript) - 1)


def _fitting(widths: Sequence[int], room: int, middle: int) -> range:
    """The longest stretch of lines around `middle` that fits, growing to both sides; empty where not even that does."""
    start = stop = middle
    room -= widths[middle]
    if room < 0:
        return range(0)
    stop += 1
    grew = True
    while grew:
        grew = False
        if start > 0 and widths[start - 1] <= room:
            start -= 1
            room -= widths[start]
            grew = True
        if stop < len(widths) and widths[stop] <= room:
            room -= widths[stop]
            stop += 1
            grew = True
    return range(start, stop)


def _shown(run: Run, index: int) -> str:
    line = run.transcript[index]
    found = broken_checks(run).get(index, [])
    rows = [f"{'►' if found else ' '} {line.turn:>2} {line.role:<6} {_words(line)}"]
    rows += [f"            ✗ {shorten(describe_check(result.check), _LINE_LIMIT)}" for result in found]
    return block("\n".join(rows))


def _words(line: Line) -> str:
    match line:
        case AgentLine() | CallerLine():
            return "\n            ".join(_shortened(line.text).split("\n"))
        case _:
            result = compact_json(line.result, RESULT_LIMIT)
            return f"{shorten(describe_call(line), _LINE_LIMIT)} → {result} [{describe_source(line)}]"


def _shortened(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LINE_LIMIT else shown[: _LINE_LIMIT - 1] + "…"
