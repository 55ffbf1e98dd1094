"""Two variants on a terminal: what the difference comes to, test by test, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.grade.comparison import Comparison, Difference, pairs_of
from greenroom.grade.repeats import summarise
from greenroom.model.checks import Check
from greenroom.report.bars import difference_bar
from greenroom.report.console import Signs
from greenroom.report.describe import describe_check
from greenroom.report.figures import plural
from greenroom.report.printable import printable_line
from greenroom.report.results import Report, ReportedRun, apart_by
from greenroom.report.run_view import STATUS_STYLES, headline
from greenroom.report.talk import QUIET
from greenroom.report.verdict import percent, why

FIRST, SECOND = "A", "B"
_NARROW = 60
_MEDIUM = 76
_WIDE = 105
_PLAIN = Style(color="default", bold=False)
_BOLD = Style(bold=True)
_BETTER = Style(color="green")
_WORSE = Style(color="red")
_EXAMPLES = 2

Pair = tuple[ReportedRun | None, ReportedRun | None]


def render_comparison(report: Report, comparison: Comparison, signs: Signs) -> Iterator[RenderableType]:
    """The sentence over all, a row a test, and for each test whose runs differ what differs."""
    for letter, name in ((FIRST, comparison.first), (SECOND, comparison.second)):
        yield Text(f"{letter}  ", style=_BOLD).append(printable_line(name), style=_PLAIN)
    yield Text("")
    yield Text(printable_line(comparison.overall.words), style=_way(comparison.overall) + _BOLD)
    if len(comparison.tests) > 1 and any(found.is_seen for found in comparison.tests):
        yield Text(_test_by_test(comparison.tests))
    yield Text("")
    yield DifferenceTable(comparison, signs)
    pairs = list(pairs_of(report.runs, comparison.first, comparison.second, apart_by(report.runs)).values())
    for difference, runs in zip(comparison.tests, pairs, strict=True):
        yield from _what_differs(difference, runs, signs)
    yield from _unfinished(pairs, signs)


def _test_by_test(tests: Sequence[Difference]) -> str:
    """What stands behind the sum: tests that became better may hide others that became worse."""
    seen = [found for found in tests if found.is_seen]
    better = sum((found.difference or 0) > 0 for found in seen)
    counts = ((better, "better"), (len(seen) - better, "worse"), (len(tests) - len(seen), "no difference seen"))
    told = [f"{count} {what}" for count, what in counts if count]
    return f"Test by test, {SECOND} against {FIRST}: {', '.join(told)}."


def _way(difference: Difference) -> Style:
    """The colour of a difference that is seen; plain where none is."""
    if not difference.is_seen or difference.difference is None:
        return _PLAIN
    return _BETTER if difference.difference > 0 else _WORSE


class DifferenceTable:
    """One row a test: how many runs passed on each side, the difference drawn with its 95 % interval around 0."""

    def __init__(self, comparison: Comparison, signs: Signs) -> None:
        self._comparison = comparison
        self._signs = signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET, expand=False)
        table.add_column("Test", overflow="fold", min_width=min(16, width // 2))
        table.add_column(FIRST, justify="right", no_wrap=True)
        table.add_column(SECOND, justify="right", no_wrap=True)
        table.add_column("Points", justify="right", no_wrap=True)
        if width >= _MEDIUM:
            better = "better " if width >= _WIDE else ""
            heading = f"{FIRST} {better}< 0 > {SECOND} {better}".rstrip()
            table.add_column(heading, no_wrap=True, justify="center")
        if width >= _NARROW:
            table.add_column("95% interval", no_wrap=True)
        table.add_column("", no_wrap=width >= _MEDIUM, overflow="fold")
        for difference in self._comparison.tests:
            table.add_row(*self._cells(printable_line(difference.test or ""), difference, width))
        if len(self._comparison.tests) > 1:
            table.add_row(*self._cells("All", self._comparison.overall, width), style=_BOLD)
        yield table

    def _cells(self, title: str, found: Difference, width: int) -> Iterator[RenderableType]:
        yield Text(title)
        unknown = Text(self._signs.open, style=QUIET)
        if found.difference is None or found.low is None or found.high is None:
            yield from [unknown] * (3 + (width >= _MEDIUM) + (width >= _NARROW))
            yield Text("no pair finished", style=QUIET)
            return
        yield Text(f"{found.both + found.only_first}/{found.pairs}")
        yield Text(f"{found.both + found.only_second}/{found.pairs}")
        yield Text(points(found.difference), style=_way(found))
        if width >= _MEDIUM:
            bar = 31 if width >= _WIDE else 13
            yield difference_bar(found.difference, found.low, found.high, self._signs, width=bar, style=_way(found))
        if width >= _NARROW:
            yield Text(f"{points(found.low)} to {points(found.high)}")
        yield _seen(found)


def points(share: float) -> str:
    """A difference of two shares in percentage points, with its sign: `+25`, `-10`, `0`."""
    rounded = round(100 * share)
    return f"{rounded:+d}" if rounded else "0"


def _seen(found: Difference) -> Text:
    if not found.is_seen or found.difference is None:
        return Text("not seen", style=QUIET)
    return Text("better" if found.difference > 0 else "worse", style=_way(found) + _BOLD)


@dataclass(frozen=True, slots=True)
class _CheckPair:
    """How often one check held on each side, of how many times that it was decided."""

    check: Check
    first: tuple[int, int]
    second: tuple[int, int]


def _what_differs(difference: Difference, pairs: Sequence[Pair], signs: Signs) -> Iterator[RenderableType]:
    if not difference.only_first and not difference.only_second:
        return
    yield Text("")
    yield headline(Text(printable_line(difference.test or ""), style=_BOLD), signs)
    yield Text(_who_passed_alone(difference), style=QUIET)
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(FIRST, style=QUIET), Text(SECOND, style=QUIET), Text("How often a check held", style=QUIET))
    for entry in _differing_checks(pairs):
        cells = [_share(*counts) for counts in (entry.first, entry.second)]
        table.add_row(*cells, Text(describe_check(entry.check)))
    if table.row_count > 1:
        yield table
    yield from _examples(pairs, signs)


def _who_passed_alone(difference: Difference) -> str:
    counts = ((difference.only_first, FIRST), (difference.only_second, SECOND))
    first, *others = [(count, letter) for count, letter in counts if count]
    words = f"{first[0]} of {plural(difference.pairs, 'pair')} passed with {first[1]} alone"
    return ", ".join([words, *(f"{count} with {letter} alone" for count, letter in others)]) + "."


def _differing_checks(pairs: Sequence[Pair]) -> list[_CheckPair]:
    sides = [[run for pair in pairs if (run := pair[side]) is not None] for side in (0, 1)]
    if not all(sides):
        return []
    first, second = ([entry for summary in summarise(runs) for entry in summary.checks] for runs in sides)
    return [
        _CheckPair(one.check, (one.passed, one.graded), (two.passed, two.graded))
        for one, two in zip(first, second, strict=False)
        if one.check == two.check and one.rate != two.rate
    ]


def _share(passed: int, graded: int) -> Text:
    if not graded:
        return Text("not graded", style=QUIET)
    return Text(f"{passed}/{graded} {percent(passed / graded):>4}")


def _examples(pairs: Sequence[Pair], signs: Signs) -> Iterator[RenderableType]:
    """Why a run failed whose partner passed, for one pair each way."""
    shown: set[str] = set()
    for pair in pairs:
        for letter, run, other in ((FIRST, pair[0], pair[1]), (SECOND, pair[1], pair[0])):
            if run is None or other is None or letter in shown or len(shown) == _EXAMPLES:
                continue
            if run.status == "failed" and other.status == "passed":
                shown.add(letter)
                words = Text(f"{signs.failed} Run {run.repeat_index + 1} failed with {letter}: ", style=_WORSE)
                yield words.append(why(run), style=_PLAIN)


def _unfinished(pairs: Sequence[Sequence[Pair]], signs: Signs) -> Iterator[RenderableType]:
    """Each error once, with how many runs of which side it ended."""
    errors: dict[tuple[str, str], int] = {}
    for pair in (pair for test in pairs for pair in test):
        for letter, run in zip((FIRST, SECOND), pair, strict=True):
            if run is not None and run.status == "error":
                key = (letter, why(run))
                errors[key] = errors.get(key, 0) + 1
    if errors:
        yield Text("")
    for (letter, error), count in errors.items():
        words = Text(f"{signs.warning} {plural(count, 'run')} of {letter} could not finish: ")
        words.stylize(STATUS_STYLES["error"])
        yield words.append(error, style=_PLAIN)
