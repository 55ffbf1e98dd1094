"""Ctrl-C and polite kills while runs are played: first stop gently, then at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager

from greenroom.cli.exits import ExitCode

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopButton:
    """Pressed by a signal; asked by the runs before each model request.

    The first press asks the runs to stop, the second cancels `at_once`, the third ends the process where it stands.
    `on_press` is called with the number of the press.
    """

    def __init__(self, on_press: Callable[[int], None]) -> None:
        self.presses = 0
        self._on_press = on_press
        self._at_once: asyncio.Task[None] | None = None

    async def __call__(self) -> bool:
        return self.presses > 0

    def press(self) -> None:
        self.presses += 1
        if self.presses > 2:
            os._exit(ExitCode.INTERRUPTED)
        self._on_press(self.presses)
        if self.presses == 2 and self._at_once is not None:
            self._at_once.cancel()

    @contextmanager
    def listening(self, at_once: asyncio.Task[None]) -> Generator[None]:
        """Press on each signal, from here to the end of the block; `at_once` is what the second press cancels."""
        loop = asyncio.get_running_loop()
        self._at_once = at_once

        def hear(_number: int, _frame: object) -> None:
            # Through the loop, so that a press never lands in the middle of a step of a run.
            loop.call_soon_threadsafe(self.press)

        earlier = {number: signal.getsignal(number) for number in SIGNALS}
        for number in SIGNALS:
            signal.signal(number, hear)
        try:
            yield
        finally:
            for number, handler in earlier.items():
                signal.signal(number, handler)
