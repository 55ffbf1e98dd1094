"""The service's API in this process: real app, real database, requests over ASGI."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from fastapi import FastAPI

from greenroom.server.app import create_app
from greenroom.server.context import Context
from greenroom.server.keys import service as keys
from greenroom.server.projects import service as projects
from greenroom.server.security.who import Access, operator
from greenroom.server.serving import open_runs
from greenroom.server.settings import Settings

AGENT: dict[str, Any] = {
    "name": "Northline Dental",
    "prompt": "You book visits for {{company}}.",
    "variables": {"company": "Northline Dental"},
    "tools": [
        {"name": "book_slot", "description": "Book a visit"},
        {"name": "ticket", "http": {"url": "https://example.com/t", "headers": {"Authorization": "tool-s3cret"}}},
    ],
    "tool_webhook": {"url": "https://example.com/hook", "secret": "whsec_hook-s3cret"},
    "mcp_servers": [{"name": "crm", "url": "https://example.com/mcp", "headers": {"X-Key": "mcp-s3cret"}}],
    "can_end_call": True,
    "llm": {"model": "scripted:desk", "script": [{"say": "Monday is free."}, {"role": "caller", "say": "Thanks."}]},
}
TEST: dict[str, Any] = {
    "name": "Moves a booking",
    "caller": {"persona": "Ravi, a regular."},
    "checks": [{"type": "says", "text": "Monday"}],
    "tags": ["booking"],
}


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    time: datetime = field(default_factory=lambda: datetime(2026, 3, 1, 9, 30, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.time

    def move(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass(frozen=True)
class Web:
    """The API, and how to come in."""

    app: FastAPI
    clock: Clock
    project_id: str

    @property
    def context(self) -> Context:
        context: Context = self.app.state.context
        return context

    @property
    def operator(self) -> Access:
        return operator(self.project_id)

    def visitor(self, address: str = "203.0.113.7", **headers: str) -> httpx.AsyncClient:
        """A client without a key."""
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(address, 1))
        return httpx.AsyncClient(transport=transport, base_url="http://greenroom", headers=headers)

    async def key(self, scopes: Sequence[str] = ("all",), project_id: str | None = None, **more: Any) -> dict[str, Any]:
        """A new key."""
        return await keys.create(self.context, operator(project_id or self.project_id), "test key", scopes, **more)

    async def client(self, scopes: Sequence[str] = ("all",), project_id: str | None = None) -> httpx.AsyncClient:
        """A client with a new key."""
        return self.with_token((await self.key(scopes, project_id))["key"])

    def with_token(self, token: str, **headers: str) -> httpx.AsyncClient:
        return self.visitor(Authorization=f"Bearer {token}", **headers)

    async def other_project(self) -> str:
        """Another project, of nobody."""
        async with self.context.database.writing() as session:
            return projects.add_to(session, self.context, "other", owner_id=None).id


@asynccontextmanager
async def open_web(settings: Settings, clock: Clock | None = None, *, with_runs: bool = False) -> AsyncGenerator[Web]:
    """Start the API in this process; `with_runs`, runs can be queued, and nobody plays them."""
    clock = clock or Clock()

    @asynccontextmanager
    async def queue(app: FastAPI, context: Context) -> AsyncGenerator[None]:
        async with open_runs(app, context, worker=False):
            yield

    app = create_app(settings, companions=(queue,) if with_runs else (), now=clock)
    async with app.router.lifespan_context(app):
        project = await projects.find_by_word(app.state.context, "default")
        yield Web(app, clock, project.id)
