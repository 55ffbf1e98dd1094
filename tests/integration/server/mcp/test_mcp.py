"""The MCP server at `/mcp`, asked by the official client."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.support.full_service import FullService, make_agent, open_full
from tests.support.service import BOOKING, VISIT

from greenroom.server.settings import Settings

FAILS: dict[str, Any] = {
    "name": "Wants Sunday",
    "caller": {"persona": "Ravi, who wants a visit."},
    "max_turns": 2,
    "checks": [{"type": "says", "text": "Sunday"}],
}
TOOLS = {
    "list_agents",
    "show_agent",
    "list_tests",
    "create_test",
    "generate_tests",
    "run_tests",
    "read_batch",
    "list_runs",
    "read_run",
    "explain_failure",
    "compare",
    "stop_run",
}


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[FullService]:
    async with open_full(settings) as opened:
        yield opened


@contextlib.asynccontextmanager
async def connected(service: FullService, key: str, mode: str = "auto") -> AsyncGenerator[Client]:
    """The official client, connected with a key."""
    transport = httpx2.ASGITransport(service.app)
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers, timeout=60) as http,
        Client(streamable_http_client("http://greenroom/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """How a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_tool_is_listed_and_says_what_it_does(service: FullService, mode: str) -> None:
    async with connected(service, await service.key(), mode) as client:
        listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS
    assert all(tool.description for tool in listed)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tests_are_made_run_and_explained(service: FullService, mode: str) -> None:
    agent_id = await make_agent(await service.client(), BOOKING)
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with connected(service, await service.key(), mode) as client:
        assert [each["id"] for each in (await call(client, "list_agents"))["items"]] == [agent_id]
        for test in (VISIT, FAILS):
            await call(client, "create_test", agent="front desk", test=test)
        listed = await call(client, "list_tests", agent=agent_id)
        assert {each["name"] for each in listed["items"]} == {"Books a visit", "Wants Sunday"}
        result = await client.call_tool("run_tests", {"agent": "Front desk"}, progress_callback=hear)
        batch: Any = result.structured_content
        assert (batch["is_over"], batch["counts"]) == (True, {"passed": 1, "failed": 1})
        assert told[-1][:2] == (2, 2)
        failed = next(each["id"] for each in batch["runs"] if each["status"] == "failed")
        why = await call(client, "explain_failure", run_id=failed)
        assert why["in_short"].startswith('says "Sunday" does not hold')
        run = await call(client, "read_run", run_id=failed)
        assert run["transcript"][0]["text"] == "Front desk, hello."
        runs = await call(client, "list_runs", agent=agent_id, status=["failed"])
        assert [each["id"] for each in runs["items"]] == [failed]
        assert "already finished" in await refused(client, "stop_run", run_id=failed)


async def test_two_variants_are_compared(service: FullService) -> None:
    await make_agent(await service.client(), BOOKING, VISIT)
    llm: Any = BOOKING["llm"]
    script = [{"say": "We are full."}, *llm["script"][2:]]
    worse = {"llm": {"model": "scripted:desk", "script": script}}
    variants = [{"name": "now"}, {"name": "new", "overrides": worse}]
    async with connected(service, await service.key()) as client:
        batch = await call(client, "run_tests", agent="Front desk", variants=variants, repeat=2)
        found = await call(client, "compare", first=batch["id"])
        assert (found["overall"]["only_first"], found["overall"]["both"]) == (2, 0)
        again = await call(client, "run_tests", agent="Front desk", repeat=2)
        assert "not two" in await refused(client, "compare", first=again["id"])
        third = await call(client, "run_tests", agent="Front desk", repeat=2)
        found = await call(client, "compare", first=again["id"], second=third["id"])
        assert found["overall"]["both"] == 2


async def test_without_waiting_the_answer_comes_at_once(service: FullService) -> None:
    await make_agent(await service.client(), BOOKING, VISIT)
    async with connected(service, await service.key()) as client:
        started = await call(client, "run_tests", agent="Front desk", wait=False)
        over = await call(client, "read_batch", batch_id=started["id"], seconds=60)
        assert over["counts"] == {"passed": 1}


async def test_a_key_may_do_here_what_it_may_do_over_the_api(service: FullService) -> None:
    agent_id = await make_agent(await service.client(), BOOKING, VISIT)
    async with connected(service, await service.key(["agents:read"])) as client:
        assert (await call(client, "list_agents"))["items"]
        for tool, arguments in (
            ("list_tests", {"agent": agent_id}),
            ("create_test", {"agent": agent_id, "test": VISIT}),
            ("generate_tests", {"agent": agent_id}),
            ("run_tests", {"agent": agent_id}),
            ("list_runs", {}),
        ):
            assert "needs the scope" in await refused(client, tool, **arguments), tool


async def test_what_belongs_to_another_project_is_not_found(service: FullService) -> None:
    agent_id = await make_agent(await service.client(), BOOKING, VISIT)
    async with connected(service, await service.key(project_id=await service.other_project())) as client:
        assert (await call(client, "list_agents"))["items"] == []
        assert "no such agent" in await refused(client, "show_agent", agent=agent_id)
        assert "no agent named" in await refused(client, "run_tests", agent="Front desk")


async def test_nobody_comes_in_without_a_key(service: FullService) -> None:
    transport = httpx2.ASGITransport(service.app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://greenroom") as http:
        answer = await http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
