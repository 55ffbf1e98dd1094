"""How long to wait before asking a failing service again."""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """Exponential back-off with jitter, and what a service asks for itself.

    `retries` is how often to ask after the first try. The wait before retry n is `first_wait * 2**(n-1)` seconds, at
    most `longest_wait`, of which `chance` (0 to 1) picks a share between a half and the whole, so that talks that
    failed together do not come back together. A `Retry-After` is waited for in full, and up to a quarter of the
    ordinary wait more.
    """

    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 8.0
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, repr=False)
    chance: Callable[[], float] = field(default=random.random, repr=False)
    elapsed: Callable[[], float] = field(default=time.monotonic, repr=False)

    def wait_before(self, retry: int, retry_after: float | None) -> float:
        """Seconds to wait before the retry with this number, counted from 1."""
        ordinary = min(self.longest_wait, self.first_wait * 2 ** (retry - 1))
        if retry_after is not None:
            return max(0.0, retry_after) + self.chance() * ordinary / 4
        return ordinary * (0.5 + self.chance() / 2)


def read_retry_after(header: str | None) -> float | None:
    """The seconds that a `Retry-After` header asks to wait, from now; `None` where there is none that can be read."""
    text = (header or "").strip()
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
