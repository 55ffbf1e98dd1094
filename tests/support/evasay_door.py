"""What the tests of the door `evasay` share: bodies as its page has them, agents to test, and clients."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import SecretStr
from tests.support.door_service import DoorService

from greenroom.server.credits import service as credits

VOICE = "/api/v1/voice"
SIMULATION: dict[str, Any] = {
    "name": "Wants another day",
    "scenario": "Ana, who comes often, has a visit on Friday at three and would rather come on Saturday morning.",
    "success_criteria": "Names free times on Saturday and says the new time and Ana's name back.",
    "max_turns": 8,
}
CHAT: list[dict[str, str]] = [
    {"role": "caller", "text": "Hello, Ana here."},
    {"role": "agent", "text": "Hello Ana, what can I do?"},
    {"role": "caller", "text": "Book me for Saturday at ten."},
]
NEXT_REPLY: dict[str, Any] = {
    "type": "next_reply",
    "name": "Confirms the time",
    "chat_history": CHAT,
    "success_criteria": "Says that Saturday at ten is booked.",
}
TOOL_CALL: dict[str, Any] = {
    "type": "tool_call",
    "name": "Books the slot",
    "chat_history": CHAT,
    "expected_tool": {"name": "book_slot", "arguments": {"day": "saturday"}},
}
BOOK_SLOT: dict[str, Any] = {
    "name": "book_slot",
    "description": "Book a visit",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}, "time": {"type": "string"}}},
}
DRAFTS: list[dict[str, Any]] = [
    {
        "name": "Comes late",
        "kind": "simulation",
        "persona": "Ravi, who is stuck in traffic.",
        "max_turns": 5,
        "criteria": [{"text": "Stays friendly.", "required": True}, {"text": "Offers a later time.", "required": True}],
    },
    {
        "name": "Asks for Sunday",
        "kind": "next_reply",
        "history": [{"role": "caller", "text": "Are you open on Sunday?"}],
        "criteria": [{"text": "Says no.", "required": True}],
    },
    {
        "name": "Books Monday",
        "kind": "tool_call",
        "history": [{"role": "caller", "text": "Monday at nine, please book it."}],
        "criteria": [],
        "expected_call": {"tool": "book_slot", "arguments": '{"day": "Monday"}', "match": "judge"},
    },
]
SCRIPT: list[dict[str, Any]] = [
    {"when": {"tool": "book_slot"}, "say": "Saturday at ten is booked, Ana."},
    {
        "when": "Book me",
        "say": "One moment.",
        "call": {"tool": "book_slot", "arguments": {"day": " Saturday ", "time": "10:00"}},
    },
    {"when": "Saturday", "say": "Saturday at ten is free."},
    {"say": "Goodbye.", "hang_up": True},
    {"role": "caller", "say": "May I come on Saturday?", "times": 1},
    {"role": "caller", "say": "Book me for Saturday at ten.", "times": 1},
    {"role": "caller", "say": "Thank you, bye.", "hang_up": True},
    {"role": "judge", "answer": "yes", "reason": "It said “Saturday at ten is booked”.", "quote": "at ten is booked"},
    {"role": "author", "say": json.dumps({"tests": DRAFTS})},
]
AGENT: dict[str, Any] = {
    "name": "Front desk",
    "prompt": "You book visits.",
    "greeting": "Front desk, hello.",
    "can_end_call": True,
    "can_transfer": {"to": "+15550100"},
    "tools": [BOOK_SLOT],
    "llm": {"model": "scripted:desk", "script": SCRIPT},
}


BREAKS: dict[str, Any] = {**AGENT, "llm": {"model": "scripted:desk", "script": [{"when": "never", "say": "?"}]}}
PLATFORM: dict[str, Any] = {
    "platform_credentials": SecretStr('{"house": {"api_key": "k"}}'),
    "platform_prices": '{"scripted:desk": {"input": 1000000, "output": 1000000}}',
}
"""Settings with an account of the operator's, `house`, on which scripted brains cost something."""


def scripted(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An agent that goes by these rules, beside a caller and a judge who agree with everything."""
    rest = [
        {"role": "caller", "say": "Very well."},
        {"role": "judge", "answer": "yes", "reason": "So it was."},
    ]
    return {**AGENT, "llm": {"model": "scripted:desk", "script": [*rules, *rest]}, **more}


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    """An agent whose first reply is a call."""
    return scripted({"call": {"tool": name, "arguments": arguments}})


@dataclass(frozen=True)
class Clients:
    """Clients of one project: of the native API and of the door."""

    native: httpx.AsyncClient
    door: httpx.AsyncClient

    async def agent(self, agent: Mapping[str, Any] = AGENT, **more: Any) -> str:
        """A new agent; its id."""
        made = await self.native.post("/v1/agents", json={**agent, **more})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    async def test(self, agent_id: str, test: Mapping[str, Any] = SIMULATION, **more: Any) -> dict[str, Any]:
        """A new test of an agent."""
        made = await self.door.post(f"{VOICE}/agents/{agent_id}/tests", json={**test, **more})
        assert made.status_code == 201, made.text
        return made.json()

    async def started(self, agent_id: str, body: Any = None) -> dict[str, Any]:
        """Runs of an agent's tests, just started."""
        answer = await self.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={} if body is None else body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def over(self, run_id: str) -> dict[str, Any]:
        """A run, once it is over."""
        async with asyncio.timeout(30):
            while True:
                answer = await self.door.get(f"{VOICE}/test-runs/{run_id}")
                assert answer.status_code == 200, answer.text
                if answer.json()["status"] != "running":
                    return answer.json()
                await asyncio.sleep(0.05)

    async def all_over(self, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return [await self.over(run["id"]) for run in runs]

    async def played(self, agent: Mapping[str, Any], *tests: Mapping[str, Any], **body: Any) -> list[dict[str, Any]]:
        """The runs of new tests of a new agent, once they are over, in the order of the tests."""
        agent_id = await self.agent(agent)
        for test in tests:
            await self.test(agent_id, test)
        return await self.all_over((await self.started(agent_id, body))["runs"])


@dataclass(frozen=True)
class Purse:
    """A project of its own, with so many credits, and its clients."""

    service: DoorService
    clients: Clients
    project_id: str

    async def standing(self) -> tuple[int, int]:
        """Balance and what is held, in millionths."""
        told = (await self.clients.native.get("/v1/credits")).json()
        return told["balance"], told["held"]

    async def charges(self) -> list[int]:
        """What the ledger took, the oldest first, and that it adds up."""
        ledger = (await self.clients.native.get("/v1/credits/ledger")).json()["items"]
        balance, _ = await self.standing()
        assert sum(row["amount"] for row in ledger) == balance
        return [row["amount"] for row in reversed(ledger) if row["kind"] == "run"]


@asynccontextmanager
async def purse(service: DoorService, amount: int) -> AsyncGenerator[Purse]:
    """A project with `amount` millionths."""
    project_id = await service.other_project()
    if amount:
        async with service.context.database.writing() as session:
            await credits.add_credits(session, project_id, amount, service.context.now())
    key = await service.key(project_id=project_id)
    async with service.native(key) as native, service.door("evasay", Authorization=f"Bearer {key}") as door:
        yield Purse(service, Clients(native, door), project_id)


def refusal(answer: httpx.Response, status: int, code: str) -> str:
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert list(answer.json()["error"]) == ["code", "message"]
    assert answer.json()["error"]["code"] == code, answer.text
    message = answer.json()["error"]["message"]
    assert message.endswith((".", "!", "?"))
    assert "\n" not in message
    return str(message)
