"""The event loop beside a thread that waits for a person."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from greenroom.cli.background import BackgroundLoop


async def give(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def fail() -> None:
    raise ValueError("broken")


def test_work_is_waited_for_and_its_failure_raised() -> None:
    with BackgroundLoop() as loop:
        assert loop.call(give(3)) == 3
        with pytest.raises(ValueError, match="broken"):
            loop.call(fail())
        assert loop.call(give(4)) == 4


def test_what_was_opened_lives_between_calls_and_is_closed_at_the_end() -> None:
    happened: list[str] = []

    @asynccontextmanager
    async def resource() -> AsyncGenerator[asyncio.Event]:
        beat = asyncio.Event()
        ticking = asyncio.create_task(asyncio.Event().wait())
        happened.append("opened")
        try:
            yield beat
        finally:
            ticking.cancel()
            happened.append("closed")

    with BackgroundLoop() as loop:
        loop.open(resource())
        assert loop.call(give(1)) == 1
        assert happened == ["opened"]
    assert happened == ["opened", "closed"]


def test_ctrl_c_cancels_what_is_waited_for_and_nothing_else() -> None:
    cancelled = threading.Event()

    async def forever() -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with BackgroundLoop() as loop:
        with pytest.raises(KeyboardInterrupt):
            loop.call(forever())
        assert cancelled.is_set()
        assert loop.call(give(5)) == 5
