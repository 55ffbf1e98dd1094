"""Sealing the secrets of all agents with the newest key."""

from __future__ import annotations

from greenroom.server.agents import store
from greenroom.server.content import reseal
from greenroom.server.context import Context

_BATCH = 50


async def reseal_all(context: Context) -> int:
    """Seal the secrets of all agents, their drafts and versions, with the newest key; how many agents there were."""
    count, after = 0, ""
    while True:
        async with context.database.writing() as session:
            rows = await store.agents_after(session, after, _BATCH)
            for row in rows:
                row.draft = reseal(row.draft, context.vault)
                for version in await store.all_versions(session, row.id):
                    version.content = reseal(version.content, context.vault)
        if not rows:
            return count
        count, after = count + len(rows), rows[-1].id
