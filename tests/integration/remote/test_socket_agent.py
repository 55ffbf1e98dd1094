"""Agents behind a WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest
from aiohttp import WSMsgType
from tests.support.remote_agents import Caller, SocketAgent, Waits, ask, asked, opened, remote_agent, talk_with
from tests.support.talks import make_test
from tests.support.webhook_receiver import Answer, WebhookReceiver

from greenroom.model.errors import RunError
from greenroom.model.talk import ModelSaid, UserSaid

Play = Callable[[Caller], Awaitable[None]]


async def echo(caller: Caller) -> None:
    async for heard in caller.everything():
        await caller.say({"reply": f"You said: {heard['message']}"})


async def test_a_talk_has_one_connection_and_each_message_is_sent_alone() -> None:
    async with SocketAgent(echo) as server:
        agent = remote_agent(
            {"type": "websocket", "url": server.url}, prompt="Be {{mood}}.", variables={"mood": "kind"}
        )
        played = await talk_with(agent, make_test("Hello.", "नमस्ते 👍🏽"))
        await server.all_left(1)
    assert played.said == [
        ("caller", "Hello."),
        ("agent", "You said: Hello."),
        ("caller", "नमस्ते 👍🏽"),
        ("agent", "You said: नमस्ते 👍🏽"),
    ]
    told = {"session_id": "run_1", "prompt": "Be kind.", "variables": {"mood": "kind"}}
    assert server.heard == [{"message": "Hello.", **told}, {"message": "नमस्ते 👍🏽", **told}]
    [caller] = server.callers
    assert caller.headers["X-Greenroom-Test"] == "true"
    assert caller.socket.close_code == 1000


async def test_a_connection_is_opened_as_its_owner_wrote_it() -> None:
    async with SocketAgent(echo) as server:
        remote = {
            "url": f"{server.url}/{{{{session_id}}}}?who={{{{variables.who}}}}",
            "headers": {"Authorization": "Bearer {{variables.key}}"},
            "open": {"start": {"prompt": "{{prompt}}", "vars": "{{variables}}"}},
            "send": {"type": "text", "message": "{{message}}"},
        }
        agent = remote_agent({"type": "websocket", **remote}, prompt="Be kind.", variables={"who": "Zoë", "key": "abc"})

        played = await talk_with(agent, make_test("Hi."))
    assert played.run.status == "error"
    assert server.heard[0] == {"start": {"prompt": "Be kind.", "vars": {"who": "Zoë", "key": "abc"}}}
    [caller] = server.callers
    assert caller.path == "/talk/run_1?who=Zo%C3%AB"
    assert caller.headers["Authorization"] == "Bearer abc"


async def test_what_opens_a_connection_is_sent_once() -> None:
    async def play(caller: Caller) -> None:
        assert await caller.hear() == {"start": True}
        await caller.say({"type": "ready"})
        await echo(caller)

    async with SocketAgent(play) as server:
        agent = remote_agent({"type": "websocket", "url": server.url, "open": {"start": True}})
        played = await talk_with(agent, make_test("One.", "Two."))
    assert [text for _, text in played.said] == ["One.", "You said: One.", "Two.", "You said: Two."]
    assert [heard.get("message") for heard in server.heard] == [None, "One.", "Two."]


async def test_an_agent_that_opens_the_talk_is_heard_before_anything_is_said() -> None:
    async def play(caller: Caller) -> None:
        await caller.say({"reply": "Maya here."})
        await echo(caller)

    async with SocketAgent(play) as server:
        agent = remote_agent({"type": "websocket", "url": server.url}, speaks_first=True)
        played = await talk_with(agent, make_test("Hi."))
    assert played.said == [("agent", "Maya here."), ("caller", "Hi."), ("agent", "You said: Hi.")]
    assert len(server.heard) == 1


async def test_words_are_joined_until_the_last_and_the_rest_is_passed_over() -> None:
    async def play(caller: Caller) -> None:
        async for _ in caller.everything():
            await caller.say(
                {"type": "typing"},
                b"\x00\x01 sound",
                {"delta": {"text": "One "}},
                {"delta": {"text": None}, "calls": [{"name": "look", "arguments": {"x": 1}}]},
                {"delta": {"text": "moment"}, "done": False},
                {"delta": {"text": "."}},
                {"done": True},
            )

    async with SocketAgent(play) as server:
        remote = {"reply": "delta.text", "final": "done", "tool_calls": "calls"}
        agent = remote_agent({"type": "websocket", "url": server.url, **remote})
        played = await talk_with(agent, make_test("a", "b"))
    assert [line.text for line in played.agent_lines] == ["One moment.", "One moment."]
    assert [(line.name, line.arguments, line.source) for line in played.tool_lines] == [
        ("look", {"x": 1}, "recorded"),
        ("look", {"x": 1}, "recorded"),
    ]


async def test_words_that_come_late_are_not_lost() -> None:
    """Without `final` a message is a whole reply; what an agent adds to it stands with its next one."""

    async def play(caller: Caller) -> None:
        await caller.hear()
        await caller.say({"reply": "One moment."}, {"reply": "It is booked."})
        await caller.hear()
        await caller.say({"reply": "Bye."})
        await caller.hear()

    async with SocketAgent(play) as server, opened() as agents:
        agent = remote_agent({"type": "websocket", "url": server.url})
        first = await agents.reply(asked(agent, "Book."), seconds_left=60)
        later = (UserSaid("Book."), ModelSaid(first.text, model="remote"), UserSaid("Thanks."))
        second = await agents.reply(asked(agent, *later), seconds_left=60)
    assert (first.text, second.text) == ("One moment.", "It is booked.")


async def test_an_agent_hangs_up_by_saying_so() -> None:
    async def play(caller: Caller) -> None:
        await caller.hear()
        await caller.say({"reply": "Bye!", "over": True})
        await caller.hear()

    async with SocketAgent(play) as server:
        agent = remote_agent({"type": "websocket", "url": server.url, "ended": "over"})
        played = await talk_with(agent, make_test("Bye.", "Never sent."))
    assert (played.run.status, played.run.ended_by) == ("passed", "agent_hung_up")
    assert played.said[-1] == ("agent", "Bye!")


@pytest.mark.parametrize("final", ["done", None])
async def test_an_agent_hangs_up_by_closing_the_connection_properly_after_its_words(final: str | None) -> None:
    async def play(caller: Caller) -> None:
        await caller.hear()
        await caller.say({"reply": "That is all."})
        await caller.socket.close()

    async with SocketAgent(play) as server:
        agent = remote_agent({"type": "websocket", "url": server.url, "final": final})
        played = await talk_with(agent, make_test("Is that all?", "Anybody there?"))
    assert (played.run.status, played.run.ended_by) == ("passed", "agent_hung_up")
    assert [line.text for line in played.agent_lines] == ["That is all."]


async def test_pings_are_answered_while_the_caller_thinks() -> None:
    ponged = asyncio.Event()

    async def play(caller: Caller) -> None:
        await caller.hear()
        await caller.say({"reply": "Hello."})
        caller.socket._autoping = False  # so that the pong can be seen
        await caller.socket.ping(b"there?")
        message = await caller.socket.receive()
        if message.type is WSMsgType.PONG and message.data == b"there?":
            ponged.set()

    async with SocketAgent(play) as server, opened() as agents:
        agent = remote_agent({"type": "websocket", "url": server.url})
        await agents.reply(asked(agent, "Hi."), seconds_left=60)
        await asyncio.wait_for(ponged.wait(), 30)


async def test_runs_side_by_side_have_their_own_connections() -> None:
    async with SocketAgent(echo) as server, opened() as agents:
        agent = remote_agent({"type": "websocket", "url": server.url})

        async def talk(number: int) -> list[str]:
            talk: list[UserSaid | ModelSaid] = []
            for turn in range(3):
                talk.append(UserSaid(f"{turn} of {number}"))
                reply = await agents.reply(asked(agent, *talk, run_id=f"run_{number}"), seconds_left=60)
                talk.append(ModelSaid(reply.text, model="remote"))
            await agents.close(f"run_{number}")
            return [said.text for said in talk[1::2]]

        talks = await asyncio.gather(*(talk(number) for number in range(20)))
        await server.all_left(20)
    assert talks == [[f"You said: {turn} of {number}" for turn in range(3)] for number in range(20)]
    assert len(server.callers) == 20


async def test_leaving_hangs_up_what_is_still_open() -> None:
    async with SocketAgent(echo) as server:
        async with opened() as agents:
            await agents.reply(asked(remote_agent({"type": "websocket", "url": server.url}), "Hi."), seconds_left=60)
        await server.all_left(1)


def saying(*messages: object) -> Play:
    async def play(caller: Caller) -> None:
        await caller.hear()
        await caller.say(*messages)
        await caller.hear()

    return play


async def close_at_once(caller: Caller) -> None:
    await caller.socket.close(code=4001, message=b"bad key tok-12345 sk-abcdef123456")


async def close_without_words(caller: Caller) -> None:
    await caller.hear()
    await caller.socket.close()


async def going_away(caller: Caller) -> None:
    await caller.hear()
    await caller.say({"reply": "One "})
    await caller.socket.close(code=aiohttp.WSCloseCode.GOING_AWAY)


async def cut_off(caller: Caller) -> None:
    await caller.hear()
    await caller.say({"reply": "One "})
    assert caller.socket._req is not None
    assert caller.socket._req.transport is not None
    caller.socket._req.transport.close()


async def never_ends(caller: Caller) -> None:
    await caller.hear()
    for _ in range(10):
        await caller.say({"reply": "x" * 1_000_000})


BROKEN: dict[str, tuple[Play, dict[str, Any], str]] = {
    "closed at once": (
        close_at_once,
        {},
        "closed the connection in the middle of the talk (code 4001, in its words “bad",
    ),
    "closed without words": (
        close_without_words,
        {},
        "closed the connection in the middle of the talk (code 1000): see",
    ),
    "going away": (going_away, {"final": "done"}, "closed the connection in the middle of the talk (code 1001): see"),
    "cut off": (cut_off, {"final": "done"}, "broke the connection off in the middle of the talk: see its logs"),
    "not json": (saying("not json"), {}, "sent a message that is not JSON: see its logs"),
    "no words": (saying({"reply": {"x": 1}}), {}, "answered with an object with `x` where its words should be"),
    "calls": (saying({"c": 5}), {"tool_calls": "c"}, "answered with a number where a tool call should be"),
    "silent": (saying({"type": "typing"}), {"timeout_seconds": 0.05}, "gave no whole reply within 0.05 seconds"),
    "never final": (saying({"reply": "x"}), {"timeout_seconds": 0.05, "final": "done"}, "correct `remote.reply` and"),
    "one huge message": (saying({"reply": "x" * 5_000_000}), {}, "sent a message larger than 4096 KiB"),
    "many messages": (never_ends, {"final": "done"}, "sent more than 4096 KiB before its reply was whole"),
}


@pytest.mark.parametrize(("play", "remote", "words"), BROKEN.values(), ids=BROKEN)
async def test_every_failure_is_a_sentence_that_names_agent_and_origin_and_no_secret(
    play: Play, remote: dict[str, Any], words: str
) -> None:
    async with SocketAgent(play) as server:
        headers = {"X-Key": "tok-12345"}
        agent = remote_agent({"type": "websocket", "url": f"{server.url}?key=tok-12345", "headers": headers, **remote})
        played = await talk_with(agent, make_test("Hi."))
    said = str(played.run.error)
    assert played.run.status == "error"
    assert words in said
    assert f"The remote agent Maya at {server.url.removesuffix('/talk')}" in said
    assert "tok-" not in said
    assert "sk-" not in said


NO_SOCKET: dict[str, tuple[Answer, str, int]] = {
    "plain http": (Answer({"ok": True}), "does not speak WebSocket there: check `remote.url`", 1),
    "status 401": (Answer({}, status=401), "status 401 (Unauthorized): check its key", 1),
    "status 404": (Answer({}, status=404), "status 404 (Not Found): check `remote.url`", 1),
    "status 429": (Answer({}, status=429), "After 4 tries: The remote agent Maya", 4),
    "status 500": (Answer({}, status=500), "status 500 (Internal Server Error): see its logs", 1),
    "redirect": (
        Answer({}, status=302, headers={"Location": "https://other.example/x"}),
        "a redirect to https://other.example (status 302), which is not followed",
        1,
    ),
    "reset": (Answer(misbehave="reset"), "broke off before it answered", 1),
    "garbage": (Answer(misbehave="garbage"), "answer is not valid HTTP", 1),
}


@pytest.mark.parametrize(("answer", "words", "tries"), NO_SOCKET.values(), ids=NO_SOCKET)
async def test_a_server_that_opens_no_connection_is_told(answer: Answer, words: str, tries: int) -> None:
    async with WebhookReceiver(answer) as server:
        url = server.url.replace("http://", "ws://")
        with pytest.raises(RunError) as failure:
            await ask(remote_agent({"type": "websocket", "url": url}), "Hi")
    assert words in str(failure.value)
    assert len(server.requests) == tries


async def test_a_server_that_is_not_there_is_told_after_some_tries() -> None:
    waits = Waits()
    with pytest.raises(RunError, match=r"After 4 tries: .* at ws://127\.0\.0\.1:1 could not be reached"):
        await ask(remote_agent({"type": "websocket", "url": "ws://127.0.0.1:1"}), "Hi", patience=waits.patience)
    assert len(waits.seconds) == 3


async def test_an_address_that_may_not_be_called_is_refused() -> None:
    async with SocketAgent(echo) as server:
        with pytest.raises(RunError, match="cannot be called"):
            await ask(remote_agent({"type": "websocket", "url": server.url}), "Hi", allow_private_networks=False)
    assert server.callers == []


async def test_a_talk_whose_connection_is_gone_cannot_go_on() -> None:
    async with SocketAgent(echo) as server:
        agent = remote_agent({"type": "websocket", "url": server.url})
        with pytest.raises(RunError, match="no open connection for this talk any more"):
            await ask(agent, UserSaid("Hi"), ModelSaid("Hello.", model="remote"), UserSaid("And?"))
