"""Which workers live. What a dead one was playing is given to the others.

A worker shows a sign of life every second. One whose count of signs has not moved for a whole lease, by the watcher's
own clock, is dead; so is one of this machine whose process is gone, at once. Clocks of machines are never compared.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from greenroom.server.context import Context
from greenroom.server.queue import store
from greenroom.server.queue.store import WorkerRow

_log = logging.getLogger("greenroom.queue")


@dataclass(slots=True)
class _Seen:
    beats: int
    since: float


@dataclass(slots=True)
class Watch:
    """What one worker has seen of the others. `lease` in seconds."""

    lease: float
    host: str
    elapsed: Callable[[], float] = time.monotonic
    process_lives: Callable[[int], bool] = field(default=lambda process: _process_lives(process))
    _seen: dict[str, _Seen] = field(default_factory=dict[str, "_Seen"])

    def is_dead(self, worker: WorkerRow) -> bool:
        """Whether a worker is dead, by what is seen of it now and was seen before."""
        if worker.gone or (worker.host == self.host and not self.process_lives(worker.process)):
            return True
        now = self.elapsed()
        seen = self._seen.get(worker.id)
        if seen is None or seen.beats != worker.beats:
            self._seen[worker.id] = _Seen(worker.beats, now)
            return False
        return now - seen.since >= self.lease

    def forget(self, worker_id: str) -> None:
        self._seen.pop(worker_id, None)


def host_name() -> str:
    """This machine's name and, where it can be told, its boot: process numbers mean something only there."""
    boot = ""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    return f"{socket.gethostname()}/{boot}"[:255]


class Liveness:
    """Shows that this worker lives, and watches the others."""

    def __init__(
        self,
        context: Context,
        worker_id: str,
        recover: Callable[[str], Awaitable[None]],
        *,
        lease: float,
        interval: float = 1.0,
    ) -> None:
        self._context = context
        self._worker_id = worker_id
        self._recover = recover
        self._interval = interval
        self._watch = Watch(lease, host_name())
        self._task: asyncio.Task[None] | None = None

    async def enter(self) -> None:
        """Enter the worker into the table: before it plays anything, so that nothing it plays can be forgotten."""
        await self._enter()

    async def start(self) -> None:
        """Begin to watch. What dead workers left is taken up at once."""
        await self._turn()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """Leave: the others may take over at once what is not finished."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        async with self._context.database.writing() as session:
            await store.leave(session, self._worker_id)

    async def _enter(self) -> None:
        now = self._context.now()
        async with self._context.database.writing() as session:
            session.add(
                WorkerRow(
                    id=self._worker_id,
                    host=self._watch.host,
                    process=os.getpid(),
                    beats=0,
                    gone=False,
                    started_at=now,
                    beat_at=now,
                )
            )

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(self._interval)
            try:
                await self._turn()
            except Exception:  # noqa: BLE001 - a database that is away for a moment must not end the watch
                _log.exception("the watch over the workers failed; it goes on")

    async def _turn(self) -> None:
        async with self._context.database.writing() as session:
            lives = await store.beat(session, self._worker_id, self._context.now())
        if not lives:
            # The others took this worker for dead, for example after a long pause, and play its runs.
            _log.warning("the other workers had given this one up; it goes on with what is new")
            await self._enter()
        async with self._context.database.reading() as session:
            workers = await store.all_workers(session)
        for worker in workers:
            if worker.id != self._worker_id and self._watch.is_dead(worker):
                _log.warning("worker %s is gone; its runs go on here and elsewhere", worker.id)
                await self._recover(worker.id)
                async with self._context.database.writing() as session:
                    await store.forget_worker(session, worker.id)
                self._watch.forget(worker.id)


def _process_lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
