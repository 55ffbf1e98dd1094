"""Prepared tool answers: mocks that depend on the arguments, then one result a tool, then `{"ok": true}`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.model.base import Json
from greenroom.model.case import Test, ToolMock
from greenroom.model.run import Reason
from greenroom.model.values import same_value


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared answer, to be given after `delay_ms`."""

    result: Json
    ok: bool = True
    reason: Reason | None = None
    delay_ms: int = 0


class CannedAnswers:
    """The prepared answers of one run; counts how often each mock was used."""

    def __init__(self, test: Test) -> None:
        self._test = test
        self._used: Counter[int] = Counter()

    def times_used(self) -> dict[int, int]:
        """How often each mock was used so far, by its index."""
        return dict(self._used)

    def count_from(self, used: Mapping[int, int]) -> None:
        """Count on from here: each mock was used this often."""
        self._used = Counter(used)

    def answer(self, tool: str, arguments: dict[str, Json]) -> Prepared:
        """The answer of `tool`: the first mock that fits and is not used up, else the tool's result."""
        for index, mock in enumerate(self._test.tool_mocks):
            if mock.tool != tool or not same_value(mock.when, arguments):
                continue
            if mock.times is not None and self._used[index] >= mock.times:
                continue
            self._used[index] += 1
            return _prepared(mock)
        return Prepared(self._test.tool_results.get(tool, {"ok": True}))


def _prepared(mock: ToolMock) -> Prepared:
    if mock.timeout:
        return Prepared({"error": "The tool did not answer in time."}, False, "timeout", mock.delay_ms)
    if mock.error is not None:
        return Prepared({"error": mock.error}, False, "tool_error", mock.delay_ms)
    return Prepared(mock.result, delay_ms=mock.delay_ms)
