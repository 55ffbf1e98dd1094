"""What the tests of the door `zavu` share: agents to test, and clients of the door and of the native API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from cryptography.fernet import Fernet
from tests.support.full_service import make_agent
from tests.support.web_service import Web

from greenroom.server.credits import service as credits
from greenroom.server.credits.service import Credits
from greenroom.server.settings import Settings

MESSAGE: dict[str, Any] = {"message": "Where is order ORD-12345?"}
LOOK_UP: dict[str, Any] = {
    "name": "look_up_order",
    "description": "Find an order",
    "parameters": {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
}
SAYS: list[dict[str, Any]] = [{"say": "It is on its way."}]
PICKS: list[dict[str, Any]] = [
    {"when": {"tool": "look_up_order"}, "say": "It arrives on Monday."},
    {"say": "Let me look.", "call": {"tool": "look_up_order", "arguments": {"order": "ORD-12345"}}},
]
PRICE = {"openai-compatible:m": {"input": 1_000_000, "output": 1_000_000}}
"""A millionth of the currency's unit a token."""

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "success": bool,
    "text": (str, type(None)),
    "error": (str, type(None)),
    "inputTokens": int,
    "outputTokens": int,
    "latencyMs": int,
    "knowledgeChunksUsed": int,
    "executedToolCalls": list,
    "warnings": list,
    "cost": (int, float),
    "plannedToolCalls": list,
}
"""Every documented field of an answer, in the order of the page."""


def agent_with(script: list[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    """An agent with a scripted brain."""
    llm: dict[str, Any] = {"model": "scripted:desk", "script": script or SAYS}
    return {"name": "Order desk", "prompt": "You answer questions about orders.", "llm": llm, **fields}


def agent_on(base_url: str, **fields: Any) -> dict[str, Any]:
    """An agent with a brain on a model server; `credential` is that of its brain, `house` the operator's."""
    llm: dict[str, Any] = {"model": "openai-compatible:m", "base_url": base_url}
    if "credential" in fields:
        llm["credential"] = fields.pop("credential")
    return {"name": "Order desk", "prompt": "You answer questions about orders.", "llm": llm, **fields}


def settings_in(folder: Path, house: str = "", **more: Any) -> Settings:
    """Settings for a service of the tests' own. `house` is where the operator's account of that name is at."""
    return Settings.model_validate(
        {
            "data": folder,
            "secret_keys": Fernet.generate_key().decode(),
            "allow_private_networks": True,
            "requests_per_minute": 0,
            "zavu_runs_per_minute": 0,
            "platform_credentials": json.dumps({"house": {"api_key": "k", "base_url": house or None}}),
            "platform_prices": json.dumps(PRICE),
            **more,
        }
    )


@dataclass(frozen=True)
class Guest:
    """A project of its own, and its clients."""

    web: Web
    project_id: str
    native: httpx.AsyncClient
    door: httpx.AsyncClient

    async def agent(self, agent: dict[str, Any] | None = None) -> str:
        """An agent of the project; its id."""
        return await make_agent(self.native, agent or agent_with())

    async def ask(self, agent_id: str, body: Any = None, **headers: str) -> httpx.Response:
        """A test run of an agent."""
        return await self.door.post(f"/v2/agents/{agent_id}/test", json=body or MESSAGE, headers=headers)

    async def answer(self, agent: dict[str, Any], **body: Any) -> dict[str, Any]:
        """What a test run of a new agent answers."""
        asked = await self.ask(await self.agent(agent), {**MESSAGE, **body})
        assert asked.status_code == 200, asked.text
        return asked.json()

    async def add_credits(self, amount: int) -> None:
        async with self.web.context.database.writing() as session:
            await credits.add_credits(session, self.project_id, amount, self.web.context.now())

    async def credits(self) -> Credits:
        async with self.web.context.database.reading() as session:
            return await credits.credits_of(session, self.project_id, self.web.context.now())

    async def is_balanced(self) -> bool:
        async with self.web.context.database.reading() as session:
            return await credits.is_balanced(session, self.project_id)


def with_key(web: Web, key: str | None) -> httpx.AsyncClient:
    """A client of the door with a key, or with none."""
    client = web.visitor(**({} if key is None else {"Authorization": f"Bearer {key}"}))
    client.base_url = "http://greenroom/zavu"
    return client


async def guest_of(web: Web, project_id: str | None = None) -> Guest:
    """A guest of a new project, or of one that is there."""
    project_id = project_id or await web.other_project()
    key = str((await web.key(project_id=project_id))["key"])
    return Guest(web, project_id, web.with_token(key), with_key(web, key))
