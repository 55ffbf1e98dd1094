"""A run as it happens, as server-sent events, from any process and from wherever a listener left off."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator

from fastapi.encoders import jsonable_encoder

from greenroom.server.context import Context
from greenroom.server.runs import service, store, telling

LOOK_EVERY = 0.2
KEEP_ALIVE = 15.0
_SOME = 500


async def follow(context: Context, project_id: str, run_id: str, after: int) -> AsyncGenerator[str]:
    """The events of a run after the one with the number `after`, up to its end: the last one is `finished`, with the
    whole run. Whoever comes late to a run that has long been over gets that one alone."""
    last, silent_since = after, time.monotonic()
    while True:
        async with context.database.reading() as session:
            # Looked at first: a run that is over by now has written all its events.
            row = await service.find(session, project_id, run_id)
            events = await store.events_after(session, run_id, last, _SOME)
            whole = await telling.whole(session, row) if row.is_over and len(events) < _SOME else None
        for event in events:
            last = event.number
            yield _written(last, str(event.body["event"]), event.body)
        if whole is not None:
            if row.last_event > after:
                yield _written(row.last_event, "finished", {"event": "finished", "run": whole})
            return
        now = time.monotonic()
        if events:
            silent_since = now
        elif now - silent_since >= KEEP_ALIVE:
            silent_since = now
            yield ": still here\n\n"
        if len(events) < _SOME:
            await asyncio.sleep(LOOK_EVERY)


def _written(number: int, name: str, body: object) -> str:
    text = json.dumps(jsonable_encoder(body), ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {name}\ndata: {text}\n\n"
