"""A brain whose providers all live on a loopback model server, and which does not wait between tries."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from tests.support.model_server import ModelServer
from tests.support.model_server_requests import KEYS

from greenroom.brains.connect import connect_brain
from greenroom.brains.retry import RetryPolicy
from greenroom.model.talk import Brain


@pytest.fixture
async def server() -> AsyncGenerator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
def environ(server: ModelServer) -> dict[str, str]:
    return {
        **KEYS,
        "OPENAI_BASE_URL": server.openai_url,
        "ANTHROPIC_BASE_URL": server.anthropic_url,
        "GOOGLE_GEMINI_BASE_URL": server.google_url,
        "OLLAMA_BASE_URL": server.url,
    }


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the brain wanted to wait between its tries."""
    return []


@pytest.fixture
async def brain(environ: dict[str, str], waits: list[float]) -> AsyncGenerator[Brain]:
    async def wait(seconds: float) -> None:
        waits.append(seconds)

    async with connect_brain(environ=environ, retry=RetryPolicy(sleep=wait)) as brain:
        yield brain
