"""How well the judge agrees with people, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from greenroom.grade.calibration import Agreement
from greenroom.grade.statistics import wilson
from greenroom.report.bars import rate_bar
from greenroom.report.console import Signs
from greenroom.report.printable import printable_line
from greenroom.report.talk import QUIET

FEW_LABELS = 10
"""Below so many labels a question, a figure says little."""
_WIDE, _MEDIUM, _NARROW = 100, 78, 60
_GOOD, _POOR = 0.9, 0.7


def show_agreement(by_question: Sequence[Agreement], overall: Agreement, signs: Signs) -> Iterator[RenderableType]:
    """A row a question, the worst first, and all together; then what the figures mean."""
    yield AgreementTable(by_question, overall, signs)
    yield Text("")
    yield Text(
        "Kappa is the agreement beyond chance: 1 is full, 0 no more than chance. Too lenient: the judge said yes, the "
        "person no.",
        style=QUIET,
    )
    if any(one.labels < FEW_LABELS for one in by_question):
        yield Text(f"Questions with fewer than {FEW_LABELS} labels say little yet: label more.", style=QUIET)


class AgreementTable:
    """The table. The bars, which show the 95 % interval too, are left out where there is no room."""

    def __init__(self, by_question: Sequence[Agreement], overall: Agreement, signs: Signs) -> None:
        self._rows = [*by_question, overall] if len(by_question) > 1 else list(by_question)
        self._overall = overall
        self._signs = signs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=QUIET)
        table.add_column("Question", overflow="fold", min_width=min(24, width // 3))
        table.add_column("Judge right", no_wrap=True)
        if _bar_of(width):
            table.add_column("", no_wrap=True)
        table.add_column("Kappa", justify="right", no_wrap=True)
        if width >= _NARROW:
            table.add_column("Too lenient", justify="right", no_wrap=True)
            table.add_column("Too strict", justify="right", no_wrap=True)
        for one in self._rows:
            table.add_row(*self._cells(one, width))
        yield table

    def _cells(self, one: Agreement, width: int) -> Iterator[RenderableType]:
        style = _style_of(one.accuracy)
        yield Text(printable_line(one.question), style=Style(bold=one is self._overall))
        yield Text(f"{one.accuracy:.0%}", style=style).append(f"  {one.right} of {one.labels}", style=QUIET)
        if bar := _bar_of(width):
            interval = wilson(one.right, one.labels)
            yield rate_bar(one.accuracy, interval.low, interval.high, self._signs, width=bar, style=style)
        yield Text(self._signs.open if one.kappa is None else f"{one.kappa:.2f}")
        if width >= _NARROW:
            yield Text(str(one.too_lenient))
            yield Text(str(one.too_strict))


def _bar_of(width: int) -> int:
    """How many columns a bar has in a table of that width."""
    return 20 if width >= _WIDE else 10 if width >= _MEDIUM else 0


def _style_of(accuracy: float) -> Style:
    color = "green" if accuracy >= _GOOD else "yellow" if accuracy >= _POOR else "red"
    return Style(color=color, bold=True)
