"""A talk whose caller sits outside."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.talks import (
    FunctionBrain,
    FunctionRemote,
    NoRemotes,
    PlainSearch,
    RememberingTools,
    StillClock,
    make_agent,
    make_test,
    real_llm,
)

from greenroom.brains.scripted import ScriptedBrain
from greenroom.engine import Plan, Ports, never, play_test
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import RunError
from greenroom.model.events import Event
from greenroom.model.run import Run, ToolLine
from greenroom.model.talk import Brain, BrainReply, BrainRequest
from greenroom.play.conversation import Conversation, with_live_caller
from greenroom.play.ports import RemoteAgents

BOOK = {"name": "book_slot", "description": "Book a visit", "parameters": {"type": "object", "properties": {}}}


def converse(
    agent: Agent,
    *,
    test: Test | None = None,
    brain: Brain | None = None,
    others: Mapping[str, Agent] | None = None,
    remote: RemoteAgents | None = None,
    events: list[Event] | None = None,
    tools: RememberingTools | None = None,
) -> Conversation:
    async def listen(event: Event) -> None:
        if events is not None:
            events.append(event)

    plan = Plan("run_1", with_live_caller(test or make_test("unused")), agent, others or {})
    ports = Ports(
        brain or ScriptedBrain(), tools or RememberingTools(), PlainSearch(), remote or NoRemotes(), StillClock()
    )
    return Conversation(plan, ports, listen, never)


def said(run: Run) -> list[str]:
    return [f"{line.role}: {line.text}" for line in run.transcript if not isinstance(line, ToolLine)]


async def test_the_agent_speaks_first_and_answers_each_line() -> None:
    talk = converse(make_agent([{"when": "hello", "say": "Hi!"}, {"say": "What?"}]))
    await talk.open()
    assert await talk.say("Hello") is None
    assert await talk.say("Mumble") is None
    assert said(talk.run) == [
        "agent: Front desk, hello.",
        "caller: Hello",
        "agent: Hi!",
        "caller: Mumble",
        "agent: What?",
    ]
    assert talk.turns == talk.run.turns == 2


async def test_a_talk_from_outside_is_the_run_that_a_script_of_the_same_lines_gives() -> None:
    script: list[dict[str, Any]] = [
        {"when": "book", "call": {"tool": "book_slot"}, "say": "One moment."},
        {"when": {"tool": "book_slot"}, "say": "Booked."},
        {"when": "bye", "say": "Bye!", "hang_up": True},
    ]
    agent = make_agent(script, tools=[BOOK], can_end_call=True)
    test = make_test("Book it", "bye", tool_results={"book_slot": {"ok": True, "at": 10}})
    talk = converse(agent, test=test)
    await talk.open()
    for line in ("Book it", "bye"):
        await talk.say(line)
    live = await talk.finish()

    ports = Ports(ScriptedBrain(), RememberingTools(), PlainSearch(), NoRemotes(), StillClock())
    played = await play_test(Plan("run_1", test, agent), ports)

    assert live.transcript == played.transcript
    assert live.ended_by == played.ended_by == "agent_hung_up"
    assert live.usage == played.usage


async def test_the_brain_hears_nothing_of_a_turn_that_was_taken_back() -> None:
    brain = FunctionBrain(lambda request: f"Answer {len(request.messages)}")
    talk = converse(make_agent(llm=real_llm()), brain=brain)
    await talk.open()
    await talk.say("First")
    await talk.say("Second")
    taken = talk.undo()
    await talk.say("Third")
    assert [line.role for line in taken] == ["caller", "agent"]
    heard = str(brain.requests[-1].messages)
    assert "Second" not in heard
    assert "First" in heard
    assert said(talk.run)[-2] == "caller: Third"
    assert talk.run.transcript[-1].turn == 2


async def test_what_was_taken_back_stays_paid_for() -> None:
    talk = converse(make_agent(llm=real_llm()), brain=FunctionBrain(lambda _: "Yes."))
    await talk.open()
    await talk.say("One")
    talk.undo()
    assert talk.run.transcript[-1].role == "agent"
    assert talk.run.tokens() == (10, 5)


async def test_taking_back_gives_mocks_and_rules_their_turns_again() -> None:
    script: list[dict[str, Any]] = [
        {"when": {"tool": "book_slot"}, "say": "Done."},
        {"when": "book", "times": 1, "call": {"tool": "book_slot"}},
        {"say": "No more."},
    ]
    mocks = [{"tool": "book_slot", "times": 1, "result": "first"}, {"tool": "book_slot", "result": "later"}]
    talk = converse(make_agent(script, tools=[BOOK]), test=make_test("x", tool_mocks=mocks))
    await talk.open()
    await talk.say("book")
    talk.undo()
    await talk.say("book")
    (tool,) = [line for line in talk.run.transcript if isinstance(line, ToolLine)]
    assert tool.result == "first"


async def test_undo_without_a_turn_takes_nothing() -> None:
    talk = converse(make_agent())
    await talk.open()
    assert talk.undo() == []
    assert said(talk.run) == ["agent: Front desk, hello."]


async def test_a_hang_up_ends_the_talk_until_it_is_taken_back() -> None:
    talk = converse(make_agent([{"when": "bye", "say": "Bye!", "hang_up": True}, {"say": "Yes."}], can_end_call=True))
    await talk.open()
    end = await talk.say("bye")
    assert end is not None
    assert end.by == "agent_hung_up"
    with pytest.raises(ValueError, match="over"):
        await talk.say("wait")
    talk.undo()
    assert await talk.say("wait") is None


async def test_a_reply_that_was_cancelled_can_be_taken_back_and_said_again() -> None:
    asked, answered = asyncio.Event(), False

    class Slow:
        async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
            if not answered:
                asked.set()
                await asyncio.Event().wait()
            return BrainReply(text="At last.")

    talk = converse(make_agent(llm=real_llm()), brain=Slow())
    await talk.open()
    saying = asyncio.create_task(talk.say("Are you there?"))
    await asked.wait()
    saying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saying
    assert talk.is_broken_off
    answered = True
    talk.undo()
    await talk.say("Are you there?")
    assert said(talk.run) == ["agent: Front desk, hello.", "caller: Are you there?", "agent: At last."]


async def test_an_error_leaves_the_talk_where_it_can_be_taken_back_or_closed() -> None:
    talk = converse(make_agent([{"when": "hello", "say": "Hi."}]))
    await talk.open()
    with pytest.raises(RunError, match="No rule"):
        await talk.say("mumble")
    talk.undo()
    await talk.say("hello")
    with pytest.raises(RunError, match="No rule") as failed:
        await talk.say("mumble")
    run = await talk.finish(str(failed.value))
    assert run.status == "error"
    assert said(run)[-1] == "caller: mumble"


async def test_first_words_that_failed_can_be_asked_for_again() -> None:
    answers = iter(["", "", "Hello!"])
    talk = converse(make_agent(greeting=None, llm=real_llm()), brain=FunctionBrain(lambda _: next(answers)))
    with pytest.raises(RunError, match="empty reply"):
        await talk.open()
    await talk.open()
    assert said(talk.run) == ["agent: Hello!"]


async def test_a_realtime_agent_is_refused() -> None:
    with pytest.raises(RunError, match="realtime"):
        await converse(make_agent(pipeline_mode="realtime")).open()


async def test_a_dry_run_goes_on_after_a_planned_call() -> None:
    agent = make_agent([{"when": "book", "call": {"tool": "book_slot"}}, {"say": "Yes."}], tools=[BOOK])
    talk = converse(agent, test=make_test("x", tools="plan"))
    await talk.open()
    assert await talk.say("book") is None
    assert talk.end is None
    await talk.say("still there?")
    assert said(talk.run)[-1] == "agent: Yes."


async def test_after_a_hand_off_the_receiver_answers_and_undo_brings_the_first_back() -> None:
    first = make_agent(
        [{"when": "bill", "call": {"tool": "hand_off_to_agent", "arguments": {"agent": "Billing"}}}, {"say": "Desk."}],
        can_hand_off=["Billing"],
    )
    billing = make_agent([{"say": "Billing here."}], name="Billing")
    talk = converse(first, others={"Billing": billing})
    await talk.open()
    await talk.say("my bill")
    assert talk.agent.name == "Billing"
    talk.undo()
    assert talk.agent.name == "Front desk"
    await talk.say("hello")
    assert said(talk.run)[-1] == "agent: Desk."


async def test_an_edited_prompt_holds_from_the_next_reply_on_and_the_talk_stays() -> None:
    brain = FunctionBrain(lambda _: "Yes.")
    agent = make_agent(prompt="Be kind.", llm=real_llm())
    talk = converse(agent, brain=brain)
    await talk.open()
    await talk.say("One")
    await talk.follow(replace(talk.plan, agent=make_agent(prompt="Be brief.", llm=real_llm())))
    await talk.say("Two")
    assert brain.requests[0].system.startswith("Be kind.")
    assert brain.requests[1].system.startswith("Be brief.")
    assert "One" in str(brain.requests[1].messages)
    talk.undo()
    talk.undo()
    await talk.say("Three")
    assert brain.requests[2].system.startswith("Be brief.")
    assert "One" not in str(brain.requests[2].messages)


async def test_new_answers_and_variables_are_followed_too() -> None:
    agent = make_agent([{"when": {"tool": "book_slot"}, "say": "Done."}, {"call": {"tool": "book_slot"}}], tools=[BOOK])
    talk = converse(agent, test=make_test("x", tool_results={"book_slot": 1}))
    await talk.open()
    await talk.say("a")
    test = with_live_caller(make_test("x", tool_results={"book_slot": 2}))
    await talk.follow(replace(talk.plan, test=test))
    await talk.say("b")
    assert [line.result for line in talk.run.transcript if isinstance(line, ToolLine)] == [1, 2]


async def test_a_plan_that_cannot_be_followed_changes_nothing() -> None:
    talk = converse(make_agent([{"say": "Yes."}]))
    await talk.open()
    with pytest.raises(RunError, match="begin a new talk"):
        await talk.follow(replace(talk.plan, agent=make_agent(name="Somebody else")))
    await talk.say("still there?")
    assert said(talk.run)[-1] == "agent: Yes."


async def test_an_equal_script_counts_on_after_the_file_was_read_again() -> None:
    script: list[dict[str, Any]] = [{"times": 1, "say": "Once."}, {"say": "Again."}]
    talk = converse(make_agent(script))
    await talk.open()
    await talk.say("a")
    await talk.follow(replace(talk.plan, agent=make_agent(script, prompt="Edited.")))
    await talk.say("b")
    assert said(talk.run)[-1] == "agent: Again."


async def test_a_remote_agent_that_keeps_the_talk_itself_cannot_be_taken_back() -> None:
    agent = Agent.model_validate(
        {
            "name": "Far",
            "remote": {"type": "http", "url": "http://127.0.0.1:1/", "body": {"q": "{{message}}"}, "reply": "a"},
        }
    )
    talk = converse(agent, remote=FunctionRemote(lambda _: "Hi."))
    await talk.open()
    await talk.say("Hello")
    assert talk.is_kept_elsewhere
    with pytest.raises(RunError, match="cannot be taken back"):
        talk.undo()
    assert talk.turns == 1


async def test_closing_lets_go_of_tools() -> None:
    tools = RememberingTools()
    talk = converse(make_agent(), tools=tools)
    await talk.open()
    await talk.close()
    assert tools.closed == ["run_1"]


async def test_a_talk_that_was_stopped_is_cancelled() -> None:
    talk = converse(make_agent())
    await talk.open()
    run = await talk.finish(stopped=True)
    assert (run.status, run.ended_by) == ("cancelled", "stopped")


@given(st.lists(st.sampled_from(["book", "hello", "undo", "mumble"]), max_size=12))
async def test_any_talk_with_turns_taken_back_is_the_talk_without_them(steps: list[str]) -> None:
    script: list[dict[str, Any]] = [
        {"when": {"tool": "book_slot"}, "times": 2, "say": "Booked."},
        {"when": {"tool": "book_slot"}, "say": "Full."},
        {"when": "book", "call": {"tool": "book_slot"}},
        {"when": "hello", "times": 1, "say": "Hello!"},
        {"say": "Well."},
    ]
    mocks = [{"tool": "book_slot", "times": 1, "result": 1}, {"tool": "book_slot", "result": 2}]
    agent, test = make_agent(script, tools=[BOOK]), make_test("x", tool_mocks=mocks)
    talk, kept = converse(agent, test=test), list[str]()
    await talk.open()
    for step in steps:
        if step == "undo":
            talk.undo()
            kept = kept[:-1]
        else:
            await talk.say(step)
            kept.append(step)
    plain = converse(agent, test=test)
    await plain.open()
    for step in kept:
        await plain.say(step)
    assert talk.run.transcript == plain.run.transcript


async def test_the_tools_of_whoever_is_at_the_telephone_are_known() -> None:
    talk = converse(make_agent(tools=[BOOK], can_end_call=True))
    await talk.open()
    assert [tool.offer.name for tool in await talk.tools()] == ["book_slot", "end_call"]
