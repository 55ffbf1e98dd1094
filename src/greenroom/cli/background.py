"""An event loop in a thread of its own, so that connections live on while a person thinks, and Ctrl-C ends no more than
what is being waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import Any, Self, TypeVar

from greenroom.cli.exits import ExitCode

T = TypeVar("T")

_LOOK_UP_SECONDS = 0.1
_CLOSING_SECONDS = 10.0


class _Cancelled(Exception):
    """The work was cancelled."""


class _NotOver(Exception):
    """The work goes on."""


class BackgroundLoop:
    """Runs coroutines for a program whose main thread waits for a person. Leaving closes what was opened."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="greenroom", daemon=True)
        self._opened = AsyncExitStack()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        closed: Future[None] = Future()
        with suppress(KeyboardInterrupt, Exception):
            self._start(self._opened.aclose(), closed)
            self._wait(closed, _CLOSING_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSING_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def open(self, resource: AbstractAsyncContextManager[T]) -> T:
        """Enter something that is left when the loop is."""
        return self.call(self._opened.enter_async_context(resource))

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for `work` to end. Ctrl-C cancels it, and is raised once it has ended.

        Raises:
            SystemExit: Ctrl-C was pressed again, or the work does not let itself be cancelled.
        """
        tasks: list[asyncio.Task[T]] = []
        outcome: Future[T] = Future()

        def cancel() -> None:
            if tasks:
                tasks[0].cancel()
            else:  # Ctrl-C came before the work was even begun
                work.close()
                outcome.set_exception(_Cancelled())

        try:
            self._start(work, outcome, tasks.append)
            return self._wait(outcome)
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(cancel)
            self._wait_for_end(outcome)
            raise

    def _wait_for_end(self, outcome: Future[Any]) -> None:
        try:
            with suppress(Exception):  # it was cancelled: how it ended does not matter any more
                self._wait(outcome, _CLOSING_SECONDS)
        except KeyboardInterrupt:
            raise SystemExit(ExitCode.INTERRUPTED) from None
        if not outcome.done():
            raise SystemExit(ExitCode.INTERRUPTED)

    def _start(
        self, work: Coroutine[Any, Any, T], outcome: Future[T], keep: Callable[[asyncio.Task[T]], None] | None = None
    ) -> None:
        def deliver(task: asyncio.Task[T]) -> None:
            if task.cancelled():
                outcome.set_exception(_Cancelled())
            elif (problem := task.exception()) is not None:
                outcome.set_exception(problem)
            else:
                outcome.set_result(task.result())

        def start() -> None:
            task = self._loop.create_task(work)
            task.add_done_callback(deliver)
            if keep is not None:
                keep(task)

        self._loop.call_soon_threadsafe(start)

    @staticmethod
    def _wait(outcome: Future[T], seconds: float | None = None) -> T:
        # In short steps: not every system lets Ctrl-C through to a thread that waits for another.
        waited = 0.0
        while not outcome.done():
            with suppress(TimeoutError):
                outcome.exception(_LOOK_UP_SECONDS)
            waited += _LOOK_UP_SECONDS
            if seconds is not None and waited >= seconds and not outcome.done():
                raise _NotOver
        return outcome.result()
