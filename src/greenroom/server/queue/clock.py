"""The clock of a durable run. It moves only when an answer comes in, by what was written down with the answer, so that
a run that is taken up again decides everything as it did the first time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from datetime import datetime, timedelta
from typing import TypeVar

from greenroom.model.errors import OutOfTime

Answer = TypeVar("Answer")


class RunClock:
    """The time of one run: seconds since it started, without the time in which nobody played it."""

    def __init__(self, started_at: datetime) -> None:
        self._started_at = started_at
        self._elapsed = 0.0
        self._anchor: float | None = None

    @property
    def is_live(self) -> bool:
        """Whether the run has got past what was written down, and asks for real."""
        return self._anchor is not None

    def now(self) -> datetime:
        """The time of day at which the last answer came in."""
        return self._started_at + timedelta(seconds=self._elapsed)

    def elapsed(self) -> float:
        """Seconds up to the last answer."""
        return self._elapsed

    def go_live(self) -> None:
        """From here on, time passes for real. Told again, nothing changes."""
        if self._anchor is None:
            self._anchor = time.monotonic() - self._elapsed

    def live(self) -> float:
        """Seconds up to this very moment; only for what is then written down."""
        self.go_live()
        assert self._anchor is not None  # noqa: S101 - `go_live` has set it
        return time.monotonic() - self._anchor

    def reach(self, elapsed: float) -> None:
        """An answer came in at this time."""
        self._elapsed = max(self._elapsed, elapsed)

    async def sleep(self, seconds: float) -> None:
        """Wait, for real too, unless the run only goes over what was written down."""
        until = self._elapsed + seconds
        if self.is_live:
            await asyncio.sleep(seconds)
        self.reach(until)

    async def wait(self, work: Awaitable[Answer], seconds: float, /) -> Answer:
        """Wait for `work`. What asks the outside keeps the limit itself, and remembers that it passed; for all else the
        limit holds by this clock.

        Raises:
            OutOfTime: the time passed first.
        """
        until = self._elapsed + seconds
        answer = await work
        if self._elapsed > until:
            raise OutOfTime("The time limit passed.")
        return answer
