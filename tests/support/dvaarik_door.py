"""What the tests of the door `dvaarik` share: the bodies of its page, agents to test, and clients of both doors."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from cryptography.fernet import Fernet

from greenroom.server.accounts import members
from greenroom.server.accounts import service as accounts
from greenroom.server.accounts.store import MemberRow
from greenroom.server.context import Context
from greenroom.server.projects import service as projects
from greenroom.server.security.scopes import Role
from greenroom.server.security.who import operator
from greenroom.server.settings import Settings

KEY = "X-Api-Key"
OVER = ("passed", "failed", "error", "cancelled")
_PASSWORD = "four plain words here"

TEST: dict[str, Any] = {
    "name": "Moves a booking",
    "caller_persona": "Ravi, a regular. He wants to move Saturday 4 PM to Monday morning and is in a hurry.",
    "opening_line": "Hi, I need to change my booking.",
    "max_turns": 6,
    "variables": {"company": "Northline Dental"},
    "tool_results": {"book_slot": {"ok": True, "slot": "Monday 10:00"}},
    "checks": [
        {"type": "calls_tool", "tool": "book_slot", "arguments": ["day"]},
        {"type": "says", "text": "Monday"},
        {"type": "never_says", "text": "guarantee"},
        {"type": "judge", "question": "Did the agent read the new time back before ending?"},
    ],
}
BOOK_SLOT: dict[str, Any] = {
    "name": "book_slot",
    "description": "Book a visit",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
}
SCRIPT: list[dict[str, Any]] = [
    {"when": {"tool": "book_slot"}, "say": "You are booked for Monday at ten."},
    {"when": "change my booking", "call": {"tool": "book_slot", "arguments": {"day": "Monday"}}},
    {"say": "Goodbye.", "hang_up": True},
    {"role": "caller", "say": "Thank you."},
    {"role": "judge", "answer": "yes", "reason": "It said Monday at ten.", "quote": "Monday at ten"},
]
AGENT: dict[str, Any] = {
    "name": "Front desk",
    "prompt": "You book visits for {{company}}.",
    "greeting": "{{company}}, this is Maya.",
    "variables": {"company": "Northline", "city": "Pune"},
    "can_end_call": True,
    "tools": [BOOK_SLOT],
    "llm": {"model": "scripted:desk", "script": SCRIPT},
}


def settings_in(folder: Path, **more: Any) -> Settings:
    """Settings of a service on a SQLite file of its own."""
    return Settings.model_validate(
        {
            "data": folder,
            "database_url": f"sqlite:///{folder / 'greenroom.db'}",
            "secret_keys": Fernet.generate_key().decode(),
            "allow_private_networks": True,
            "requests_per_minute": 0,
            "sign_ins_per_minute": 1000,
            **more,
        }
    )


def scripted(*rules: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An agent that goes by these rules, beside a caller and a judge who agree with everything."""
    rest = [
        {"role": "caller", "say": "Very well."},
        {"role": "judge", "answer": "yes", "reason": "So it was."},
    ]
    return {**AGENT, "llm": {"model": "scripted:desk", "script": [*rules, *rest]}, **more}


@dataclass(frozen=True)
class Clients:
    """Clients of one project: of the native API and of the door."""

    native: httpx.AsyncClient
    door: httpx.AsyncClient

    async def agent(self, agent: Mapping[str, Any] = AGENT, **more: Any) -> str:
        """A new agent; its address at the door."""
        made = await self.native.post("/v1/agents", json={**agent, **more})
        assert made.status_code == 201, made.text
        return f"/v2/agents/{made.json()['id']}"

    async def test(self, agent: str, test: Mapping[str, Any] = TEST, **more: Any) -> str:
        """A new test of an agent; its address at the door."""
        made = await self.door.post(f"{agent}/tests", json={**test, **more})
        assert made.status_code == 201, made.text
        return f"{agent}/tests/{made.json()['id']}"

    async def started(self, test: str, body: Any = None) -> str:
        """A run of a test, just started; its address at the door."""
        answer = await self.door.post(f"{test}/run", json=body) if body else await self.door.post(f"{test}/run")
        assert answer.status_code == 202, answer.text
        [run] = answer.json()["runs"]
        return f"{test.partition('/tests/')[0]}/test-runs/{run['id']}"

    async def over(self, run: str) -> dict[str, Any]:
        """A run, once it is over."""
        async with asyncio.timeout(30):
            while True:
                await asyncio.sleep(0.1)
                answer = await self.door.get(run)
                assert answer.status_code == 200, answer.text
                if answer.json()["status"] in OVER:
                    return answer.json()

    async def played(
        self, agent: Mapping[str, Any] | str, test: Mapping[str, Any] = TEST, body: Any = None, **more: Any
    ) -> dict[str, Any]:
        """A run of a new test of an agent (that there is, or a new one), once it is over."""
        address = agent if isinstance(agent, str) else await self.agent(agent)
        return await self.over(await self.started(await self.test(address, test, **more), body))


@dataclass(frozen=True)
class Crowd:
    """Clients of several projects, for runs that are to play side by side."""

    members: tuple[Clients, ...]

    async def played(
        self, cases: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]]
    ) -> dict[str, dict[str, Any]]:
        """The runs of these agents and tests, once all are over, by the names of the cases."""
        shared = zip(cases.values(), itertools.cycle(self.members), strict=False)
        runs = await asyncio.gather(*(clients.played(agent, test) for (agent, test), clients in shared))
        return dict(zip(cases, runs, strict=True))


async def sign_in(context: Context, project_id: str, email: str, role: Role) -> str:
    """Make somebody a member of a project; the token of a session of theirs. The first of all owns the project."""
    link = await accounts.first_link(context, anew=True)
    if link is not None:
        made = await accounts.use_link(context, link, _PASSWORD, email, None, "127.0.0.1")
        return str(made["token"])
    invited = await members.invite(context, operator(project_id), email, role, None)
    token = str(invited["link"]).rpartition("#")[2]
    return str((await accounts.use_link(context, token, _PASSWORD, email, None, "127.0.0.1"))["token"])


async def add_project(context: Context, developer_id: str) -> str:
    """Another project of a developer, who is its admin."""
    async with context.database.writing() as session:
        project_id = projects.add_to(session, context, "another", owner_id=developer_id).id
        await session.flush()
        session.add(
            MemberRow(project_id=project_id, developer_id=developer_id, role=Role.ADMIN.value, created_at=context.now())
        )
    return project_id


def items(answer: httpx.Response) -> list[dict[str, Any]]:
    """The items of a refusal, each of the shape that all have."""
    assert answer.status_code == 422, answer.text
    found: list[dict[str, Any]] = answer.json()["detail"]
    for each in found:
        assert list(each) == ["loc", "msg", "type", "field", "message"], each
        field, message = each["field"], each["message"]
        assert each["msg"] == (f"{field}: {message}" if field else message)
        assert each["loc"][0] == "body"
    return found


def sentence(answer: httpx.Response, status: int) -> str:
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["detail"]
    text = answer.json()["detail"]
    assert isinstance(text, str), json.dumps(text)
    assert text.endswith((".", "!", "?"))
    return text
