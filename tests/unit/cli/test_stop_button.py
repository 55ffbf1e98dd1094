from __future__ import annotations

import asyncio
import signal

import pytest

from greenroom.cli.stopping import SIGNALS, StopButton


async def _forever() -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("number", SIGNALS)
async def test_the_first_signal_asks_to_stop_and_the_second_cancels(number: signal.Signals) -> None:
    presses: asyncio.Queue[int] = asyncio.Queue()
    button = StopButton(presses.put_nowait)
    playing = asyncio.create_task(_forever())
    assert not await button()
    with button.listening(playing):
        signal.raise_signal(number)
        assert await presses.get() == 1
        assert await button()
        assert not playing.done()
        signal.raise_signal(number)
        await asyncio.wait([playing])
    assert playing.cancelled()
    assert button.presses == 2


async def test_afterwards_signals_do_what_they_did_before() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    playing = asyncio.create_task(_forever())
    with StopButton(lambda _: None).listening(playing):
        assert [signal.getsignal(number) for number in SIGNALS] != before
    assert [signal.getsignal(number) for number in SIGNALS] == before
    playing.cancel()
