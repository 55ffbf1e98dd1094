"""The whole service in this process: API, MCP and a worker."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI

from greenroom.server.app import create_app
from greenroom.server.context import Context
from greenroom.server.credits import service as credits
from greenroom.server.keys import service as keys
from greenroom.server.projects import service as projects
from greenroom.server.security.who import operator
from greenroom.server.serving import open_runs
from greenroom.server.settings import Settings


@dataclass(frozen=True)
class FullService:
    """The service, and how to come in."""

    app: FastAPI
    project_id: str

    @property
    def context(self) -> Context:
        context: Context = self.app.state.context
        return context

    async def key(self, scopes: Sequence[str] = ("all",), project_id: str | None = None) -> str:
        """A new key."""
        access = operator(project_id or self.project_id)
        return str((await keys.create(self.context, access, "test key", scopes, None))["key"])

    async def client(self, scopes: Sequence[str] = ("all",), project_id: str | None = None) -> httpx.AsyncClient:
        """A client with a new key."""
        headers = {"Authorization": f"Bearer {await self.key(scopes, project_id)}"}
        transport = httpx.ASGITransport(self.app)
        return httpx.AsyncClient(transport=transport, base_url="http://greenroom", headers=headers, timeout=60)

    async def other_project(self) -> str:
        """Another project, of nobody."""
        async with self.context.database.writing() as session:
            return projects.add_to(session, self.context, "other", owner_id=None).id

    async def add_credits(self, amount: int) -> None:
        async with self.context.database.writing() as session:
            await credits.add_credits(session, self.project_id, amount, self.context.now())

    async def credits(self) -> credits.Credits:
        async with self.context.database.reading() as session:
            return await credits.credits_of(session, self.project_id, self.context.now())

    async def is_balanced(self) -> bool:
        async with self.context.database.reading() as session:
            return await credits.is_balanced(session, self.project_id)


@asynccontextmanager
async def open_full(settings: Settings) -> AsyncGenerator[FullService]:
    """Start all of the service."""

    @asynccontextmanager
    async def companion(app: FastAPI, context: Context) -> AsyncGenerator[None]:
        async with open_runs(app, context, worker=True):
            yield

    app = create_app(settings, companions=(companion,))
    async with app.router.lifespan_context(app):
        yield FullService(app, (await projects.find_by_word(app.state.context, "default")).id)


async def make_agent(client: httpx.AsyncClient, agent: Any, *tests: Any) -> str:
    """An agent with tests; its id."""
    made = await client.post("/v1/agents", json=agent)
    assert made.status_code == 201, made.text
    for test in tests:
        saved = await client.post(f"/v1/agents/{made.json()['id']}/tests", json=test)
        assert saved.status_code == 201, saved.text
    return str(made.json()["id"])
