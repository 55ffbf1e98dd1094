"""Tests of agents: making, changing and finding them. A test is checked against the draft of its agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.model.rules import check_test
from greenroom.server.agents import service as agents
from greenroom.server.audit import service as audit
from greenroom.server.content import from_store, keep_secrets, merge, read, to_store, told
from greenroom.server.context import Context
from greenroom.server.database.ids import is_id, new_id
from greenroom.server.etags import check_match
from greenroom.server.paging import Wish
from greenroom.server.problems import Conflict, Invalid, NotFound
from greenroom.server.security.who import Access
from greenroom.server.tests import store
from greenroom.server.tests.store import TestRow

NATIVE = "native"
_GONE = "This agent has no such test."
_LONGEST_TAG = 100
_MOST_TAGS = 50


@dataclass(frozen=True, slots=True)
class Rules:
    """What a test must keep to: the policy that it is made under, its limits, and how many an agent may have.
    `for_realtime` lets a test be kept with a realtime agent, though it cannot be run as long as the agent is one."""

    policy: str
    limits: Limits
    most: int
    for_realtime: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A test as it is played, with the policy that it was made under."""

    id: str
    test: Test
    policy: str
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered about a test, and the revision that it shows."""

    body: dict[str, Any]
    revision: int


def native_rules(context: Context) -> Rules:
    """The rules of tests that are made over the native API."""
    return Rules(NATIVE, Limits(), context.settings.tests_per_agent)


async def list_tests(
    context: Context, access: Access, agent_id: str, tags: Sequence[str], wish: Wish
) -> dict[str, Any]:
    """The tests of an agent that have all of `tags`, the newest first.

    Raises:
        NotFound: there is no such agent in this project.
    """
    async with context.database.reading() as session:
        await agents.find(session, access.project_id, agent_id)
        found = await store.list_tests(session, access.project_id, agent_id, tags, wish)
    return found.page(lambda row: _shown(row, from_store(Test, row.content, context.vault)).body)


async def create(
    context: Context, access: Access, agent_id: str, data: Mapping[str, Json], rules: Rules | None = None
) -> Answer:
    """Make a test.

    Raises:
        NotFound: there is no such agent in this project.
        Invalid: `data` is no test of this agent.
        Conflict: the agent has as many tests as it may.
    """
    rules = rules or native_rules(context)
    test = read(Test, keep_secrets(data, None))
    now = context.now()
    async with context.database.writing() as session:
        agent = agents.draft_of(context, await agents.find(session, access.project_id, agent_id, lock=True))
        if await store.count_tests(session, agent_id) >= rules.most:
            raise Conflict(f"This agent has {rules.most:,} tests, which is the most: delete one first.")
        await check(session, context, access, agent, test, rules)
        row = TestRow(
            id=new_id("tst"),
            project_id=access.project_id,
            agent_id=agent_id,
            name=test.name,
            content=to_store(test, context.vault),
            policy=rules.policy,
            revision=1,
            created_at=now,
            updated_at=now,
        )
        session.add(row)
        await session.flush()
        await store.set_tags(session, row.id, test.tags)
        audit.record(session, access, now, "test.created", row.id, {"name": row.name, "agent_id": agent_id})
    return _shown(row, test)


async def show(context: Context, access: Access, agent_id: str, test_id: str) -> Answer:
    """One test.

    Raises:
        NotFound: there is no such agent or test in this project.
    """
    async with context.database.reading() as session:
        row = await _find(session, access, agent_id, test_id)
    return _shown(row, from_store(Test, row.content, context.vault))


async def replace(
    context: Context,
    access: Access,
    agent_id: str,
    test_id: str,
    data: Mapping[str, Json],
    if_match: str | None = None,
    rules: Rules | None = None,
) -> Answer:
    """Put a test in the place of one that is there.

    Raises:
        NotFound: there is no such agent or test in this project.
        ChangedSince: it was changed since the state `if_match`.
        Invalid: `data` is no test of this agent.
    """
    async with context.database.writing() as session:
        row = await _find(session, access, agent_id, test_id, lock=True)
        check_match(if_match, row.revision)
        before = from_store(Test, row.content, context.vault)
        return await _set(session, context, access, row, read(Test, keep_secrets(data, before)), rules)


async def change(
    context: Context,
    access: Access,
    agent_id: str,
    test_id: str,
    patch: Mapping[str, Json],
    if_match: str | None = None,
    rules: Rules | None = None,
) -> Answer:
    """Change a test by a JSON Merge Patch.

    Raises:
        NotFound, ChangedSince, Invalid: as for `replace`.
    """
    async with context.database.writing() as session:
        row = await _find(session, access, agent_id, test_id, lock=True)
        check_match(if_match, row.revision)
        before = from_store(Test, row.content, context.vault)
        return await _set(session, context, access, row, read(Test, merge(before, patch)), rules)


async def remove(
    session: AsyncSession, context: Context, access: Access, agent_id: str, test_id: str, if_match: str | None = None
) -> None:
    """Delete a test, in an open transaction. What becomes of its runs is for whoever knows runs.

    Raises:
        NotFound, ChangedSince: as for `replace`.
    """
    row = await _find(session, access, agent_id, test_id, lock=True)
    check_match(if_match, row.revision)
    await session.delete(row)
    details: dict[str, Json] = {"name": row.name, "agent_id": agent_id}
    audit.record(session, access, context.now(), "test.deleted", row.id, details)


async def load(
    context: Context,
    access: Access,
    agent_id: str,
    *,
    ids: Sequence[str] | None = None,
    tags: Sequence[str] = (),
) -> list[Kept]:
    """Tests to play: those with `ids`, in that order, or all that have all of `tags`.

    Raises:
        NotFound: there is no such agent in this project.
        Invalid: one of `ids` is no test of this agent.
    """
    wanted = None if ids is None else list(dict.fromkeys(ids))
    async with context.database.reading() as session:
        await agents.find(session, access.project_id, agent_id)
        known = None if wanted is None else [each for each in wanted if is_id(each, "tst")]
        rows = await store.find_tests(session, access.project_id, agent_id, ids=known, tags=tags)
    by_id = {row.id: row for row in rows}
    if wanted is not None and not tags:
        missing = [
            Problem(("test_ids", index), f"this agent has no test `{each}`")
            for index, each in enumerate(wanted)
            if each not in by_id
        ]
        if missing:
            raise Invalid(missing)
    ordered = rows if wanted is None else [by_id[each] for each in wanted if each in by_id]
    return [_kept(context, row) for row in ordered]


async def load_one(context: Context, access: Access, agent_id: str, test_id: str) -> Kept:
    """One test to play.

    Raises:
        NotFound: there is no such agent or test in this project.
    """
    async with context.database.reading() as session:
        row = await _find(session, access, agent_id, test_id)
    return _kept(context, row)


async def check(
    session: AsyncSession, context: Context, access: Access, agent: Agent, test: Test, rules: Rules
) -> None:
    """
    Raises:
        Invalid: the test does not fit its agent or its limits.
    """
    others = await agents.others_of(session, context, access.project_id, agent)
    if rules.for_realtime:
        agent = agent.model_copy(update={"pipeline_mode": "cascade"})
    problems = [*_wrong_owner(test, agent), *_wrong_tags(test), *check_test(test, agent, others, rules.limits)]
    if problems:
        raise Invalid(problems)


async def _set(
    session: AsyncSession, context: Context, access: Access, row: TestRow, test: Test, rules: Rules | None
) -> Answer:
    agent = agents.draft_of(context, await agents.find(session, access.project_id, row.agent_id))
    await check(session, context, access, agent, test, rules or native_rules(context))
    row.name, row.content, row.updated_at = test.name, to_store(test, context.vault), context.now()
    row.revision += 1
    await store.set_tags(session, row.id, test.tags)
    details: dict[str, Json] = {"name": row.name, "agent_id": row.agent_id}
    audit.record(session, access, context.now(), "test.changed", row.id, details)
    return _shown(row, test)


async def _find(session: AsyncSession, access: Access, agent_id: str, test_id: str, *, lock: bool = False) -> TestRow:
    await agents.find(session, access.project_id, agent_id)
    row = (
        await store.find_test(session, access.project_id, agent_id, test_id, lock=lock)
        if is_id(test_id, "tst")
        else None
    )
    if row is None:
        raise NotFound(_GONE)
    return row


def _kept(context: Context, row: TestRow) -> Kept:
    test = from_store(Test, row.content, context.vault).model_copy(update={"id": row.id})
    return Kept(row.id, test, row.policy, row.created_at, row.updated_at, row.revision)


def _wrong_owner(test: Test, agent: Agent) -> list[Problem]:
    if test.agent is None or test.agent in (agent.id, agent.name):
        return []
    return [Problem(("agent",), f"this test is kept with `{agent.name}`: take `agent` out")]


def _wrong_tags(test: Test) -> list[Problem]:
    problems = [
        Problem(("tags", index), f"a tag has 1 to {_LONGEST_TAG} characters")
        for index, tag in enumerate(test.tags)
        if not tag.strip() or len(tag) > _LONGEST_TAG
    ]
    if len(test.tags) > _MOST_TAGS:
        problems.append(Problem(("tags",), f"a test has at most {_MOST_TAGS} tags"))
    return problems


def _shown(row: TestRow, test: Test) -> Answer:
    body = {
        "id": row.id,
        "agent_id": row.agent_id,
        **told(test),
        "version": row.revision,
        "policy": row.policy,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }
    return Answer(body, row.revision)
