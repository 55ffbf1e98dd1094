"""MCP servers over streamable HTTP."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.mcp_server import McpTestServer

from greenroom.model.agent import Agent, McpServer, McpTool, Tool
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.outgoing.addresses import Guard
from greenroom.play.ports import RealCall, RealTools
from greenroom.tools.mcp import McpTools
from greenroom.tools.real import open_real_tools

KEY = "key-9f8e7d6c5b4a"


@pytest.fixture
async def tools() -> AsyncGenerator[RealTools]:
    async with open_real_tools() as tools:
        yield tools


@pytest.fixture(params=["modern", "legacy"])
async def server(request: pytest.FixtureRequest) -> AsyncGenerator[McpTestServer]:
    async with McpTestServer(legacy=request.param == "legacy") as server:
        yield server


def agent_with(*servers: McpServer, **changes: Any) -> Agent:
    return Agent(name="Front desk", prompt="Help.", mcp_servers=list(servers), **changes)


def at(url: str, name: str = "calendar", **changes: Any) -> McpServer:
    return McpServer(name=name, url=url, headers={"Authorization": SecretStr(f"Bearer {KEY}")}, **changes)


def call_of(agent: Agent, tool: str, arguments: dict[str, Json] | None = None, **changes: Any) -> RealCall:
    return RealCall("run_1", "call_1", agent, tool, "mcp", arguments or {}, {}, **changes)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


async def test_the_agent_sees_a_servers_tools_under_the_servers_name(tools: RealTools, server: McpTestServer) -> None:
    offers = await tools.offers("run_1", agent_with(at(server.url)))
    by_name = {offer.name: offer for offer in offers}
    assert by_name["calendar__echo"].description == "Says back what it got"
    properties = by_name["calendar__echo"].parameters["properties"]
    assert isinstance(properties, dict)
    assert set(properties) == {"text", "times"}


async def test_a_server_is_asked_once_a_run(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    first = await asyncio.gather(tools.offers("run_1", agent), tools.offers("run_1", agent))
    asked = len(server.methods)
    assert await tools.offers("run_1", agent_with(at(server.url))) == first[0] == first[1]
    assert len(server.methods) == asked


async def test_tools_that_are_written_down_need_no_server(tools: RealTools) -> None:
    declared = McpTool(name="echo", description="Says it back", parameters={"type": "object"})
    [offer] = await tools.offers("run_1", agent_with(at("http://127.0.0.1:1/mcp", tools=[declared, declared])))
    assert (offer.name, offer.description, offer.parameters) == ("calendar__echo", "Says it back", {"type": "object"})


async def test_a_tool_that_is_written_down_is_called_on_the_server(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url, tools=[McpTool(name="find_slot")]))
    answer = await tools.call(call_of(agent, "calendar__find_slot", {"day": "Monday"}))
    assert answer.result == {"day": "Monday", "hour": 10}


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("echo", {"text": "नमस्ते 😀", "times": 2}, {"result": "नमस्ते 😀 नमस्ते 😀"}),
        ("find_slot", {"day": "Monday"}, {"day": "Monday", "hour": 10}),
        (
            "mixed",
            {},
            "Here it is.\n[an image, image/png, about 2 KiB]\n[a sound, audio/wav, about 1 KiB]\n"
            "[a link to plan: file:///plan.txt]\nRing twice.",
        ),
    ],
)
async def test_the_model_gets_structure_or_text_or_a_description(
    tools: RealTools, server: McpTestServer, tool: str, arguments: dict[str, Json], result: Json
) -> None:
    answer = await tools.call(call_of(agent_with(at(server.url)), f"calendar__{tool}", arguments))
    assert (answer.ok, answer.reason, answer.result) == (True, None, result)


async def test_a_name_that_providers_refuse_is_made_valid_and_mapped_back(
    tools: RealTools, server: McpTestServer
) -> None:
    agent = agent_with(at(server.url))
    names = [offer.name for offer in await tools.offers("run_1", agent)]
    [name] = [name for name in names if "look" in name]
    assert name.startswith("calendar__calendar_look_up_")
    assert (await tools.call(call_of(agent, name))).result == "looked up"


async def test_a_name_that_the_agents_own_tool_has_is_not_taken_from_it(
    tools: RealTools, server: McpTestServer
) -> None:
    agent = agent_with(at(server.url), tools=[Tool(name="calendar__echo")])
    assert "calendar__echo" not in [offer.name for offer in await tools.offers("run_1", agent)]


async def test_a_tool_that_failed_says_so_to_the_model(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    answer = await tools.call(call_of(agent, "calendar__fails", {"why": "the calendar is locked"}))
    assert (answer.ok, answer.reason) == (False, "tool_error")
    assert "the calendar is locked" in repr(answer.result)
    answer = await tools.call(call_of(agent, "calendar__silent"))
    assert answer.result == {"error": "The tool failed and did not say why."}


async def test_arguments_that_the_server_refuses_are_a_tool_error(tools: RealTools, server: McpTestServer) -> None:
    answer = await tools.call(call_of(agent_with(at(server.url)), "calendar__echo", {"times": "many"}))
    assert (answer.ok, answer.reason) == (False, "tool_error")


async def test_a_tool_that_the_server_does_not_have_is_unknown(tools: RealTools, server: McpTestServer) -> None:
    answer = await tools.call(call_of(agent_with(at(server.url)), "calendar__nothing"))
    assert (answer.ok, answer.reason) == (False, "unknown_tool")


async def test_every_request_is_marked_as_a_test_and_carries_the_headers(
    tools: RealTools, server: McpTestServer
) -> None:
    agent = agent_with(at(server.url))
    await tools.offers("run_1", agent)
    await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))
    assert all(headers["x-greenroom-test"] == "true" for headers in server.headers)
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in server.headers)


async def test_a_door_may_name_its_own_test_header(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    await tools.offers("run_1", agent)
    await tools.call(call_of(agent, "calendar__echo", {"text": "x"}, test_header="X-Door-Test"))
    assert server.headers[-1]["x-door-test"] == "true"
    assert "x-greenroom-test" not in server.headers[-1]


async def test_a_slow_tool_times_out_and_the_session_lives_on(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    await tools.offers("run_1", agent)
    answer = await tools.call(call_of(agent, "calendar__slow", seconds=0.1))
    assert (answer.ok, answer.reason) == (False, "timeout")
    server.released.set()
    assert (await tools.call(call_of(agent, "calendar__slow"))).result == "at last"


async def test_an_answer_that_is_too_large_is_not_given(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    answer = await tools.call(call_of(agent, "calendar__large", {"size": 70_000}))
    assert (answer.ok, answer.reason) == (False, "too_large")
    assert (await tools.call(call_of(agent, "calendar__large", {"size": 60_000}))).ok


async def test_many_calls_at_once_each_get_their_own_answer(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    calls = [call_of(agent, "calendar__echo", {"text": f"call {n}"}) for n in range(40)]
    answers = await asyncio.gather(*(tools.call(call) for call in calls))
    assert [answer.result for answer in answers] == [{"result": f"call {n}"} for n in range(40)]


async def test_two_servers_and_two_agents_of_one_run_do_not_mix(tools: RealTools, server: McpTestServer) -> None:
    async with McpTestServer() as other:
        first, second = at(server.url, "first"), at(other.url, "second")
        both = await tools.offers("run_1", agent_with(first, second))
        assert {offer.name.partition("__")[0] for offer in both} == {"first", "second"}
        await tools.call(call_of(agent_with(second), "second__echo", {"text": "x"}))
        assert other.methods
        assert await tools.offers("run_1", agent_with(second)) == tuple(o for o in both if o.name.startswith("second"))


async def test_a_server_that_is_not_there_is_named_when_its_tools_are_asked_for(tools: RealTools) -> None:
    url = f"http://127.0.0.1:{closed_port()}/secret-path?key={KEY}"
    with pytest.raises(RunError) as error:
        await tools.offers("run_1", agent_with(at(url)))
    sentence = str(error.value)
    assert sentence.startswith(f"The MCP server `calendar` ({url.partition('/secret')[0]}) could not be reached")
    assert "secret-path" not in sentence
    assert KEY not in sentence


async def test_a_server_that_goes_away_is_unreachable_and_found_again(tools: RealTools) -> None:
    async with McpTestServer() as server:
        agent = agent_with(at(server.url, tools=[McpTool(name="echo")]))
        assert (await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))).ok
    answer = await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))
    assert (answer.ok, answer.reason) == (False, "unreachable")
    async with McpTestServer(port=int(server.url.split(":")[2].partition("/")[0])):
        assert (await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))).ok


async def test_a_session_that_a_restarted_server_forgot_is_opened_anew(tools: RealTools) -> None:
    async with McpTestServer(legacy=True) as server:
        agent = agent_with(at(server.url, tools=[McpTool(name="echo")]))
        assert (await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))).ok
    async with McpTestServer(legacy=True, port=int(server.url.split(":")[2].partition("/")[0])):
        answer = await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))
        assert (answer.ok, answer.reason) == (False, "bad_status")
        assert (await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))).ok


@pytest.mark.parametrize(
    ("misbehaviour", "reason", "words"),
    [
        ({"status": 401}, "bad_status", "answered with status 401: check its `headers`"),
        ({"status": 503}, "bad_status", "answered with status 503"),
        ({"not_mcp": True}, "bad_body", "gave an answer that is not valid MCP"),
        ({"huge": True}, "too_large", "gave an answer that is too large"),
    ],
)
async def test_each_failure_of_a_server_has_its_reason_and_sentence(
    tools: RealTools, misbehaviour: dict[str, Any], reason: str, words: str
) -> None:
    async with McpTestServer(**misbehaviour) as server:
        agent = agent_with(at(server.url))
        with pytest.raises(RunError) as error:
            await tools.offers("run_1", agent)
        assert words in str(error.value)
        answer = await tools.call(call_of(agent_with(at(server.url, tools=[McpTool(name="echo")])), "calendar__echo"))
        assert (answer.ok, answer.reason) == (False, reason)
        assert KEY not in str(error.value) + repr(answer)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]", "a@127.0.0.1"])
async def test_a_server_on_a_private_network_is_blocked_where_those_are_not_allowed(
    server: McpTestServer, host: str
) -> None:
    url = server.url.replace("127.0.0.1", host)
    async with open_real_tools(allow_private_networks=False) as tools:
        with pytest.raises(RunError, match="may not be called"):
            await tools.offers("run_1", agent_with(at(url)))
        answer = await tools.call(call_of(agent_with(at(url, tools=[McpTool(name="echo")])), "calendar__echo"))
    assert (answer.ok, answer.reason) == (False, "blocked_address")
    assert server.methods == []


async def test_a_url_that_is_no_http_url_is_blocked(tools: RealTools) -> None:
    with pytest.raises(RunError, match="`calendar`"):
        await tools.offers("run_1", agent_with(at("file:///etc/passwd")))


async def test_closing_a_run_ends_its_session_and_no_other(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    await tools.offers("run_1", agent)
    await tools.offers("run_2", agent)
    await tools.close("run_1")
    await tools.close("run_1")
    await tools.close("run_never_seen")
    asked = len(server.methods)
    await tools.offers("run_2", agent)
    assert len(server.methods) == asked
    await tools.offers("run_1", agent)
    assert len(server.methods) > asked


async def test_a_session_that_the_server_keeps_is_ended_on_it() -> None:
    async with McpTestServer(legacy=True) as server, open_real_tools() as tools:
        await tools.offers("run_1", agent_with(at(server.url)))
        await tools.close("run_1")
        assert server.methods[-1] == "DELETE"
        assert server.headers[-1]["x-greenroom-test"] == "true"


async def test_sessions_may_be_opened_and_closed_by_different_tasks(server: McpTestServer) -> None:
    async with open_real_tools() as tools:
        agent = agent_with(at(server.url))
        await asyncio.create_task(tools.offers("run_1", agent))
        await asyncio.create_task(_echo(tools, agent))
        await asyncio.create_task(tools.close("run_1"))


async def _echo(tools: RealTools, agent: Agent) -> None:
    assert (await tools.call(call_of(agent, "calendar__echo", {"text": "x"}))).ok


async def test_an_agent_without_servers_has_no_such_tools(tools: RealTools) -> None:
    assert await tools.offers("run_1", agent_with()) == ()


async def test_a_server_that_never_says_what_it_offers_ends_in_a_sentence() -> None:
    async with McpTestServer(mute=True) as server:
        tools = McpTools(Guard(allow_private_networks=True), allow_programs=True, opening_seconds=0.2)
        with pytest.raises(RunError, match=r"`Front desk` did not say within 0.2 seconds"):
            await tools.offers("run_1", agent_with(at(server.url)))
        await tools.close_all()


async def test_a_call_to_a_server_that_never_opens_times_out() -> None:
    async with McpTestServer(mute=True) as server, open_real_tools() as tools:
        answer = await tools.call(call_of(agent_with(at(server.url)), "calendar__echo", seconds=0.2))
        assert (answer.ok, answer.reason) == (False, "timeout")
        await tools.close("run_1")


async def test_stopping_a_call_leaves_the_session_usable(tools: RealTools, server: McpTestServer) -> None:
    agent = agent_with(at(server.url))
    await tools.offers("run_1", agent)
    server.asked.clear()
    calling = asyncio.create_task(tools.call(call_of(agent, "calendar__slow")))
    await server.asked.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await _echo(tools, agent)
