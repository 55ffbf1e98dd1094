"""A service to start runs in, without HTTP: database, queue, a project, and something to play."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.server.accounts.store import DeveloperRow
from greenroom.server.context import Context, open_context
from greenroom.server.credits import service as credits
from greenroom.server.database.ids import new_id
from greenroom.server.database.tables import all_tables
from greenroom.server.policies.policy import Policy
from greenroom.server.policies.service import Policies, native_policy
from greenroom.server.projects.store import ProjectRow
from greenroom.server.queue.client import Queue, open_queue
from greenroom.server.runs import service as runs
from greenroom.server.runs import store
from greenroom.server.runs.accounts import platform_credentials
from greenroom.server.runs.material import Material
from greenroom.server.runs.starting import Owner, Part, Started, Starter
from greenroom.server.settings import Settings

AGENT_ID = "agt_00000000000000000000000000"

BOOKING: dict[str, Json] = {
    "name": "Front desk",
    "prompt": "You book visits.",
    "greeting": "Front desk, hello.",
    "llm": {
        "model": "scripted:desk",
        "script": [
            {"when": "visit", "say": "Monday at nine is free."},
            {"say": "Very well."},
            {"role": "caller", "say": "I would like a visit.", "times": 1},
            {"role": "caller", "say": "Thanks, bye.", "hang_up": True},
            {"role": "judge", "answer": "yes", "reason": "It was."},
        ],
    },
}
VISIT: dict[str, Json] = {
    "name": "Books a visit",
    "caller": {"persona": "Ravi, who wants a visit."},
    "max_turns": 3,
    "checks": [{"type": "says", "text": "Monday"}, {"type": "judge", "question": "Was it polite?"}],
}


@dataclass(frozen=True, slots=True)
class Service:
    """A service with one project."""

    context: Context
    queue: Queue
    policies: Policies
    owner: Owner

    @property
    def starter(self) -> Starter:
        return Starter(self.context, self.queue, frozenset(platform_credentials(self.context.settings)))

    def part(
        self,
        agent: Mapping[str, Json] = BOOKING,
        test: Mapping[str, Json] = VISIT,
        *,
        policy: Policy | None = None,
        **changes: Json,
    ) -> Part:
        """The runs of a test; `changes` are made to the test."""
        material = Material(Agent.model_validate(agent), Test.model_validate({**test, **changes}))
        return Part(material, policy or self.policies.native, AGENT_ID)

    async def start(self, *parts: Part, owner: Owner | None = None) -> Started:
        return await self.starter.start(owner or self.owner, parts or [self.part()])

    async def add_project(self, developer_id: str | None = None) -> Owner:
        """Another project, of another developer unless one is given."""
        project_id = new_id("prj")
        now = self.context.now()
        async with self.context.database.writing() as session:
            if developer_id is None:
                developer_id = new_id("dev")
                session.add(
                    DeveloperRow(id=developer_id, email=f"{developer_id}@example.org", name="Dana", created_at=now)
                )
                await session.flush()
            session.add(ProjectRow(id=project_id, name=project_id, owner_id=developer_id, created_at=now))
        return Owner(project_id, developer_id)

    async def show(self, run_id: str, owner: Owner | None = None) -> dict[str, Any]:
        return await runs.show(self.context, (owner or self.owner).project_id, run_id)

    async def statuses(self, run_ids: Sequence[str]) -> list[str]:
        async with self.context.database.reading() as session:
            rows = [await store.run_by_id(session, run_id) for run_id in run_ids]
        return [row.status if row else "gone" for row in rows]

    async def all_over(self, run_ids: Sequence[str]) -> None:
        """Wait until these runs are over."""
        while any(status in store.UNFINISHED for status in await self.statuses(run_ids)):  # noqa: ASYNC110 - others end them
            await asyncio.sleep(0.02)

    async def balanced(self, owner: Owner | None = None) -> bool:
        async with self.context.database.reading() as session:
            return await credits.is_balanced(session, (owner or self.owner).project_id)

    async def credits(self, owner: Owner | None = None) -> credits.Credits:
        async with self.context.database.reading() as session:
            return await credits.credits_of(session, (owner or self.owner).project_id, self.context.now())

    async def add_credits(self, amount: int, owner: Owner | None = None) -> None:
        async with self.context.database.writing() as session:
            await credits.add_credits(session, (owner or self.owner).project_id, amount, self.context.now())


@asynccontextmanager
async def open_service(settings: Settings, *policies: Policy) -> AsyncGenerator[Service]:
    """Open a service with a project of one developer."""
    all_tables()
    async with open_context(settings) as context, open_queue(settings.url) as queue:
        known = Policies([native_policy(settings), *policies])
        bare = Service(context, queue, known, Owner("", ""))
        yield Service(context, queue, known, await bare.add_project())
