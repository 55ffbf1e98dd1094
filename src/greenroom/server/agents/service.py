"""Agents: making, editing, publishing and comparing them.

An agent is edited as a draft; publishing keeps the draft as the next numbered version, which never changes. What is
asked for as "the agent" is its last published version, or the draft where nothing was published yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.server.agents import store
from greenroom.server.agents.differences import differences
from greenroom.server.agents.rules import check_kept_agent
from greenroom.server.agents.store import AgentRow, VersionRow
from greenroom.server.audit import service as audit
from greenroom.server.content import from_store, keep_secrets, merge, read, to_store, told
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.etags import check_match
from greenroom.server.paging import Wish, cursor_for
from greenroom.server.problems import Conflict, Invalid, NotFound
from greenroom.server.security.who import Access

State = Literal["draft", "published"] | int
"""A state of an agent: its draft, its last version (the draft where there is none), or the version of a number."""

_GONE = "There is no such agent in this project."


@dataclass(frozen=True, slots=True)
class Loaded:
    """An agent with its secrets, ready to be played. `version` is `None` for a draft."""

    agent: Agent
    version: int | None
    revision: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered about an agent, and the revision that it shows."""

    body: dict[str, Any]
    revision: int


async def list_agents(context: Context, access: Access, wish: Wish) -> dict[str, Any]:
    """The agents of the project, the newest first, without their content."""
    async with context.database.reading() as session:
        return (await store.list_agents(session, access.project_id, wish)).page(_head)


async def create(context: Context, access: Access, data: Mapping[str, Json], *, publish: bool = True) -> Answer:
    """Make an agent, and publish it as its first version if not asked otherwise.

    Raises:
        Invalid: `data` is no agent that can be kept here.
        Conflict: the project has as many agents as it may.
    """
    agent = _checked(context, read(Agent, keep_secrets(data, None)))
    now = context.now()
    row = AgentRow(
        id=new_id("agt"),
        project_id=access.project_id,
        name=agent.name,
        draft=to_store(agent, context.vault),
        revision=1,
        version=None,
        published_revision=None,
        created_at=now,
        updated_at=now,
    )
    async with context.database.writing() as session:
        most = context.settings.agents_per_project
        if await store.count_agents(session, access.project_id) >= most:
            raise Conflict(f"This project has {most:,} agents, which is the most: delete one first.")
        session.add(row)
        await session.flush()
        audit.record(session, access, now, "agent.created", row.id, {"name": row.name})
        if publish:
            _publish(session, context, access, row, note=None)
    return _shown(row, agent, row.version)


async def show(context: Context, access: Access, agent_id: str, state: State = "published") -> Answer:
    """One state of an agent.

    Raises:
        NotFound: there is no such agent or version in this project.
    """
    async with context.database.reading() as session:
        row = await find(session, access.project_id, agent_id)
        loaded = await _load(session, context, row, state)
    return _shown(row, loaded.agent, loaded.version)


async def change(
    context: Context, access: Access, agent_id: str, patch: Mapping[str, Json], if_match: str | None = None
) -> Answer:
    """Change an agent and publish the change as its next version.

    Raises:
        NotFound: there is no such agent in this project.
        ChangedSince: it was changed since the state `if_match`.
        Conflict: its draft holds changes that would be published unseen.
        Invalid: it would be no agent any more.
    """
    async with context.database.writing() as session:
        row = await find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        if row.version is not None and has_changes(row):
            raise Conflict("The draft has changes that are not published: publish or discard them first.")
        agent = _edit(context, access, session, row, patch)
        _publish(session, context, access, row, note=None)
        return _shown(row, agent, row.version)


async def change_draft(
    context: Context, access: Access, agent_id: str, patch: Mapping[str, Json], if_match: str | None = None
) -> Answer:
    """Change the draft of an agent.

    Raises:
        NotFound, ChangedSince, Invalid: as for `change`.
    """
    async with context.database.writing() as session:
        row = await find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        return _shown(row, _edit(context, access, session, row, patch), None)


