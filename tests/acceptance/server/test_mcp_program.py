"""`greenroom mcp`, started by the official client as an editor would start it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.support.service import BOOKING, VISIT
from tests.support.serving import served


async def use(arguments: list[str], environment: dict[str, str]) -> None:
    """Run a test of the agent `Front desk` through the tools."""
    program = StdioServerParameters(
        command=sys.executable, args=["-m", "greenroom", "mcp", *arguments], env=environment
    )
    told: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with Client(stdio_client(program)) as client:
        listed = await client.call_tool("list_agents", {})
        assert not listed.is_error, listed.content
        result = await client.call_tool("run_tests", {"agent": "Front desk"}, progress_callback=hear)
        assert not result.is_error, result.content
        batch: Any = result.structured_content
        assert batch["counts"] == {"passed": 1}
        assert told[-1] == 1


@pytest.mark.parametrize("is_remote", [True, False], ids=["a server", "a folder"])
async def test_an_agent_is_tested_over_standard_input(tmp_path: Path, is_remote: bool) -> None:
    data = tmp_path / "data"
    with served(data) as service:
        async with httpx.AsyncClient(base_url=service.url, headers=service.headers) as client:
            agent = (await client.post("/v1/agents", json=BOOKING)).json()["id"]
            assert (await client.post(f"/v1/agents/{agent}/tests", json=VISIT)).status_code == 201
        if is_remote:
            await use([], {"GREENROOM_SERVER": service.url, "GREENROOM_KEY": service.key})
    if not is_remote:
        await use(["--data", str(data)], {})


async def test_a_wrong_key_is_told_by_the_tools(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        program = StdioServerParameters(
            command=sys.executable,
            args=["-m", "greenroom", "mcp", "--server", service.url],
            env={"GREENROOM_KEY": "grk_wr0ng"},
        )
        async with Client(stdio_client(program)) as client:
            result = await client.call_tool("list_agents", {})
    assert result.is_error
    assert "This key is unknown" in json.dumps(result.model_dump(mode="json"))
