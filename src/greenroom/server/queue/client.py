"""Putting runs into the queue, from any process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from dbos import DBOS, DBOSClient
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.queue.engine import open_engine, queue_url
from greenroom.server.queue.serializer import JsonSerializer

APPLICATION = "greenroom"
PLAY = "greenroom.play"
STEPS_VERSION = "1"
"""Which way of making steps a run was started with: raised when a run of before could not be taken up any more."""

_log = logging.getLogger("greenroom.queue")
_OVER = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})


def queue_name(policy: str) -> str:
    """The queue in which the runs of a policy wait."""
    return f"runs.{policy}"


class Queue:
    """The queue, as those see it who start runs."""

    def __init__(self, client: DBOSClient) -> None:
        self._client = client

    async def put(self, session: AsyncSession, run_id: str, *, policy: str, tenant: str) -> None:
        """Put a run into the queue, within the transaction that makes the run: there is both or neither."""

        def put(connection: Connection) -> None:
            self._client.enqueue_in_transaction(
                connection,
                {
                    "workflow_name": PLAY,
                    "queue_name": queue_name(policy),
                    "workflow_id": run_id,
                    "queue_partition_key": tenant,
                    "app_version": STEPS_VERSION,
                },
                run_id,
            )

        await (await session.connection()).run_sync(put)

    async def take_out(self, run_ids: Sequence[str]) -> None:
        """Take runs out of the queue that are over before they began. One that stays does no harm: it is not played."""
        if run_ids:
            with contextlib.suppress(Exception):
                await self._client.cancel_workflows_async(list(run_ids))

    async def forget(self, run_ids: Sequence[str]) -> None:
        """Let go of what the queue remembers of finished runs."""
        if run_ids:
            await self._client.delete_workflows_async(list(run_ids))

    async def given_up(self, run_ids: Sequence[str]) -> list[str]:
        """Which of these runs the queue will not play (any more)."""
        if not run_ids:
            return []
        known = await self._client.list_workflows_async(workflow_ids=list(run_ids), load_input=False, load_output=False)
        alive = {each.workflow_id for each in known if each.status not in _OVER}
        return [run_id for run_id in run_ids if run_id not in alive]


@asynccontextmanager
async def open_queue(written: str, *, migrate: bool = True, pool_size: int = 3) -> AsyncGenerator[Queue]:
    """Open the queue in the database at a URL, and close it at the end."""
    if migrate:
        await asyncio.to_thread(DBOS.migrate, queue_url(written).render_as_string(hide_password=False))
    engine = await asyncio.to_thread(open_engine, written, pool_size=pool_size)
    client = await asyncio.to_thread(_connect, engine)
    try:
        yield Queue(client)
    finally:
        await asyncio.to_thread(client.destroy)
        await asyncio.to_thread(engine.dispose)


def _connect(engine: object) -> DBOSClient:
    return DBOSClient(
        system_database_engine=engine,  # pyright: ignore[reportArgumentType] - an engine, kept opaque for the thread
        serializer=JsonSerializer(),
        application_name=APPLICATION,
    )
