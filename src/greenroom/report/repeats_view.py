"""Repeated tests on a terminal: a row a test with its pass rate, then what the tests that did not always pass broke."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.grade.repeats import CheckRate, RepeatSummary
from greenroom.report.bars import rate_bar
from greenroom.report.console import Signs
from greenroom.report.describe import describe_check
from greenroom.report.figures import plural
from greenroom.report.printable import printable_line
from greenroom.report.results import GateResult, Report, ReportedRun, TestSummary, by_test
from greenroom.report.run_view import STATUS_STYLES, headline, render_run, status_sign
from greenroom.report.talk import BROKEN, QUIET
from greenroom.report.verdict import percent, status_of

TALKS_SHOWN = 2
"""How many of the runs of one test that did not pass are shown with their talk."""
FLAKY = Style(color="yellow", bold=True)
_NARROW = 60
_MEDIUM = 78
_WIDE = 105
_NUMBERS_SHOWN = 12


class SummaryTable:
    """One row a test: how many of its runs passed, drawn with the 95 % interval of the rate, and pass^k. Columns that
    do not fit the width are left out, the least needed first."""

    def __init__(self, report: Report, signs: Signs) -> None:
        self._summaries = report.summaries
        self._gate = report.gate
        self._signs = signs
        self._several_agents = len({summary.agent for summary in report.summaries}) > 1
        self._powers = shown_powers(report.summaries, report.gate)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET, expand=False)
        table.add_column("", no_wrap=True)
        table.add_column("Test", overflow="fold", min_width=min(16, width // 2))
        if self._several_agents and width >= _WIDE:
            table.add_column("Agent", overflow="fold")
        table.add_column("Passed", justify="right", no_wrap=True)
        table.add_column("Rate", justify="right", no_wrap=True)
        if width >= _MEDIUM:
            table.add_column("0% to 100%", no_wrap=True)
        if width >= _NARROW:
            table.add_column("95% interval", no_wrap=True)
        for k in self._powers_at(width):
            table.add_column(f"pass^{k}", justify="right", no_wrap=True)
        table.add_column("", overflow="fold")
        for summary in self._summaries:
            table.add_row(*self._cells(summary, width))
        yield table

    def _powers_at(self, width: int) -> list[int]:
        if width < _MEDIUM:
            return []
        return self._powers if width >= _WIDE else self._powers[-1:]

    def _cells(self, summary: TestSummary, width: int) -> Iterator[RenderableType]:
        status = status_of(summary, self._gate)
        yield Text(status_sign(status, self._signs), style=STATUS_STYLES[status])
        yield Text(printable_line(summary.title))
        if self._several_agents and width >= _WIDE:
            yield Text(printable_line(summary.agent))
        unknown = Text(self._signs.open, style=QUIET)
        yield Text(f"{summary.passes}/{summary.finished}")
        if summary.rate is None or summary.low is None or summary.high is None:
            yield unknown
            yield from [unknown] * ((width >= _MEDIUM) + (width >= _NARROW) + len(self._powers_at(width)))
        else:
            yield Text(percent(summary.rate), style=STATUS_STYLES[status])
            if width >= _MEDIUM:
                bar = 24 if width >= _WIDE else 12
                style = STATUS_STYLES[status] + Style(bold=False)
                yield rate_bar(summary.rate, summary.low, summary.high, self._signs, width=bar, style=style)
            if width >= _NARROW:
                yield Text(f"{percent(summary.low)} to {percent(summary.high)}")
            for k in self._powers_at(width):
                powers = summary.pass_powers
                yield Text(percent(powers[k - 1])) if k <= len(powers) else unknown
        yield _remarks(summary)


def shown_powers(summaries: Sequence[RepeatSummary], gate: GateResult | None = None) -> list[int]:
    """The k of the pass^k worth a column: half of the most runs that a test has finished, all of them, and that of the
    gate. pass^1 is the pass rate itself."""
    most = max((summary.finished for summary in summaries), default=0)
    powers = {(most + 1) // 2, most}
    if gate is not None and gate.min_pass_power is not None:
        powers.add(gate.min_pass_power[0])
    return sorted(k for k in powers if k > 1)


def _remarks(summary: RepeatSummary) -> Text:
    words = [Text("flaky", style=FLAKY)] if summary.flaky else []
    if summary.errors:
        words.append(Text(f"{summary.errors} could not finish", style=STATUS_STYLES["error"]))
    if summary.cancelled:
        words.append(Text(f"{summary.cancelled} stopped", style=STATUS_STYLES["cancelled"]))
    return Text(", ").join(words)


def render_repeats(report: Report, signs: Signs) -> Iterator[RenderableType]:
    """For each test that did not always pass: its rate, how often each check held, and the talk of a run or two."""
    for summary, runs in by_test(report.runs):
        troubled = [run for run in runs if run.status in ("failed", "error")]
        if not troubled:
            continue
        yield Text("")
        if len(runs) == 1:
            yield render_run(runs[0], signs)
            continue
        yield from _repeated_test(summary, runs, report.gate, signs)
        shown = worth_showing(troubled) if status_of(summary, report.gate) != "passed" else []
        for run in shown:
            yield Text("")
            title = f"{summary.title}, run {run.repeat_index + 1} of {len(runs)}"
            yield render_run(run, signs, title)
        yield from _not_shown([run for run in troubled if run not in shown], bool(shown))


def _repeated_test(
    summary: TestSummary, runs: Sequence[ReportedRun], gate: GateResult | None, signs: Signs
) -> Iterator[RenderableType]:
    status = status_of(summary, gate)
    title = f"{status_sign(status, signs)} {printable_line(summary.title)}"
    yield headline(Text(title, style=STATUS_STYLES[status] + Style(bold=True)), signs)
    place = [] if summary.file is None else [f"{printable_line(summary.file)}:{summary.line}"]
    variant = [f"variant {printable_line(summary.variant)}"] if summary.variant else []
    facts = [printable_line(summary.agent), f"played {plural(len(runs), 'time')}", *variant, *place]
    yield Text(f" {signs.dot} ".join(facts), style=QUIET)
    yield Text(rate_words(summary))
    if summary.checks:
        yield Text("")
        yield _check_rates(summary.checks, signs)


def rate_words(summary: RepeatSummary) -> str:
    """The rate of a test in a sentence: `14 of 20 runs passed (70%, 95% interval 48% to 85%), flaky`."""
    if summary.rate is None or summary.low is None or summary.high is None:
        words = f"None of {plural(summary.runs, 'run')} finished"
    else:
        words = (
            f"{summary.passes} of {plural(summary.finished, 'run')} passed "
            f"({percent(summary.rate)}, 95% interval {percent(summary.low)} to {percent(summary.high)})"
        )
    words += ", flaky" if summary.flaky else ""
    others = [(summary.errors, "could not finish"), (summary.cancelled, "stopped")]
    return "; ".join([words, *(f"{count} {what}" for count, what in others if count)])


def _check_rates(rates: Sequence[CheckRate], signs: Signs) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for entry in rates:
        words = Text(describe_check(entry.check))
        if not entry.check.required:
            words.append(" (not required)", style=QUIET)
        if entry.rate is None:
            grid.add_row(Text(signs.open, style=QUIET), "", "", words.append(": not graded", style=QUIET))
            continue
        held = entry.passed == entry.graded
        style = Style(color="green") if held else BROKEN
        grid.add_row(
            Text(signs.passed if held else signs.failed, style=style),
            Text(f"{entry.passed}/{entry.graded}"),
            Text(percent(entry.rate), style=style),
            words,
        )
    return grid


def worth_showing(troubled: Sequence[ReportedRun]) -> list[ReportedRun]:
    """The runs whose talk says most: the first that failed, and the first after it that broke other checks or could
    not finish."""
    ranked = sorted(troubled, key=lambda run: run.status == "error")
    shown: list[ReportedRun] = []
    kinds: set[object] = set()
    for run in ranked:
        kind = _kind(run)
        if kind not in kinds and len(shown) < TALKS_SHOWN:
            kinds.add(kind)
            shown.append(run)
    return shown


def _kind(run: ReportedRun) -> object:
    if run.status == "error":
        return run.error
    return tuple(index for index, result in enumerate(run.checks) if result.passed is False)


def _not_shown(others: Sequence[ReportedRun], some_are_shown: bool) -> Iterator[RenderableType]:
    if not others:
        return
    numbers = [f"{run.repeat_index + 1}" for run in others[:_NUMBERS_SHOWN]]
    more = f" and {len(others) - _NUMBERS_SHOWN} more" if len(others) > _NUMBERS_SHOWN else ""
    count = plural(len(others), "more run" if some_are_shown else "run")
    words = f"{count} did not pass ({', '.join(numbers)}{more}); --html and --report-json keep every talk."
    yield Text("")
    yield Text(words, style=QUIET)


def render_gate(report: Report, result: GateResult, signs: Signs) -> Iterator[RenderableType]:
    """Whether the gate is open, and for each test that closes it a sentence."""
    wanted = [f"a pass rate of {percent(result.min_pass_rate)}"] if result.min_pass_rate is not None else []
    if result.min_pass_power is not None:
        k, value = result.min_pass_power
        wanted.append(f"pass^{k} of {percent(value)}")
    asked = f"{' and '.join(wanted)} or more"
    if not result.closed:
        sign = Text(f"{signs.passed} ", style=STATUS_STYLES["passed"])
        yield sign.append(f"The gate is open: every test has {asked}.", style=Style(color="default"))
        return
    closed = f"The gate is closed: {len(result.closed)} of {plural(len(report.summaries), 'test')} "
    yield Text(f"{closed}{'lacks' if len(result.closed) == 1 else 'lack'} {asked}.", style=Style(bold=True))
    for sentence in result.closed:
        yield Text(f"{signs.failed} ", style=BROKEN).append(
            printable_line(sentence), style=Style(color="default", bold=False)
        )
