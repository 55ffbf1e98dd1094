"""Keeps the event loop responsive when many runs get their answers at once."""

from __future__ import annotations

import asyncio
from collections import deque


class Turnstile:
    """Lets at most `at_once` tasks through in one turn of the event loop, first come first served.

    What a run does with an answer takes a millisecond or two. When hundreds of answers come in together, that would be
    one turn of the loop in which nothing else is served.
    """

    def __init__(self, at_once: int = 8) -> None:
        self._at_once = at_once
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Wait for one's turn."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._let_through)
        future: asyncio.Future[None] = loop.create_future()
        self._waiting.append(future)
        await future

    def _let_through(self) -> None:
        through = 0
        while self._waiting and through < self._at_once:
            future = self._waiting.popleft()
            if not future.done():  # a task that was cancelled waits no more
                future.set_result(None)
                through += 1
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._let_through)
