"""The API on each of the databases."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import httpx
import pytest
from tests.support.web_service import AGENT, TEST, Web, open_web

from greenroom.server.settings import Settings


@pytest.fixture
async def web(settings: Settings) -> AsyncGenerator[Web]:
    async with open_web(settings.model_copy(update={"requests_per_minute": 0})) as opened:
        yield opened


@pytest.fixture
async def client(web: Web) -> httpx.AsyncClient:
    """A client that may do everything in the default project."""
    return await web.client()


@pytest.fixture
async def agent(client: httpx.AsyncClient) -> str:
    """The URL of an agent."""
    return "/v1/agents/" + (await client.post("/v1/agents", json=AGENT)).json()["id"]


@pytest.fixture
async def test_url(client: httpx.AsyncClient, agent: str) -> str:
    """The URL of a test."""
    return f"{agent}/tests/" + (await client.post(f"{agent}/tests", json=TEST)).json()["id"]
