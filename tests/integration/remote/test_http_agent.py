"""Agents behind an endpoint that takes and gives JSON."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.support.remote_agents import ask, asked, opened, remote_agent, sequence, talk_with
from tests.support.talks import make_test
from tests.support.webhook_receiver import Answer, Received, WebhookReceiver

from greenroom.model.errors import RunError
from greenroom.play.ports import RemoteCall


def echo(received: Received) -> Answer:
    return Answer({"reply": f"You said: {received.json['message']}"})


async def test_a_stateful_agent_is_sent_only_the_new_message_and_a_session_id() -> None:
    async with WebhookReceiver(echo) as server:
        agent = remote_agent({"type": "http", "url": server.url}, prompt="Be {{mood}}.", variables={"mood": "kind"})
        played = await talk_with(agent, make_test("Hello.", "A table for two.", variables={"day": "Monday"}))
    assert played.run.status == "passed", played.run.error
    assert played.said == [
        ("caller", "Hello."),
        ("agent", "You said: Hello."),
        ("caller", "A table for two."),
        ("agent", "You said: A table for two."),
    ]
    told = {"session_id": "run_1", "prompt": "Be kind.", "variables": {"mood": "kind", "day": "Monday"}}
    assert [request.json for request in server.requests] == [
        {"message": "Hello.", **told},
        {"message": "A table for two.", **told},
    ]
    assert all(request.headers["X-Greenroom-Test"] == "true" for request in server.requests)


async def test_a_stateless_agent_is_sent_the_whole_talk_with_each_message() -> None:
    async with WebhookReceiver(echo) as server:
        agent = remote_agent({"type": "http", "url": server.url, "stateful": False}, greeting="Maya here.")
        await talk_with(agent, make_test("Hello.", "And then?"))
    assert server.requests[-1].json["message"] == "And then?"
    assert server.requests[-1].json["messages"] == [
        {"role": "assistant", "content": "Maya here."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "You said: Hello."},
        {"role": "user", "content": "And then?"},
    ]


async def test_an_agent_that_opens_the_talk_is_asked_with_no_message() -> None:
    async with WebhookReceiver(sequence([Answer({"reply": "Maya here."}), Answer({"reply": "Gladly."})])) as server:
        agent = remote_agent({"type": "http", "url": server.url}, speaks_first=True)
        played = await talk_with(agent, make_test("A table."))
    assert played.said == [("agent", "Maya here."), ("caller", "A table."), ("agent", "Gladly.")]
    assert [request.json["message"] for request in server.requests] == ["", "A table."]


async def test_a_body_is_mapped_as_its_owner_wrote_it() -> None:
    remote: dict[str, Any] = {
        "type": "http",
        "method": "PUT",
        "stateful": False,
        "headers": {"Authorization": "Token {{variables.key}}", "X-Session": "{{session_id}}"},
        "body": {
            "input": {"text": "{{message}}", "log": "{{messages}}", "note": "Says “{{ message }}” in {{session_id}}"},
            "vars": "{{variables}}",
            "who": "{{variables.name}}",
            "fixed": [1, True, None, "{plain}", "{{#each}}"],
        },
        "reply": "out.1.text",
    }
    answer = Answer({"out": [{"text": "no"}, {"text": "Yes, नमस्ते 👍🏽"}]})
    async with WebhookReceiver(answer) as server:
        agent = remote_agent(
            {**remote, "url": f"{server.url}/{{{{variables.name}}}}?s={{{{session_id}}}}"},
            variables={"name": "Zoë à co", "key": "abc"},
        )
        reply = await ask(agent, "Quote \" and 'this' नमस्ते")
    [request] = server.requests
    assert reply.text == "Yes, नमस्ते 👍🏽"
    assert (request.method, request.path) == ("PUT", "/hook/Zo%C3%AB%20%C3%A0%20co?s=run_1")
    assert request.headers["Authorization"] == "Token abc"
    assert request.headers["X-Session"] == "run_1"
    words = "Quote \" and 'this' नमस्ते"
    assert request.json == {
        "input": {
            "text": words,
            "log": [{"role": "user", "content": words}],
            "note": f"Says “{words}” in run_1",
        },
        "vars": {"name": "Zoë à co", "key": "abc"},
        "who": "Zoë à co",
        "fixed": [1, True, None, "{plain}", "{{#each}}"],
    }


@pytest.mark.parametrize(
    ("remote", "asked_for"),
    [
        ({"body": {"q": "{{message}}", "s": "{{session_id}}"}}, "/hook?q=Hi%20%26%20bye&s=run_1"),
        ({}, "/hook?message=Hi%20%26%20bye&session_id=run_1&prompt=&variables=%7B%7D"),
        ({"url": "?q={{message}}"}, "/hook?q=Hi%20%26%20bye"),
    ],
)
async def test_a_get_says_everything_by_its_url(remote: dict[str, Any], asked_for: str) -> None:
    async with WebhookReceiver(Answer({"reply": "Yes."})) as server:
        url = server.url + str(remote.get("url", ""))
        await ask(remote_agent({"type": "http", "method": "GET", **remote, "url": url}), "Hi & bye")
    [request] = server.requests
    assert (request.method, request.path, request.body) == ("GET", asked_for, b"")


async def test_the_servers_own_session_is_used_from_its_first_answer_on() -> None:
    answers = [Answer({"reply": "One.", "chat": {"id": 77}}), Answer({"reply": "Two."}), Answer({"reply": "Three."})]
    async with WebhookReceiver(sequence(answers)) as server:
        agent = remote_agent({"type": "http", "url": server.url, "session": "chat.id"})
        played = await talk_with(agent, make_test("a", "b", "c"))
    assert played.run.status == "passed", played.run.error
    assert [request.json["session_id"] for request in server.requests] == ["run_1", 77, 77]


async def test_runs_side_by_side_keep_their_own_sessions() -> None:
    def answer(received: Received) -> Answer:
        session = received.json["session_id"]
        own = session if str(session).startswith("own-") else f"own-{received.json['message']}"
        return Answer({"reply": f"{received.json['message']} in {session}", "session": own})

    async with WebhookReceiver(answer) as server, opened() as agents:
        agent = remote_agent({"type": "http", "url": server.url, "session": "session"})

        async def talk(number: int) -> list[str]:
            said: list[str] = []
            for _ in range(3):
                request = asked(agent, f"caller {number}", run_id=f"run_{number}")
                said.append((await agents.reply(request, seconds_left=60)).text)
            await agents.close(f"run_{number}")
            return said

        talks = await asyncio.gather(*(talk(number) for number in range(30)))
    for number, said in enumerate(talks):
        words = f"caller {number}"
        assert said == [f"{words} in run_{number}", f"{words} in own-{words}", f"{words} in own-{words}"]


CALLS: list[tuple[object, list[RemoteCall]]] = [
    (
        [{"name": "book", "arguments": {"day": 1}, "result": {"ok": True}}],
        [RemoteCall("book", {"day": 1}, {"ok": True})],
    ),
    ([{"tool": "book", "args": {"day": 1}, "output": "ok"}], [RemoteCall("book", {"day": 1}, "ok")]),
    ([{"tool_name": "book", "input": [1]}], [RemoteCall("book", [1])]),
    ([{"function": {"name": "book", "arguments": '{"day": 1}'}}], [RemoteCall("book", {"day": 1})]),
    ([{"function": "book", "arguments": "not json"}], [RemoteCall("book", "not json")]),
    ({"name": "book"}, [RemoteCall("book")]),
    (["book", "pay"], [RemoteCall("book"), RemoteCall("pay")]),
    ([], []),
    (None, []),
]


@pytest.mark.parametrize(("calls", "done"), CALLS)
async def test_tools_that_the_agent_ran_are_told_in_any_usual_shape(calls: object, done: list[RemoteCall]) -> None:
    async with WebhookReceiver(Answer({"reply": "Done.", "trace": {"calls": calls}})) as server:
        agent = remote_agent({"type": "http", "url": server.url, "tool_calls": "trace.calls"})
        reply = await ask(agent, "Book.")
    assert list(reply.done) == done


async def test_what_the_agent_ran_and_that_it_hung_up_stand_in_the_run() -> None:
    body = {"reply": "Booked, bye!", "calls": [{"name": "book", "arguments": {"day": "Monday"}}], "over": True}
    async with WebhookReceiver(Answer(body)) as server:
        agent = remote_agent({"type": "http", "url": server.url, "tool_calls": "calls", "ended": "over"})
        checks = [{"type": "calls_tool", "tool": "book", "arguments": {"day": "monday"}}, {"type": "ends_call"}]
        played = await talk_with(agent, make_test("Book.", "Never sent.", checks=checks))
    assert played.run.status == "passed", played.run.checks
    assert played.run.ended_by == "agent_hung_up"
    assert [(line.name, line.source) for line in played.tool_lines] == [("book", "recorded")]
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [("Yes.", "Yes."), (42, "42"), (["One.", "Two."], "One.\nTwo."), ([{"type": "text", "text": "Hi"}], "Hi"),
     ({"content": "Hi"}, "Hi")],
)  # fmt: skip
async def test_words_may_have_any_usual_form(value: object, words: str) -> None:
    async with WebhookReceiver(Answer({"reply": value})) as server:
        assert (await ask(remote_agent({"type": "http", "url": server.url}), "Hi")).text == words


async def test_a_bare_answer_may_be_all_of_the_words() -> None:
    async with WebhookReceiver(Answer("Just words.")) as server:
        assert (await ask(remote_agent({"type": "http", "url": server.url, "reply": "$"}), "Hi")).text == "Just words."


@pytest.mark.parametrize("where", ["url", "headers", "body"])
async def test_a_variable_without_a_value_is_told_before_anything_is_sent(where: str) -> None:
    async with WebhookReceiver() as server:
        text = "{{variables.customer}}"
        fields: dict[str, Any] = {
            "url": {"url": f"{server.url}/{text}"},
            "headers": {"headers": {"X-Who": text}},
            "body": {"body": {"who": [text]}},
        }[where]
        with pytest.raises(RunError, match=rf"`remote\.{where}.*{{{{variables\.customer}}}}, but neither"):
            await ask(remote_agent({"type": "http", "url": server.url, **fields}), "Hi")
    assert server.requests == []


async def test_a_header_value_cannot_begin_a_header_of_its_own() -> None:
    async with WebhookReceiver(Answer({"reply": "x"})) as server:
        headers = {"X-Who": "{{variables.who}}", "x-greenroom-test": "false"}
        agent = remote_agent(
            {"type": "http", "url": server.url, "headers": headers}, variables={"who": "a\r\nX-Bad: 1"}
        )
        await ask(agent, "Hi")
    [request] = server.requests
    assert request.headers["X-Who"] == "a X-Bad: 1"
    assert request.headers["X-Greenroom-Test"] == "true"
    assert "X-Bad" not in request.headers


async def test_an_agent_that_keeps_the_talk_refuses_one_that_it_has_not_heard() -> None:
    history = [
        {"role": "caller", "text": "Hi."},
        {"role": "agent", "text": "Hello."},
        {"role": "caller", "text": "A table."},
    ]
    async with WebhookReceiver(echo) as server:
        test = make_test(caller={"history": history})
        refused = await talk_with(remote_agent({"type": "http", "url": server.url}), test)
        told = await talk_with(remote_agent({"type": "http", "url": server.url, "stateful": False}), test)
    assert "keeps the talk itself" in str(refused.run.error)
    assert told.run.ended_by == "replied"
    assert [message["content"] for message in server.requests[0].json["messages"]] == ["Hi.", "Hello.", "A table."]


async def test_an_answer_is_json_text_of_any_script() -> None:
    words = "नमस्ते \u202eمرحبا\u202c 你好 e\u0301 👩‍👩‍👧 \u0000"
    async with WebhookReceiver(
        lambda received: Answer(json.dumps({"reply": received.json["message"]}).encode())
    ) as server:
        played = await talk_with(remote_agent({"type": "http", "url": server.url}), make_test(words))
    assert played.said[-1] == ("agent", words.replace("\u0000", "\ufffd"))