async def discard_draft(context: Context, access: Access, agent_id: str, if_match: str | None = None) -> Answer:
    """Set the draft back to the last published version.

    Raises:
        NotFound, ChangedSince: as for `change`.
        Conflict: nothing was published yet.
    """
    async with context.database.writing() as session:
        row = await find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        if row.version is None:
            raise Conflict("Nothing was published yet, so that there is nothing to go back to.")
        version = await _version(session, row, row.version)
        row.draft, row.updated_at = version.content, context.now()
        row.revision += 1
        agent = from_store(Agent, row.draft, context.vault)
        row.name, row.published_revision = agent.name, row.revision
        audit.record(session, access, context.now(), "agent.draft_discarded", row.id)
        return _shown(row, agent, None)


async def publish(
    context: Context, access: Access, agent_id: str, note: str | None, if_match: str | None = None
) -> Answer:
    """Keep the draft as the next version. Where nothing changed since the last one, that one stays the last.

    Raises:
        NotFound, ChangedSince: as for `change`.
    """
    async with context.database.writing() as session:
        row = await find(session, access.project_id, agent_id, lock=True)
        check_match(if_match, row.revision)
        if row.version is None or has_changes(row):
            _publish(session, context, access, row, note)
        return _shown(row, from_store(Agent, row.draft, context.vault), row.version)


async def remove(
    session: AsyncSession, context: Context, access: Access, agent_id: str, if_match: str | None = None
) -> None:
    """Delete an agent with its versions and tests, in an open transaction. What becomes of its runs is for whoever
    knows runs.

    Raises:
        NotFound, ChangedSince: as for `change`.
    """
    row = await find(session, access.project_id, agent_id, lock=True)
    check_match(if_match, row.revision)
    await session.delete(row)
    audit.record(session, access, context.now(), "agent.deleted", row.id, {"name": row.name})


async def list_versions(context: Context, access: Access, agent_id: str, wish: Wish) -> dict[str, Any]:
    """The versions of an agent, the newest first, without their content.

    Raises:
        NotFound: there is no such agent in this project.
        Invalid: the cursor is of another list.
    """
    if wish.after is not None and not (wish.after.isdigit() and len(wish.after) < 10):
        raise Invalid([Problem(("cursor",), "this `cursor` is of another list")])
    async with context.database.reading() as session:
        row = await find(session, access.project_id, agent_id)
        before = int(wish.after) if wish.after else None
        found = await store.list_versions(session, row.id, before, wish.limit + 1)
    kept = found[: wish.limit]
    return {
        "items": [_version_head(each) for each in kept],
        "next_cursor": cursor_for(str(kept[-1].number)) if len(found) > wish.limit else None,
    }


async def compare(context: Context, access: Access, agent_id: str, one: State, other: State) -> dict[str, Any]:
    """What is different between two states of an agent.

    Raises:
        NotFound: there is no such agent or version in this project.
    """
    async with context.database.reading() as session:
        row = await find(session, access.project_id, agent_id)
        before = await _load(session, context, row, one)
        after = await _load(session, context, row, other)
    return {
        "from": before.version or "draft",
        "to": after.version or "draft",
        "changes": differences(before.agent, after.agent),
    }


async def require(context: Context, access: Access, agent_id: str) -> None:
    """
    Raises:
        NotFound: there is no such agent in this project.
    """
    async with context.database.reading() as session:
        await find(session, access.project_id, agent_id)


async def load(context: Context, access: Access, agent_id: str, state: State) -> Loaded:
    """An agent as it is played, with its secrets.

    Raises:
        NotFound: there is no such agent or version in this project.
    """
    async with context.database.reading() as session:
        return await _load(session, context, await find(session, access.project_id, agent_id), state)


async def load_others(context: Context, access: Access, agent: Agent, state: State = "published") -> dict[str, Agent]:
    """The agents that a talk of `agent` may move to, by their ids. What is not there (any more) is left out."""
    async with context.database.reading() as session:
        return await others_of(session, context, access.project_id, agent, state)


