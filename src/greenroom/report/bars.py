"""Bars of characters: a value and its interval on a scale."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from greenroom.report.console import Signs
from greenroom.report.talk import QUIET


def rate_bar(rate: float, low: float, high: float, signs: Signs, *, width: int, style: Style) -> Text:
    """A rate and its interval, from 0 to 1: `·····━━●━━···`."""
    cells = _cells(rate, low, high, 0.0, 1.0, signs, width)
    return _drawn(cells, signs, style)


def difference_bar(difference: float, low: float, high: float, signs: Signs, *, width: int, style: Style) -> Text:
    """A difference and its interval, from -1 to 1, around a mark at 0: `··━━●━┼━····`. An even `width` loses one
    column, so that 0 has one in the middle."""
    width -= 1 - width % 2
    cells = _cells(difference, low, high, -1.0, 1.0, signs, width)
    middle = width // 2
    if cells[middle] != signs.point:
        cells[middle] = signs.zero
    return _drawn(cells, signs, style)


def _cells(value: float, low: float, high: float, start: float, end: float, signs: Signs, width: int) -> list[str]:
    def column(at: float) -> int:
        return round((min(max(at, start), end) - start) / (end - start) * (width - 1))

    cells = [signs.faint] * width
    for index in range(column(low), column(high) + 1):
        cells[index] = signs.full
    cells[column(value)] = signs.point
    return cells


def _drawn(cells: list[str], signs: Signs, style: Style) -> Text:
    bar = Text()
    for cell in cells:
        bar.append(cell, style=QUIET if cell in (signs.faint, signs.zero) else style)
    return bar
