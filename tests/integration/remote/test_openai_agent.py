"""Agents behind an endpoint that speaks OpenAI chat completions."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.remote_agents import ask, completion, remote_agent, sequence, talk_with
from tests.support.talks import make_test, tool_call
from tests.support.webhook_receiver import Answer, Received, WebhookReceiver

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.model.llm import Credential
from greenroom.model.talk import ModelSaid, ToolAnswered, UserSaid

TOOLS = [
    {
        "name": "book_slot",
        "description": "Book a visit",
        "parameters": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
    }
]


def openai_agent(server: WebhookReceiver, remote: dict[str, Any] | None = None, **fields: Any) -> Agent:
    url = server.url.replace("/hook", "/v1")
    return remote_agent({"type": "openai", "url": url, **(remote or {})}, **fields)


def echo(received: Received) -> Answer:
    return completion(f"Heard: {received.json['messages'][-1]['content']}")


async def test_a_stateless_agent_is_sent_prompt_whole_talk_and_variables() -> None:
    async with WebhookReceiver(echo) as server:
        agent = openai_agent(server, {"model": "front-desk"}, prompt="You work for {{company}}.")
        played = await talk_with(agent, make_test("Hi.", "A table.", variables={"company": "Northline"}))
    assert played.run.status == "passed", played.run.error
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 2
    assert server.requests[-1].json == {
        "model": "front-desk",
        "stream": False,
        "metadata": {"company": "Northline"},
        "messages": [
            {"role": "system", "content": "You work for Northline."},
            {"role": "user", "content": "Hi."},
            {"role": "assistant", "content": "Heard: Hi."},
            {"role": "user", "content": "A table."},
        ],
    }


async def test_a_stateful_agent_is_sent_only_what_is_new_and_the_prompt_once() -> None:
    async with WebhookReceiver(echo) as server:
        agent = openai_agent(server, {"stateful": True}, prompt="Be kind.", greeting="Maya here.")
        await talk_with(agent, make_test("Hi.", "A table.", "Bye."))
    assert [request.json["messages"] for request in server.requests] == [
        [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi."}],
        [{"role": "user", "content": "A table."}],
        [{"role": "user", "content": "Bye."}],
    ]
    assert {request.json["user"] for request in server.requests} == {"run_1"}
    assert {request.headers["X-Session-Id"] for request in server.requests} == {"run_1"}


@pytest.mark.parametrize("stateful", [False, True])
async def test_tool_calls_are_answered_by_the_test_and_handed_back(stateful: bool) -> None:
    answers = [
        completion("One moment.", ("book_slot", {"day": "Monday"}), ("book_slot", {"day": "Sunday"})),
        completion("Monday it is."),
        completion("Bye."),
    ]
    async with WebhookReceiver(sequence(answers)) as server:
        agent = openai_agent(server, {"stateful": stateful}, tools=TOOLS)
        test = make_test(
            "Monday or Sunday?",
            "Thanks.",
            tool_results={"book_slot": {"ok": True}},
            tool_mocks=[{"tool": "book_slot", "when": {"day": "Sunday"}, "error": "Closed."}],
            checks=[{"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "Monday"}}],
        )
        played = await talk_with(agent, test)
    assert played.run.status == "passed", played.run.error
    assert [(line.source, line.result) for line in played.tool_lines] == [
        ("canned", {"ok": True}),
        ("canned", {"error": "Closed."}),
    ]
    assert server.requests[0].json["tools"] == [{"type": "function", "function": TOOLS[0]}]
    results = [
        {"role": "tool", "tool_call_id": "call_0", "content": '{"ok": true}'},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"error": "Closed."}'},
    ]
    if stateful:
        assert server.requests[1].json["messages"] == results
        assert server.requests[2].json["messages"] == [{"role": "user", "content": "Thanks."}]
        return
    said = server.requests[1].json["messages"][1]
    assert (said["role"], said["content"]) == ("assistant", "One moment.")
    assert [(call["id"], call["function"]["arguments"]) for call in said["tool_calls"]] == [
        ("call_0", '{"day": "Monday"}'),
        ("call_1", '{"day": "Sunday"}'),
    ]
    assert server.requests[1].json["messages"] == [{"role": "user", "content": "Monday or Sunday?"}, said, *results]


async def test_an_agent_that_opens_the_talk_is_told_that_the_call_is_connected() -> None:
    async with WebhookReceiver(sequence([completion("Maya here."), completion("Gladly.")])) as server:
        agent = openai_agent(server, prompt="Be kind.", speaks_first=True)
        played = await talk_with(agent, make_test("A table."))
    assert played.said == [("agent", "Maya here."), ("caller", "A table."), ("agent", "Gladly.")]
    opening = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "(the call is connected)"}]
    assert server.requests[0].json["messages"] == opening
    assert server.requests[1].json["messages"][:3] == [*opening, {"role": "assistant", "content": "Maya here."}]


async def test_the_key_goes_as_a_bearer_token_and_shows_in_no_error() -> None:
    key = "plain-old-secret-key"

    def refuse(received: Received) -> Answer:
        return Answer({"error": {"message": f"Wrong key: {received.headers['Authorization']}"}}, status=401)

    async with WebhookReceiver(refuse) as server:
        agent = openai_agent(server, {"credential": "desk"})
        with pytest.raises(RunError) as failure:
            await ask(agent, "Hi", credentials={"desk": Credential(api_key=SecretStr(key))})
        with pytest.raises(RunError, match=r"no credential named `desk` for the agent Maya: name one of `other`\."):
            await ask(agent, "Hi", credentials={"other": Credential(api_key=SecretStr(key))})
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
    assert "check its key in `remote.credential`" in str(failure.value)
    assert key not in str(failure.value)


async def test_headers_and_extra_fields_are_filled_in_and_null_takes_a_field_out() -> None:
    async with WebhookReceiver(echo) as server:
        remote = {
            "headers": {"X-Tenant": "{{variables.tenant}}"},
            "extra_body": {
                "metadata": None,
                "temperature": 0,
                "call": {"id": "{{session_id}}", "vars": "{{variables}}"},
            },
        }
        await ask(openai_agent(server, remote, variables={"tenant": "north"}), "Hi")
        with pytest.raises(RunError, match=r"remote\.extra_body"):
            await ask(openai_agent(server, {"extra_body": {"x": "{{variables.nix}}"}}), "Hi")
    [request] = server.requests
    assert request.headers["X-Tenant"] == "north"
    assert request.json["call"] == {"id": "run_1", "vars": {"tenant": "north"}}
    assert request.json["temperature"] == 0
    assert "metadata" not in request.json


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/agents/{{variables.id}}?api-version=2", "/agents/a1/chat/completions?api-version=2"),
    ],
)
async def test_the_address_leads_to_chat_completions(url: str, path: str) -> None:
    async with WebhookReceiver(echo) as server:
        await ask(openai_agent(server, {"url": server.url.replace("/hook", url)}, variables={"id": "a1"}), "Hi")
    assert server.requests[0].path == path


async def test_usage_counts_where_it_is_sent_and_its_price_is_not_known() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    async with WebhookReceiver(lambda _: completion("Yes.", usage=usage, model="desk-2")) as server:
        played = await talk_with(openai_agent(server), make_test("One?", "Two?"))
    [entry] = played.run.usage
    assert (entry.role, entry.model, entry.calls) == ("agent", "desk-2", 2)
    assert (entry.input_tokens, entry.cached_input_tokens) == (200, 120)
    assert (entry.output_tokens, entry.reasoning_tokens) == (40, 10)
    assert entry.cost_usd is None
    assert played.run.known_cost_usd == Decimal(0)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "many"}, {"prompt_tokens": -1}, 5])
async def test_usage_that_says_nothing_is_not_counted(usage: object) -> None:
    async with WebhookReceiver(completion("Yes.", usage=usage)) as server:
        assert (await ask(openai_agent(server), "Hi")).usage is None


async def test_what_other_servers_do_differently_is_understood() -> None:
    message = {
        "content": [{"type": "text", "text": "<think>hm</think>Yes."}],
        "tool_calls": [
            {"function": {"name": "book_slot", "arguments": {"day": "Monday"}}},
            {"function": {"name": "x"}},
        ],
    }
    async with WebhookReceiver(Answer({"choices": [{"message": message}]})) as server:
        reply = await ask(openai_agent(server), "Hi")
    assert reply.text == "Yes."
    assert reply.calls == (tool_call("book_slot", '{"day": "Monday"}', ""), tool_call("x", "{}", ""))


async def test_a_refusal_is_told_in_the_models_words() -> None:
    answer = Answer({"choices": [{"message": {"content": None, "refusal": "I cannot do that."}}]})
    async with WebhookReceiver(answer) as server:
        assert (await ask(openai_agent(server), "Hi")).text == "I cannot do that."


def events(*chunks: object, end: str = "data: [DONE]\n\n") -> Answer:
    lines = "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks)
    body = f": a comment\n\n{lines}{end}".encode()
    return Answer(body, headers={"Content-Type": "text/event-stream; charset=utf-8"})


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"delta": fields, "finish_reason": finish}]}


async def test_an_answer_that_comes_as_a_stream_is_put_together() -> None:
    first = {"index": 0, "id": "call_a", "function": {"name": "book_slot", "arguments": '{"day"'}}
    answer = events(
        delta(role="assistant", content="One "),
        delta(content="moment, नम"),
        delta(content="स्ते."),
        delta(tool_calls=[first]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": ': "Monday"}'}}]),
        delta(finish="tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
    )
    async with WebhookReceiver(answer) as server:
        reply = await ask(openai_agent(server), "Hi")
    assert reply.text == "One moment, नमस्ते."
    assert reply.calls == (tool_call("book_slot", '{"day": "Monday"}', "call_a"),)
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.model) == (7, "m")


BROKEN: dict[str, tuple[Answer, str]] = {
    "not a completion": (Answer({"reply": "Hi"}), "without a reply at `choices.0.message`; its answer is an object"),
    "no choices": (Answer({"choices": []}), "without a reply at `choices.0.message`"),
    "an error in disguise": (Answer({"error": {"message": "Overloaded."}}), "in its words “Overloaded”: check"),
    "nameless call": (
        Answer({"choices": [{"message": {"content": "", "tool_calls": [{"id": "1"}]}}]}),
        "a tool call without `function.name`",
    ),
    "calls that are no list": (
        Answer({"choices": [{"message": {"content": "", "tool_calls": {"a": 1}}}]}),
        "as its `tool_calls`, which is a list",
    ),
    "content that is no text": (Answer({"choices": [{"message": {"content": {"a": 1}}}]}), "where its words should be"),
    "filtered": (
        Answer({"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}),
        "its content filter stopped it",
    ),
    "broken stream": (events(delta(content="One "), end=""), "its stream has no end"),
    "stream that is not json": (events(end="data: {nix\n\n"), "an event which is not JSON"),
    "error in a stream": (events({"error": {"message": "Overloaded."}}), "in its words “Overloaded”"),
    "not json": (Answer(b"<html>"), "is not JSON"),
    "status 400": (Answer({"error": {"message": "No messages."}}, status=400), "in its words “No messages”"),
}


@pytest.mark.parametrize(("answer", "words"), BROKEN.values(), ids=BROKEN)
async def test_every_failure_is_a_sentence(answer: Answer, words: str) -> None:
    async with WebhookReceiver(answer) as server:
        with pytest.raises(RunError) as failure:
            await ask(openai_agent(server), "Hi")
    assert words in str(failure.value)
    assert "The remote agent Maya at http://127.0.0.1:" in str(failure.value)


async def test_an_empty_reply_is_asked_for_once_more_and_then_an_error() -> None:
    async with WebhookReceiver(
        sequence([completion(""), completion("Here."), completion(None), completion("")])
    ) as server:
        played = await talk_with(openai_agent(server), make_test("Hi.", "Again?"))
    assert played.said[1] == ("agent", "Here.")
    assert played.run.status == "error"
    assert "gave an empty reply twice in a row as the agent Maya" in str(played.run.error)


async def test_results_of_a_call_are_handed_to_a_stateful_agent_even_after_other_words() -> None:
    talk = (
        UserSaid("Hi"),
        ModelSaid("", (tool_call("a", "{}", "call_9"),), model="m"),
        ToolAnswered("call_9", "a", "ok"),
    )
    async with WebhookReceiver(completion("Yes.")) as server:
        await ask(openai_agent(server, {"stateful": True}), *talk)
    assert server.requests[0].json["messages"] == [{"role": "tool", "tool_call_id": "call_9", "content": "ok"}]