async def others_of(
    session: AsyncSession, context: Context, project_id: str, agent: Agent, state: State = "published"
) -> dict[str, Agent]:
    """The same, in an open transaction."""
    found: dict[str, Agent] = {}
    asked: set[str] = set()
    left = list(agent.can_hand_off)
    while left:
        word = left.pop()
        if word in asked:
            continue
        asked.add(word)
        row = (
            await store.find_agent(session, project_id, word)
            if is_id(word, "agt")
            else await store.find_named(session, project_id, word)
        )
        if row is not None and row.id not in found and row.id != agent.id:
            found[row.id] = (await _load(session, context, row, state)).agent
            left.extend(found[row.id].can_hand_off)
    return found


async def find(session: AsyncSession, project_id: str, agent_id: str, *, lock: bool = False) -> AgentRow:
    """The row of an agent, in an open transaction.

    Raises:
        NotFound: there is no such agent in this project.
    """
    row = await store.find_agent(session, project_id, agent_id, lock=lock) if is_id(agent_id, "agt") else None
    if row is None:
        raise NotFound(_GONE)
    return row


def draft_of(context: Context, row: AgentRow) -> Agent:
    """The draft of an agent, with its secrets."""
    return _with_id(from_store(Agent, row.draft, context.vault), row.id)


def has_changes(row: AgentRow) -> bool:
    """Whether the draft is another than the last published version."""
    return row.published_revision != row.revision


def set_draft(session: AsyncSession, context: Context, access: Access, row: AgentRow, agent: Agent) -> None:
    """Make `agent` the draft, in an open transaction.

    Raises:
        Invalid: it cannot be kept here.
    """
    before = from_store(Agent, row.draft, context.vault)
    _checked(context, agent)
    changed = sorted({str(each["field"]).partition(".")[0].partition("[")[0] for each in differences(before, agent)})
    if not changed:
        return
    row.draft = to_store(agent, context.vault)
    row.name, row.updated_at = agent.name, context.now()
    row.revision += 1
    audit.record(session, access, context.now(), "agent.draft_changed", row.id, {"fields": [*changed]})


def _edit(context: Context, access: Access, session: AsyncSession, row: AgentRow, patch: Mapping[str, Json]) -> Agent:
    agent = read(Agent, merge(from_store(Agent, row.draft, context.vault), patch))
    set_draft(session, context, access, row, agent)
    return agent


def _publish(session: AsyncSession, context: Context, access: Access, row: AgentRow, note: str | None) -> None:
    row.version = (row.version or 0) + 1
    row.published_revision = row.revision
    row.updated_at = context.now()
    session.add(
        VersionRow(
            agent_id=row.id,
            number=row.version,
            content=row.draft,
            note=note,
            author=access.actor_name,
            created_at=context.now(),
        )
    )
    audit.record(session, access, context.now(), "agent.published", row.id, {"version": row.version})


async def _load(session: AsyncSession, context: Context, row: AgentRow, state: State) -> Loaded:
    if state == "draft" or (state == "published" and row.version is None):
        return Loaded(draft_of(context, row), None, row.revision)
    number = row.version if state == "published" else state
    assert isinstance(number, int)  # noqa: S101 - the other states are handled above
    version = await _version(session, row, number)
    return Loaded(_with_id(from_store(Agent, version.content, context.vault), row.id), number, row.revision)


async def _version(session: AsyncSession, row: AgentRow, number: int) -> VersionRow:
    found = await store.find_version(session, row.id, number) if 0 < number < 2**31 else None
    if found is None:
        raise NotFound(f"This agent has no version {number}.")
    return found


def _with_id(agent: Agent, agent_id: str) -> Agent:
    return agent.model_copy(update={"id": agent_id})


def _checked(context: Context, agent: Agent) -> Agent:
    problems = check_kept_agent(agent, Limits(), context.settings.knowledge_characters)
    if problems:
        raise Invalid(problems)
    return agent


def _head(row: AgentRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "published_version": row.version,
        "has_changes": has_changes(row),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _shown(row: AgentRow, agent: Agent, version: int | None) -> Answer:
    return Answer({**_head(row), **told(agent), "id": row.id, "version": version}, row.revision)


def _version_head(row: VersionRow) -> dict[str, Any]:
    return {"version": row.number, "note": row.note, "author": row.author, "created_at": row.created_at}
