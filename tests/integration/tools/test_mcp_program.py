"""MCP servers that are programs on this machine."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support import mcp_server

from greenroom.model.agent import Agent, McpServer, McpTool
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.play.ports import RealCall, RealTools
from greenroom.tools.real import open_real_tools

SCRIPT = Path(mcp_server.__file__)
KEY = "calendar-key-4711"


@pytest.fixture
async def tools() -> AsyncGenerator[RealTools]:
    async with open_real_tools() as tools:
        yield tools


def program(*args: str, command: str = sys.executable, **changes: Any) -> Agent:
    server = McpServer(
        name="local", command=command, args=[str(SCRIPT), *args], env={"CALENDAR_KEY": SecretStr(KEY)}, **changes
    )
    return Agent(name="Front desk", prompt="Help.", mcp_servers=[server])


def call_of(agent: Agent, tool: str, arguments: dict[str, Json] | None = None) -> RealCall:
    return RealCall("run_1", "call_1", agent, tool, "mcp", arguments or {}, {}, seconds=30)


async def test_a_program_offers_and_answers(tools: RealTools) -> None:
    agent = program()
    assert "local__find_slot" in [offer.name for offer in await tools.offers("run_1", agent)]
    calls = [call_of(agent, "local__echo", {"text": f"call {n}"}) for n in range(10)]
    answers = await asyncio.gather(*(tools.call(call) for call in calls))
    assert [answer.result for answer in answers] == [{"result": f"call {n}"} for n in range(10)]


async def test_a_program_gets_its_environment_and_its_secrets_are_not_shown(tools: RealTools) -> None:
    answer = await tools.call(call_of(program(), "local__environment", {"name": "CALENDAR_KEY"}))
    assert answer.ok
    assert answer.result == "[hidden]"


async def test_a_program_that_dies_at_once_is_a_sentence_without_its_secrets(tools: RealTools) -> None:
    with pytest.raises(RunError) as error:
        await tools.offers("run_1", program("--fail-at-start"))
    sentence = str(error.value)
    assert sentence.startswith("The MCP server `local` (the program `")
    assert "stopped before it answered; it last said: Cannot start: no calendar is configured" in sentence
    assert KEY not in sentence


async def test_a_program_that_dies_in_a_call_is_unreachable_and_started_again(tools: RealTools) -> None:
    agent = program()
    words = f"out of memory with {KEY} and sk-proj-a1b2c3d4e5f6g7h8"
    answer = await tools.call(call_of(agent, "local__dies", {"last_words": words}))
    assert (answer.ok, answer.reason) == (False, "unreachable")
    assert "out of memory with [hidden] and [hidden]" in repr(answer.result)
    assert (await tools.call(call_of(agent, "local__echo", {"text": "x"}))).ok


async def test_a_program_that_is_not_there_is_named(tools: RealTools) -> None:
    agent = program(command="no-such-program-anywhere")
    with pytest.raises(RunError, match=r"`no-such-program-anywhere`.*there is no such program"):
        await tools.offers("run_1", agent)


async def test_a_file_that_cannot_be_run_is_named(tools: RealTools, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no program")
    with pytest.raises(RunError, match="could not be started: it cannot be run"):
        await tools.offers("run_1", program(command=str(tmp_path / "notes.txt")))


async def test_a_program_is_not_started_where_programs_are_not_allowed(tmp_path: Path) -> None:
    for allowed in ({"allow_private_networks": False}, {"allow_programs": False}):
        async with open_real_tools(**allowed) as tools:
            with pytest.raises(RunError, match="may not be started here"):
                await tools.offers("run_1", program())
            agent = program(tools=[McpTool(name="echo")])
            answer = await tools.call(call_of(agent, "local__echo", {"text": "x"}))
            assert (answer.ok, answer.reason) == (False, "blocked_address")


async def test_closing_a_run_while_its_program_starts_leaves_nothing_behind(tools: RealTools) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        started.set()
        await reader.read()
        ended.set()
        writer.close()

    async with await asyncio.start_server(watch, "127.0.0.1", 0) as watcher:
        port = watcher.sockets[0].getsockname()[1]
        mute = f"import socket, sys; alive = socket.create_connection(('127.0.0.1', {port})); sys.stdin.read()"
        server = McpServer(name="local", command=sys.executable, args=["-c", mute])
        agent = Agent(name="Front desk", prompt="Help.", mcp_servers=[server])
        asking = asyncio.create_task(tools.offers("run_1", agent))
        await started.wait()
        await tools.close("run_1")
        await ended.wait()
        with pytest.raises(RunError, match="was closed before it answered"):
            await asking
