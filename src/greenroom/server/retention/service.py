"""Lets go of what has been kept long enough, a bounded number at a time, and ends runs that nobody plays any more."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from greenroom.server.context import Context
from greenroom.server.credits.prices import PriceList
from greenroom.server.policies.policy import Policy
from greenroom.server.policies.service import Policies
from greenroom.server.queue.client import Queue
from greenroom.server.runs import service as runs

BATCH = 200
MOST_BATCHES = 200
EVENTS_KEPT = timedelta(hours=1)
"""How long a finished run can still be followed event by event."""
LOST_AFTER = timedelta(minutes=1)

_log = logging.getLogger("greenroom.retention")


class Retention:
    """The cleaning of one service. Workers take turns; what one has done, another finds done."""

    def __init__(self, context: Context, queue: Queue, policies: Policies, prices: PriceList) -> None:
        self._context = context
        self._queue = queue
        self._policies = policies
        self._prices = prices

    async def clean(self) -> None:
        """Do all that is due, each kind on its own: one that fails does not keep the others."""
        await self._try("runs without a player", self.end_lost)
        await self._try("events of finished runs", lambda: self._repeat(self._drop_events))
        await self._try("runs of what was deleted", lambda: self._repeat(self._drop_dropped))
        for policy in self._policies.all():
            await self._try("runs past their time", lambda p=policy: self._repeat(lambda: self._drop_runs(p)))
        await self._try("empty batches", lambda: self._repeat(self._drop_batches))

    async def end_lost(self) -> int:
        """End runs that the queue does not know (any more) as errors; how many. Such runs are a fault of ours, and must
        not count as waiting for ever."""
        before = self._context.now() - LOST_AFTER
        run_ids = await runs.unfinished_since(self._context, before, BATCH)
        lost = await self._queue.given_up(run_ids)
        for run_id in lost:
            _log.error("run %s: the queue has given it up", run_id)
            await runs.end_lost(self._context, run_id, self._prices)
        return len(lost)

    async def _drop_events(self) -> int:
        run_ids = await runs.drop_events(self._context, self._context.now() - EVENTS_KEPT, BATCH)
        await self._queue.forget(run_ids)
        return len(run_ids)

    async def _drop_runs(self, policy: Policy) -> int:
        before = self._context.now() - timedelta(days=policy.retention_days)
        run_ids = await runs.due_for_deletion(self._context, policy, before, BATCH)
        await self._queue.forget(run_ids)
        return await runs.delete(self._context, run_ids)

    async def _drop_dropped(self) -> int:
        run_ids = await runs.dropped(self._context, BATCH)
        await self._queue.forget(run_ids)
        return await runs.delete(self._context, run_ids)

    async def _drop_batches(self) -> int:
        return await runs.drop_empty_batches(self._context, self._context.now() - EVENTS_KEPT, BATCH)

    async def _repeat(self, once: Callable[[], Awaitable[int]]) -> int:
        total = 0
        for _ in range(MOST_BATCHES):
            count = await once()
            total += count
            if count < BATCH:
                break
        return total

    async def _try(self, what: str, do: Callable[[], Awaitable[int]]) -> None:
        try:
            count = await do()
        except Exception:  # noqa: BLE001 - the rest is to be cleaned all the same
            _log.exception("cleaning up %s failed", what)
        else:
            if count:
                _log.info("cleaned up %s: %d", what, count)
