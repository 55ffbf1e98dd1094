"""Forgetting what is over: counters, kept answers, old entries of the record of changes, sessions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import structlog

from greenroom.server.accounts import service as accounts
from greenroom.server.audit import service as audit
from greenroom.server.context import Context
from greenroom.server.drafts import service as drafts
from greenroom.server.idempotency import replaying
from greenroom.server.rates import service as rates
from greenroom.server.runs import immediate

_EVERY_SECONDS = 600.0


async def tidy(context: Context) -> None:
    """Forget what is over."""
    await rates.forget_old(context)
    await replaying.forget_old(context)
    await accounts.forget_old(context)
    await drafts.forget_old(context)
    await immediate.forget_old(context)
    await audit.forget_before(context, context.now() - timedelta(days=context.settings.audit_days))


@asynccontextmanager
async def tidying(context: Context) -> AsyncGenerator[None]:
    """Tidy now and then until the end of the block."""
    task = asyncio.create_task(_keep_tidy(context), name="tidying")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _keep_tidy(context: Context) -> None:
    log: Any = structlog.get_logger("greenroom.tidying")
    while True:
        try:
            await tidy(context)
        except Exception:
            log.exception("tidying failed")
        await asyncio.sleep(_EVERY_SECONDS)
