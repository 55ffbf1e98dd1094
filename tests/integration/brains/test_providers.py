"""Every provider's wire, against a real HTTP server."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal

import pytest
from tests.support.model_server import Answer, Call, ModelServer, Status, Tokens
from tests.support.model_server_requests import LABELS, MODELS, talk_request, verdict_request
from tests.support.model_server_types import Wire

from greenroom.model.llm import Llm
from greenroom.model.talk import Brain, ModelSaid, ToolAnswered, ToolCall, UserSaid

pytestmark = pytest.mark.parametrize("wire", list(MODELS))


async def test_words_come_back_as_they_were_said(wire: Wire, brain: Brain, server: ModelServer) -> None:
    said = "नमस्ते! 您好 — مرحبا 👩‍⚕️ e\u0301"
    server.queue(Answer(text=said))
    reply = await brain.reply(talk_request(MODELS[wire], UserSaid("मुझे मिलना है 🙂")))
    assert reply.text == said
    assert (reply.calls, reply.finish, reply.requests, reply.warnings) == ((), "stop", 1, ())
    heard = server.requests[0]
    assert heard.wire == wire
    assert heard.model == MODELS[wire].partition(":")[2]
    assert heard.system == "You book visits."
    assert heard.last.text == "मुझे मिलना है 🙂"
    assert heard.tools == ("book_slot",)


async def test_a_tool_call_without_text_and_one_beside_text_are_both_read(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(
        Answer(calls=[Call("book_slot", {"day": "Monday"})]),
        Answer(text="One moment.", calls=[Call("book_slot", {"day": "Monday"})]),
    )
    silent = await brain.reply(talk_request(MODELS[wire]))
    spoken = await brain.reply(talk_request(MODELS[wire]))
    assert (silent.text, spoken.text) == ("", "One moment.")
    for reply in (silent, spoken):
        [call] = reply.calls
        assert (call.name, json.loads(call.arguments)) == ("book_slot", {"day": "Monday"})


async def test_parallel_calls_have_ids_of_their_own_and_their_results_go_back_together(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(
        Answer(calls=[Call("book_slot", {"day": "Monday"}), Call("book_slot", {"day": "Tuesday"}), Call("book_slot")])
    )
    first = await brain.reply(talk_request(MODELS[wire]))
    assert len({call.id for call in first.calls}) == 3
    assert [json.loads(call.arguments) for call in first.calls] == [{"day": "Monday"}, {"day": "Tuesday"}, {}]

    results = tuple(
        ToolAnswered(call.id, call.name, f'{{"n": {number}}}', ok=number != 2)
        for number, call in enumerate(first.calls)
    )
    await brain.reply(
        talk_request(
            MODELS[wire], UserSaid("A visit."), ModelSaid(first.text, first.calls, first.provider_state), *results
        )
    )
    asked, *answered = server.requests[-1].messages[1:]
    assert [call.id for call in asked.calls] == [call.id for call in first.calls]
    assert [message.role for message in answered] == ["tool"] * 3
    assert [message.call_id for message in answered] == [call.id for call in first.calls]
    assert all(f'"n": {number}' in message.text.replace("\\", "") for number, message in enumerate(answered))


async def test_ids_that_a_provider_leaves_out_do_not_depend_on_chance(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    twins = [Call("book_slot", {"day": "Monday"}, id="same"), Call("book_slot", {"day": "Tuesday"}, id="same")]
    server.queue(Answer(calls=twins), Answer(calls=twins))
    first = await brain.reply(talk_request(MODELS[wire]))
    second = await brain.reply(talk_request(MODELS[wire]))
    assert first.calls == second.calls
    assert first.calls[0].id != first.calls[1].id


@pytest.mark.parametrize("raw", ["{day: Monday", '"{\\"day\\": \\"Monday\\"}"', "[1, 2]", "null", ""])
async def test_arguments_that_are_no_object_can_be_sent_back(
    wire: Wire, raw: str, brain: Brain, server: ModelServer
) -> None:
    reply = await brain.reply(
        talk_request(
            MODELS[wire],
            UserSaid("A visit."),
            ModelSaid("", (ToolCall("call_1", "book_slot", raw),)),
            ToolAnswered("call_1", "book_slot", "The arguments are no JSON object.", ok=False),
        )
    )
    assert reply.text
    [call] = server.requests[0].messages[1].calls
    sent = json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments
    assert isinstance(sent, dict)
    assert raw in ("", "null") or raw in sent.values()


async def test_a_prefix_stays_the_same_byte_for_byte(wire: Wire, brain: Brain, server: ModelServer) -> None:
    talk = (
        UserSaid("One"),
        ModelSaid("Two", (ToolCall("c1", "book_slot", "{}"),)),
        ToolAnswered("c1", "book_slot", "3"),
    )
    for _ in range(2):
        await brain.reply(talk_request(MODELS[wire], *talk))
    await brain.reply(talk_request(MODELS[wire], *talk, ModelSaid("Four"), UserSaid("Five")))
    first, second, longer = server.requests
    assert first.raw == second.raw
    # Anthropic is told where the cached prefix ends, outside of the messages.
    key = "contents" if wire == "google" else "messages"
    kept = first.body[key]
    assert longer.body[key][: len(kept)] == kept


async def test_usage_counts_cached_and_reasoning_tokens_and_costs_something(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(Answer(text="Yes.", usage=Tokens(input=1000, output=200, cached=600, reasoning=50)))
    usage = (await brain.reply(talk_request(MODELS[wire]))).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_input_tokens) == (1000, 200, 600)
    assert usage.reasoning_tokens == (0 if wire == "anthropic" else 50)
    assert usage.cost is not None
    assert Decimal(0) < usage.cost < Decimal("0.01")
    assert not usage.estimated


async def test_usage_is_neither_zero_nor_doubled_after_retries(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Status(500), Status(429), Answer(text="Yes.", usage=Tokens(input=100, output=20)))
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.requests) == (100, 20, 3)
    assert server.count == 3


async def test_a_reply_without_usage_is_counted_from_its_text_and_marked(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(Answer(text="It is done. " * 10, usage=None))
    usage = (await brain.reply(talk_request(MODELS[wire]))).usage
    assert usage.estimated
    assert usage.input_tokens > 5
    assert 20 <= usage.output_tokens <= 40
    assert usage.cost


async def test_a_verdict_is_json_of_the_shape_asked_for(wire: Wire, brain: Brain, server: ModelServer) -> None:
    verdict = {"answer": "yes", "reason": "It greeted the caller.", "quote": "Hello"}
    server.queue(Answer(text=json.dumps(verdict)))
    reply = await brain.reply(verdict_request(MODELS[wire]))
    assert json.loads(reply.text) == verdict
    schema = server.requests[0].answer_schema
    assert schema is not None
    assert set(schema["properties"]) == {"answer", "reason", "quote"}


async def test_thinking_is_never_text_and_goes_back_to_who_thought(
    wire: Wire, brain: Brain, server: ModelServer
) -> None:
    server.queue(
        Answer(text="One moment.", calls=[Call("book_slot", {"day": "Monday"})], thinking="Hmm.", signature="c2lnbmVk")
    )
    llm = Llm(model=MODELS[wire])
    first = await brain.reply(talk_request(llm))
    assert first.text == "One moment."
    assert first.provider_state is not None
    said = ModelSaid(first.text, first.calls, first.provider_state, model=llm.model)
    result = ToolAnswered(first.calls[0].id, "book_slot", "done")
    await brain.reply(talk_request(llm, UserSaid("A visit."), said, result))
    expected = {"openai": '"reasoning_content":"Hmm."', "anthropic": '"signature":"c2lnbmVk"', "google": '"c2lnbmVk"'}
    assert expected[wire].encode() in server.requests[-1].raw
    assert "One moment." in server.requests[-1].messages[1].text

    other = ModelSaid(first.text, first.calls, first.provider_state, model="ollama:other")
    await brain.reply(talk_request(llm, UserSaid("A visit."), other, result))
    assert expected[wire].encode() not in server.requests[-1].raw
    assert b"Hmm." not in server.requests[-1].raw


async def test_words_that_the_engine_cut_are_what_goes_back(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Answer(text="A very long reply indeed.", thinking="Hmm.", signature="c2lnbmVk"))
    first = await brain.reply(talk_request(MODELS[wire]))
    await brain.reply(
        talk_request(
            MODELS[wire], UserSaid("A visit."), ModelSaid("A very", (), first.provider_state), UserSaid("And?")
        )
    )
    assert server.requests[-1].messages[1].text == "A very"


@pytest.mark.parametrize("leaked", ["<think>They want a visit.</think>Which day?", "<think>a</think>\n\nWhich day?"])
async def test_thinking_that_leaks_into_the_words_is_taken_out(
    wire: Wire, leaked: str, brain: Brain, server: ModelServer
) -> None:
    server.queue(Answer(text=leaked))
    reply = await brain.reply(talk_request(MODELS[wire]))
    assert reply.text.strip() == "Which day?"
    assert reply.provider_state is None


async def test_a_refusal_is_a_reply_with_a_warning(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Answer(text="I will not say that.", finish="refused"), Answer(finish="refused"))
    spoken = await brain.reply(talk_request(MODELS[wire]))
    silent = await brain.reply(talk_request(MODELS[wire]))
    assert (spoken.text, spoken.finish) == ("I will not say that.", "refused")
    assert (silent.text, silent.finish) == ("", "refused")
    name = MODELS[wire].partition(":")[2]
    assert spoken.warnings == (f"{LABELS[wire]} stopped a reply of {name} by its content filter.",)


async def test_a_reply_cut_at_the_token_limit_says_so(wire: Wire, brain: Brain, server: ModelServer) -> None:
    server.queue(Answer(text="And then we", finish="length"))
    reply = await brain.reply(talk_request(Llm(model=MODELS[wire], max_tokens=5, temperature=0.5)))
    assert (reply.text, reply.finish) == ("And then we", "cut")
    sent = server.requests[0].raw
    assert b'"temperature":0.5' in sent.replace(b" ", b"")
    assert any(field in sent.replace(b" ", b"") for field in (b'_tokens":5', b'maxOutputTokens":5'))


async def test_tools_can_be_shown_and_not_allowed(wire: Wire, brain: Brain, server: ModelServer) -> None:
    await brain.reply(replace(talk_request(MODELS[wire]), tool_choice="none"))
    heard = server.requests[0]
    body = heard.body
    chosen = body.get("tool_choice") or body["toolConfig"]["functionCallingConfig"]["mode"].lower()
    assert chosen in ("none", {"type": "none"}) or heard.tools == ()


async def test_what_no_provider_takes_is_replaced_on_the_way(wire: Wire, brain: Brain, server: ModelServer) -> None:
    reply = await brain.reply(talk_request(MODELS[wire], UserSaid("odd \ud83d half"), system="Prompt \udc00."))
    assert reply.text
    assert server.requests[0].last.text == "odd \ufffd half"
    assert server.requests[0].system == "Prompt \ufffd."


async def test_a_talk_that_opens_with_the_agent_can_be_sent(wire: Wire, brain: Brain, server: ModelServer) -> None:
    reply = await brain.reply(
        talk_request(MODELS[wire], UserSaid("(the call is connected)"), ModelSaid("Hello, Northline."), UserSaid("Hi."))
    )
    assert reply.text
    assert [message.role for message in server.requests[0].messages] == ["user", "model", "user"]
