"""Deleting tests and agents, with the runs that belong to them.

Their runs are gone at once for whoever looks: what waits is over, what plays is asked to stop. The rows go a while
later, in bounded batches, once they are over.
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.server.agents import service as agents
from greenroom.server.context import Context
from greenroom.server.queue.client import Queue
from greenroom.server.runs import ending, old_store, store
from greenroom.server.security.who import Access
from greenroom.server.tests import service as tests


async def delete_test(
    context: Context, queue: Queue | None, access: Access, agent_id: str, test_id: str, if_match: str | None = None
) -> None:
    """Delete a test and its runs.

    Raises:
        NotFound: there is no such agent or test in this project.
        ChangedSince: it was changed since the state `if_match`.
    """
    async with context.database.writing() as session:
        await tests.remove(session, context, access, agent_id, test_id, if_match)
        stopped = await _drop(session, context, access.project_id, test_id=test_id)
    if queue is not None:
        await queue.take_out(stopped)


async def delete_agent(
    context: Context, queue: Queue | None, access: Access, agent_id: str, if_match: str | None = None
) -> None:
    """Delete an agent with its versions and tests, and all its runs.

    Raises:
        NotFound: there is no such agent in this project.
        ChangedSince: it was changed since the state `if_match`.
    """
    async with context.database.writing() as session:
        await agents.remove(session, context, access, agent_id, if_match)
        stopped = await _drop(session, context, access.project_id, agent_id=agent_id)
    if queue is not None:
        await queue.take_out(stopped)


async def _drop(session: AsyncSession, context: Context, project_id: str, **which: str) -> list[str]:
    """Let runs go; those of them that were waiting."""
    stopped: list[str] = []
    unfinished = store.matching(project_id, status=store.UNFINISHED, **which)
    for row in (await session.scalars(unfinished)).all():
        if await ending.end_unplayed(session, context, row):
            stopped.append(row.id)
        else:
            await store.ask_to_stop(session, row.id, context.now())
    await old_store.drop_runs(session, project_id, **which)
    return stopped
