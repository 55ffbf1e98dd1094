"""The guard of outside addresses, on real connections."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Literal

import aiohttp
import pytest
from pydantic import SecretStr
from tests.support.webhook_receiver import SECRET, Answer, WebhookReceiver

from greenroom.model.agent import Agent, HttpCall, Tool, ToolWebhook
from greenroom.outgoing.addresses import BlockedAddress, Guard
from greenroom.outgoing.http import ExchangeFailed, Outgoing, guarded_connector
from greenroom.play.ports import RealCall
from greenroom.tools.real import open_real_tools


class _Names:
    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def _get(guard: Guard, url: str) -> int:
    outgoing = Outgoing(guard)
    try:
        reply = await outgoing.exchange("GET", url, headers={}, body=None, seconds=5, max_bytes=1000)
    finally:
        await outgoing.close()
    return reply.status


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "localhost.", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "a@127.0.0.1", "[::1]",
     "[::ffff:127.0.0.1]", "0.0.0.0", "①②⑦.0.0.1", "127.0.0.1."],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["webhook", "http"])
async def test_no_spelling_of_loopback_reaches_a_service_there(host: str, kind: Literal["webhook", "http"]) -> None:
    async with WebhookReceiver() as service, open_real_tools(allow_private_networks=False) as tools:
        url = service.url.replace("127.0.0.1", host)
        agent = Agent(
            name="Shop",
            prompt="Help.",
            tool_webhook=ToolWebhook(url=url, secret=SecretStr(SECRET)),
            tools=[Tool(name="find", http=HttpCall(url=url))],
        )
        answer = await tools.call(RealCall("run_1", "call_1", agent, "find", kind, {}, {}))
        assert (answer.ok, answer.reason) == (False, "blocked_address")
        assert service.requests == []


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1/hook", ""])
async def test_other_schemes_are_blocked_even_on_ones_own_machine(url: str) -> None:
    with pytest.raises(ExchangeFailed) as failure:
        await _get(Guard(allow_private_networks=True), url)
    assert failure.value.reason == "blocked_address"


async def test_a_name_that_turns_private_is_blocked_at_the_next_call() -> None:
    names = _Names(["127.0.0.1"])
    async with WebhookReceiver() as service:
        url = service.url.replace("127.0.0.1", "rebind.example")
        assert await _get(Guard(allow_private_networks=True, resolve=names), url) == 200
        with pytest.raises(ExchangeFailed) as failure:
            await _get(Guard(resolve=names), url)
    assert failure.value.reason == "blocked_address"
    assert len(service.requests) == 1


async def test_the_connection_goes_to_the_address_that_was_checked_under_the_name() -> None:
    names = _Names(["127.0.0.1"], ["127.0.0.2"])
    async with WebhookReceiver() as service:
        url = service.url.replace("127.0.0.1", "shop.example")
        assert await _get(Guard(allow_private_networks=True, resolve=names), url) == 200
        port = url.rpartition(":")[2].partition("/")[0]
    assert names.asked == ["shop.example"]
    assert service.requests[0].headers["Host"] == f"shop.example:{port}"


async def test_the_next_address_is_tried_where_the_first_does_not_accept() -> None:
    async with WebhookReceiver() as service:
        url = service.url.replace("127.0.0.1", "shop.example")
        guard = Guard(allow_private_networks=True, resolve=_Names(["127.0.0.2", "127.0.0.1"]))
        assert await _get(guard, url) == 200


class _LoopbackIsTheInternet(Guard):
    def allows(self, address: str) -> bool:
        return address == "127.0.0.1"


async def test_a_client_that_follows_redirects_is_stopped_at_the_connection() -> None:
    """The connector is for other clients too: a redirect to a bare address never passes a resolver."""
    async with WebhookReceiver() as service:
        service.answer = Answer(status=302, headers={"Location": service.url.replace("127.0.0.1", "127.0.0.2")})
        async with aiohttp.ClientSession(connector=guarded_connector(_LoopbackIsTheInternet())) as session:
            with pytest.raises(BlockedAddress):
                await session.get(service.url)
    assert len(service.requests) == 1


async def test_a_port_on_a_private_address_is_never_connected_to() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        with pytest.raises(ExchangeFailed):
            await _get(Guard(), f"http://127.0.0.1:{listener.getsockname()[1]}/")
        with pytest.raises(BlockingIOError):
            listener.accept()
