"""Actions sent to a real webhook receiver."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.webhook_receiver import SECRET, Answer, WebhookReceiver

from greenroom.model.agent import Agent, ToolWebhook
from greenroom.model.errors import RunError
from greenroom.play.ports import RealCall, RealTools, ToolAnswer
from greenroom.tools.real import open_real_tools


@pytest.fixture
async def tools() -> AsyncGenerator[RealTools]:
    async with open_real_tools() as tools:
        yield tools


@pytest.fixture
async def receiver() -> AsyncGenerator[WebhookReceiver]:
    async with WebhookReceiver() as receiver:
        yield receiver


def call_to(url: str | None, secret: str | None = SECRET, **changes: Any) -> RealCall:
    webhook = ToolWebhook(url=url, secret=SecretStr(secret) if secret is not None else None)
    agent = Agent(id="agt_1", name="Front desk", prompt="Help.", tool_webhook=webhook)
    call = RealCall("run_1", "call_1", agent, "book_slot", "webhook", {"day": "Montag ✓"}, {"company": "Northline"})
    return replace(call, **changes)


def said(answer: ToolAnswer) -> str:
    assert isinstance(answer.result, dict)
    return str(answer.result["error"])


async def test_a_call_is_a_signed_post_that_is_marked_as_a_test(tools: RealTools, receiver: WebhookReceiver) -> None:
    receiver.answer = Answer({"ok": True, "slot": "10:00"})
    answer = await tools.call(call_to(receiver.url))
    assert (answer.result, answer.ok, answer.reason) == ({"ok": True, "slot": "10:00"}, True, None)
    [request] = receiver.requests
    assert request.signed
    assert request.method == "POST"
    assert request.headers["X-Greenroom-Test"] == "true"
    assert request.json == {
        "test": True,
        "run_id": "run_1",
        "agent_id": "agt_1",
        "tool": "book_slot",
        "arguments": {"day": "Montag ✓"},
        "variables": {"company": "Northline"},
    }


async def test_a_door_may_name_its_own_test_header(tools: RealTools, receiver: WebhookReceiver) -> None:
    await tools.call(call_to(receiver.url, test_header="X-Door-Test"))
    assert receiver.requests[0].headers["X-Door-Test"] == "true"
    assert "X-Greenroom-Test" not in receiver.requests[0].headers


@pytest.mark.parametrize("secret", ["whsec_c2VjcmV0LWtleQ==", "a plain secret", "héllo"])
async def test_secrets_of_either_form_sign(tools: RealTools, secret: str) -> None:
    async with WebhookReceiver(secret=secret) as receiver:
        await tools.call(call_to(receiver.url, secret))
        assert receiver.requests[0].signed


async def test_a_call_sent_again_has_the_same_message_id(tools: RealTools, receiver: WebhookReceiver) -> None:
    await tools.call(call_to(receiver.url))
    await tools.call(call_to(receiver.url))
    await tools.call(call_to(receiver.url, call_id="call_2"))
    identities = [request.headers["webhook-id"] for request in receiver.requests]
    assert identities[0] == identities[1] != identities[2]


@pytest.mark.parametrize(
    ("answer", "reason", "words"),
    [
        (Answer(status=500), "bad_status", "status 500"),
        (Answer(status=404, body=b"x" * 500_000), "bad_status", "status 404"),
        (Answer(status=302, headers={"Location": "/elsewhere"}), "bad_status", "status 302"),
        (Answer(status=307, headers={"Location": "http://127.0.0.1:1/"}), "bad_status", "status 307"),
        (Answer(b"<html>hello</html>"), "bad_body", "not JSON"),
        (Answer(b"\xff\xfe\xfd"), "bad_body", "not JSON"),
        (Answer(b"[" * 60_000), "bad_body", "not JSON"),
        (Answer(b"not gzip", headers={"Content-Encoding": "gzip"}), "bad_body", "decompressed"),
        (Answer(misbehave="garbage"), "bad_body", "not valid HTTP"),
        (Answer(b'"' + b"x" * 70_000 + b'"'), "too_large", "64 KiB"),
        (Answer(b'"' + b"x" * 5_000_000 + b'"', compressed=True), "too_large", "64 KiB"),
        (Answer(misbehave="endless"), "too_large", "64 KiB"),
        (Answer(misbehave="reset"), "unreachable", "broke off"),
        (Answer(misbehave="break"), "unreachable", "broke off"),
    ],
)
async def test_each_failure_has_its_reason_and_plain_words(
    tools: RealTools, receiver: WebhookReceiver, answer: Answer, reason: str, words: str
) -> None:
    receiver.answer = answer
    got = await tools.call(call_to(receiver.url))
    assert (got.ok, got.reason) == (False, reason)
    assert words in said(got)
    assert len(receiver.requests) == 1


async def test_no_more_is_read_than_the_limit_and_what_is_in_flight(
    tools: RealTools, receiver: WebhookReceiver
) -> None:
    receiver.answer = Answer(misbehave="endless")
    await tools.call(call_to(receiver.url, max_bytes=10_000))
    assert receiver.bytes_sent < 50_000_000


@pytest.mark.parametrize("misbehave", ["wait", "stall"])
async def test_the_time_limit_holds_for_the_whole_exchange(
    tools: RealTools, receiver: WebhookReceiver, misbehave: Any
) -> None:
    receiver.answer = Answer(misbehave=misbehave)
    got = await tools.call(call_to(receiver.url, seconds=0.05))
    assert (got.ok, got.reason, said(got)) == (False, "timeout", "The service did not answer within 0.05 seconds.")
    assert got.latency_ms >= 50


@pytest.mark.parametrize("body", [b"", b"  \n"])
def test_an_empty_answer_means_that_it_went_well(body: bytes) -> None:
    async def play(url: str) -> ToolAnswer:
        async with open_real_tools() as tools:
            return await tools.call(call_to(url))

    with WebhookReceiver.in_thread(Answer(body)) as receiver:
        assert asyncio.run(play(receiver.url)).result == {"ok": True}


async def test_a_closed_port_and_an_unknown_name_are_unreachable(tools: RealTools) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/", "http://nobody.invalid/", "http://127.0.0.1:99999/", "http://[::1/"):
        got = await tools.call(call_to(url))
        assert (got.ok, got.reason) == (False, "unreachable"), url


async def test_a_plain_http_answer_where_https_was_asked_is_unreachable(
    tools: RealTools, receiver: WebhookReceiver
) -> None:
    got = await tools.call(call_to(receiver.url.replace("http:", "https:")))
    assert got.reason == "unreachable"


@pytest.mark.parametrize(
    ("url", "secret", "missing"),
    [
        (None, SECRET, "set `tool_webhook.url`,"),
        ("https://x.test/", None, "set `tool_webhook.secret`,"),
        ("https://x.test/", " ", "set `tool_webhook.secret`,"),
        (None, None, "set `tool_webhook.url` and `tool_webhook.secret`,"),
    ],
)
async def test_an_agent_without_url_or_secret_stops_the_run_with_a_sentence(
    tools: RealTools, url: str | None, secret: str | None, missing: str
) -> None:
    with pytest.raises(RunError, match="`Front desk`") as error:
        await tools.call(call_to(url, secret))
    assert missing in str(error.value)


async def test_an_agent_without_any_webhook_stops_the_run_too(tools: RealTools) -> None:
    call = call_to(None)
    bare = Agent(name="Front desk", prompt="Help.")
    with pytest.raises(RunError, match="tool_webhook"):
        await tools.call(replace(call, agent=bare))


async def test_a_secret_is_shown_nowhere(tools: RealTools, receiver: WebhookReceiver) -> None:
    receiver.answer = lambda request: Answer({"you know": SECRET, "sent": request.headers["webhook-id"]})
    call = call_to(receiver.url)
    answers = [await tools.call(call)]
    for answer in (Answer(status=500, body=SECRET.encode()), Answer(SECRET.encode()), Answer(misbehave="reset")):
        receiver.answer = answer
        answers.append(await tools.call(call))
    answers.append(await tools.call(call_to(f"http://user:{SECRET}@127.0.0.1:1/{SECRET}?key={SECRET}")))
    assert SECRET not in repr(answers)
    assert SECRET not in repr(call)


async def test_two_hundred_calls_at_once_each_get_their_own_answer(tools: RealTools, receiver: WebhookReceiver) -> None:
    receiver.answer = lambda request: Answer({"you": request.json["arguments"]["n"]})
    calls = [call_to(receiver.url, call_id=f"call_{n}", arguments={"n": n}) for n in range(200)]
    answers = await asyncio.gather(*(tools.call(call) for call in calls))
    assert [answer.result for answer in answers] == [{"you": n} for n in range(200)]
    assert all(request.signed for request in receiver.requests)


async def test_cookies_of_one_answer_do_not_reach_the_next_call(tools: RealTools, receiver: WebhookReceiver) -> None:
    receiver.answer = Answer(headers={"Set-Cookie": "who=me"})
    await tools.call(call_to(receiver.url))
    await tools.call(call_to(receiver.url))
    assert "Cookie" not in receiver.requests[1].headers


async def test_arguments_with_odd_text_arrive_and_are_signed(tools: RealTools, receiver: WebhookReceiver) -> None:
    odd = {"a": "\ud83d", "b": "\x00", "c": "नमस्ते 😀\u202e", "d": float("nan")}
    await tools.call(call_to(receiver.url, arguments=odd))
    assert receiver.requests[0].signed
    assert receiver.requests[0].json["arguments"] == {**odd, "d": None}


async def test_an_answer_that_cannot_be_stored_as_it_is_is_cleaned(tools: RealTools, receiver: WebhookReceiver) -> None:
    receiver.answer = Answer(b'{"a": "x\\u0000\\ud83d"}')
    assert (await tools.call(call_to(receiver.url))).result == {"a": "x��"}


def test_the_receiver_tells_a_wrong_signature() -> None:
    with WebhookReceiver.in_thread() as receiver:
        request = urllib.request.Request(receiver.url, data=b"{}", headers={"webhook-id": "msg_1"})
        urllib.request.urlopen(request).close()
        assert not receiver.requests[0].signed
