"""A worker of this service: it plays runs, and cleans up what is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import import_module

from greenroom.server.context import Context
from greenroom.server.credits.prices import price_list
from greenroom.server.database.tables import all_tables
from greenroom.server.policies.service import Policies
from greenroom.server.queue.client import Queue
from greenroom.server.queue.worker import Work, open_worker
from greenroom.server.retention.service import Retention
from greenroom.server.runs.accounts import Purses
from greenroom.server.runs.journal import open_journal
from greenroom.server.runs.outside import open_outside
from greenroom.server.runs.playing import Player


@asynccontextmanager
async def open_working(
    context: Context, queue: Queue, policies: Policies, *, grace: float = 20.0
) -> AsyncGenerator[str]:
    """Play runs until the end of the block; gives the worker's id. See `open_worker`."""
    all_tables()  # a worker has no routes that would load the rooms whose tables its own refer to
    prices = price_list(context.settings)
    purses = Purses(context)
    networks = context.settings.allow_private_networks
    async with (
        open_outside(purses.of_project, allow_private_networks=networks) as outside,
        open_journal(context.database, context.settings.url) as journal,
    ):
        player = Player(context, policies, outside, prices, journal)
        retention = Retention(context, queue, policies, prices)
        async with open_worker(context, policies, Work(player.play, retention.clean), grace=grace) as worker_id:
            # The providers' libraries take a second to load: not in the first run's time.
            loading = asyncio.create_task(asyncio.to_thread(import_module, "greenroom.brains.providers"))
            yield worker_id
            await loading
