"""A worker: takes runs out of the queue, plays them, and takes up what others left unfinished.

DBOS knows one application a process, so there is one worker a process; it is the only global of the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dbos import DBOS
from dbos._dbos import _get_dbos_instance  # pyright: ignore[reportPrivateUsage] - see `_let_finish`

from greenroom.server.context import Context
from greenroom.server.policies.service import Policies
from greenroom.server.queue.client import APPLICATION, PLAY, STEPS_VERSION, queue_name
from greenroom.server.queue.engine import open_engine
from greenroom.server.queue.liveness import Liveness
from greenroom.server.queue.serializer import JsonSerializer

POLLING_SECONDS = 0.1
CLEAN = "greenroom.clean"
CLEANING = "0 */10 * * * *"
_MOST_RECOVERIES = 1000

_log = logging.getLogger("greenroom.queue")


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker does: play a run, and clean up now and then."""

    play: Callable[[str], Awaitable[None]]
    clean: Callable[[], Awaitable[None]]


_work: Work | None = None


@DBOS.workflow(name=PLAY, max_recovery_attempts=_MOST_RECOVERIES)
async def _play(run_id: str) -> None:
    if _work is not None:
        await _work.play(run_id)


@DBOS.workflow(name=CLEAN)
async def _clean(planned: datetime, context: Any) -> None:  # noqa: ARG001 - the form of a scheduled workflow
    if _work is not None:
        await _work.clean()


@asynccontextmanager
async def open_worker(
    context: Context, policies: Policies, work: Work, *, grace: float = 20.0, cleaning: str = CLEANING
) -> AsyncGenerator[str]:
    """Work until the end of the block; gives the worker's id. Runs that play then have `grace` seconds to end; what is
    not finished goes on in another worker, or in this one when it is started again. `cleaning` is when it cleans up, as
    a cron expression with seconds.

    Raises:
        RuntimeError: there is a worker in this process already.
    """
    global _work
    if _work is not None:
        raise RuntimeError("there is a worker in this process already")
    worker_id = f"worker-{uuid.uuid4().hex}"
    settings = context.settings
    engine = await asyncio.to_thread(open_engine, settings.url, pool_size=settings.database_pool)
    _work = work
    liveness = Liveness(context, worker_id, _recover, lease=settings.worker_lease_seconds)
    try:
        await liveness.enter()
        DBOS(
            config={
                "name": APPLICATION,
                "system_database_engine": engine,
                "system_database_url": settings.url,
                "serializer": JsonSerializer(),
                "application_version": STEPS_VERSION,
                "executor_id": worker_id,
                "use_listen_notify": False,
                "run_migrations": False,
                "log_level": "WARNING",
                "scheduler_polling_interval_sec": 5.0,
            }
        )
        DBOS.launch()  # on this thread, so that runs are played on this event loop
        for policy in policies.all():
            await DBOS.register_queue_async(
                queue_name(policy.name),
                partition_concurrency=policy.running,
                worker_concurrency=settings.worker_runs,
                polling_interval_sec=POLLING_SECONDS,
                on_conflict="always_update",
            )
        await DBOS.apply_schedules_async(
            [{"schedule_name": CLEAN, "workflow_fn": _clean, "schedule": cleaning, "context": None}]
        )
        await liveness.start()
        yield worker_id
    finally:
        with contextlib.suppress(Exception):
            await _let_finish(grace)
        await _destroy()
        _work = None
        await liveness.stop()
        await asyncio.to_thread(engine.dispose)


async def _destroy() -> None:
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1) as aside:
        await loop.run_in_executor(aside, DBOS.destroy)
    # DBOS had put its own threads in the place of the event loop's, and they are gone with it.
    loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="greenroom"))


async def _recover(worker_id: str) -> None:
    """Put what a dead worker was playing back into the queue, in its old place."""
    await asyncio.to_thread(DBOS._recover_pending_workflows, [worker_id])  # pyright: ignore[reportPrivateUsage] - the public way needs DBOS's own cloud service


async def _let_finish(grace: float) -> None:
    dbos = _get_dbos_instance()
    for stopping in dbos.background_thread_stop_events:
        stopping.set()  # nothing more is taken out of the queue
    playing = _playing(dbos)
    if playing and grace > 0:
        await asyncio.wait(playing, timeout=grace)
    # What is cancelled is not over: it stays as it is, to be taken up again.
    rest = _playing(dbos)
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=5)


def _playing(dbos: DBOS) -> list[asyncio.Task[Any]]:
    return [task for task in dbos._workflow_tasks if not task.done()]  # pyright: ignore[reportPrivateUsage] - DBOS has no way to wait for them on the event loop
