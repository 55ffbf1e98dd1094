"""A talk with an agent that lives elsewhere, seen from the engine."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.talks import (
    FunctionBrain,
    FunctionRemote,
    StillClock,
    make_agent,
    make_test,
    play,
    tool_call,
)

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.model.limits import Limits
from greenroom.model.talk import BrainReply, BrainRequest, ModelSaid, ToolAnswered, Usage, UserSaid
from greenroom.play.ports import RemoteCall, RemoteReply, RemoteRequest


def remote(*, stateful: bool = True, **fields: Any) -> Agent:
    where = {"type": "http", "url": "https://agent.example.com", "stateful": stateful}
    return Agent.model_validate({"name": "Maya", "remote": where, **fields})


async def test_prompt_variables_and_session_reach_the_agent_as_they_are() -> None:
    there = FunctionRemote(lambda _: "Yes.")
    agent = remote(prompt="You work for {{company}}.", variables={"company": "Nobody", "city": "Pune"})
    await play(agent, make_test("Hi.", "And?", variables={"company": "Northline"}), remote=there)
    first, second = there.requests
    assert first.prompt == "You work for Northline."
    assert first.variables == {"company": "Northline", "city": "Pune"}
    assert (first.session_id, second.session_id) == ("run_1", "run_1")
    assert (first.new_message, second.new_message) == ("Hi.", "And?")
    assert first.messages == (UserSaid("Hi."),)
    assert [type(message) for message in second.messages] == [UserSaid, ModelSaid, UserSaid]


async def test_nothing_is_added_to_the_prompt_of_a_remote_agent() -> None:
    there = FunctionRemote(lambda _: "Yes.")
    documents = [{"name": "Hours", "text": "Nine to five."}]
    await play(remote(prompt="", knowledge={"documents": documents}), make_test("Hi."), remote=there)
    assert there.requests[0].prompt == ""


async def test_a_greeting_is_laid_down_without_asking() -> None:
    there = FunctionRemote(lambda _: "Gladly.")
    played = await play(
        remote(greeting="{{company}}, hello.", variables={"company": "Northline"}), make_test("Hi."), remote=there
    )
    assert played.said == [("agent", "Northline, hello."), ("caller", "Hi."), ("agent", "Gladly.")]
    [request] = there.requests
    assert request.messages == (ModelSaid("Northline, hello."), UserSaid("Hi."))


async def test_an_agent_that_speaks_first_is_asked_for_its_first_words() -> None:
    there = FunctionRemote(lambda request: "Gladly." if request.messages else "Maya here.")
    played = await play(remote(speaks_first=True), make_test("Hi."), remote=there)
    assert played.said == [("agent", "Maya here."), ("caller", "Hi."), ("agent", "Gladly.")]
    assert there.requests[0].new_message == ""


async def test_without_greeting_a_remote_agent_waits_for_the_caller() -> None:
    there = FunctionRemote(lambda _: "Gladly.")
    played = await play(remote(), make_test("Hi."), remote=there)
    assert played.said == [("caller", "Hi."), ("agent", "Gladly.")]


async def test_an_empty_reply_of_an_agent_that_keeps_the_talk_is_an_error_at_once() -> None:
    there = FunctionRemote(lambda _: " \n ")
    played = await play(remote(), make_test("Hi."), remote=there)
    assert len(there.requests) == 1
    assert (played.run.status, played.run.ended_by) == ("error", "error")
    assert played.run.error == "the remote agent gave an empty reply once as the agent Maya: check its logs."


@pytest.mark.parametrize(("answers", "status"), [(["", "Yes."], "passed"), (["", ""], "error")])
async def test_an_agent_that_is_sent_the_whole_talk_is_asked_once_more(answers: list[str], status: str) -> None:
    rest = iter(answers)
    there = FunctionRemote(lambda _: next(rest))
    played = await play(remote(stateful=False), make_test("Hi."), remote=there)
    assert played.run.status == status
    assert there.requests[0].messages == there.requests[1].messages


@pytest.mark.parametrize("text", ["Bye.", ""])
async def test_an_agent_that_hangs_up_ends_the_talk(text: str) -> None:
    there = FunctionRemote(lambda _: RemoteReply(text, ended=True))
    played = await play(remote(), make_test("Hi.", "Never sent."), remote=there)
    assert (played.run.status, played.run.ended_by) == ("passed", "agent_hung_up")
    assert [line.text for line in played.agent_lines] == ([text] if text else [])


async def test_tools_that_it_ran_are_recorded_before_its_words_and_count_as_run() -> None:
    done = (RemoteCall("look", {"day": "Monday"}, {"free": True}), RemoteCall("book"))
    there = FunctionRemote(lambda _: RemoteReply("Booked.", done=done))
    checks = [
        {"type": "tool_order", "tools": ["look", "book"]},
        {"type": "calls_tool", "tool": "look", "arguments": {"day": "monday"}},
    ]
    played = await play(remote(), make_test("Book.", checks=checks), remote=there)
    assert played.run.status == "passed", played.run.checks
    assert [(line.name, line.arguments, line.result, line.source) for line in played.tool_lines] == [
        ("look", {"day": "Monday"}, {"free": True}, "recorded"),
        ("book", None, None, "recorded"),
    ]
    assert [line.role for line in played.run.transcript] == ["caller", "tool", "tool", "agent"]


async def test_calls_that_it_asks_for_are_answered_as_the_test_says() -> None:
    def answer(request: RemoteRequest) -> RemoteReply:
        if isinstance(request.messages[-1], ToolAnswered):
            return RemoteReply(f"It says {request.messages[-1].content}.")
        return RemoteReply("One moment.", calls=(tool_call("book"), tool_call("nix", id="c2")))

    there = FunctionRemote(answer)
    agent = remote(tools=[{"name": "book"}])
    played = await play(agent, make_test("Book.", tool_results={"book": {"ok": 1}}), remote=there)
    assert [tool.name for tool in there.requests[0].tools] == ["book"]
    assert [(line.name, line.source, line.reason) for line in played.tool_lines] == [
        ("book", "canned", None),
        ("nix", "refused", "unknown_tool"),
    ]
    assert there.requests[1].new_message == ""
    assert [type(message) for message in there.requests[1].messages] == [
        UserSaid,
        ModelSaid,
        ToolAnswered,
        ToolAnswered,
    ]


async def test_an_agent_that_only_calls_tools_is_stopped() -> None:
    there = FunctionRemote(lambda request: RemoteReply("", calls=(tool_call("book"),)))
    agent = remote(tools=[{"name": "book"}], stateful=False)
    played = await play(agent, make_test("Book."), remote=there, limits=Limits(tool_rounds=3))
    assert played.run.status == "error"
    assert "gave nothing but tool calls" in str(played.run.error)
    assert [bool(request.tools) for request in there.requests] == [True, True, False, False]


async def test_a_failure_ends_the_run_with_its_sentence() -> None:
    def fail(_: RemoteRequest) -> str:
        raise RunError("The remote agent Maya at https://agent.example.com answered with status 500.")

    played = await play(remote(), make_test("Hi."), remote=FunctionRemote(fail))
    assert (played.run.status, played.run.ended_by) == ("error", "error")
    assert played.run.error == "The remote agent Maya at https://agent.example.com answered with status 500."


async def test_latency_and_usage_stand_in_the_run() -> None:
    usage = Usage(input_tokens=10, output_tokens=5, cost=None)
    there = FunctionRemote(lambda _: RemoteReply("Yes.", latency_ms=120, usage=usage, model="desk-2"))
    played = await play(remote(), make_test("Hi.", "And?"), remote=there)
    assert [line.latency_ms for line in played.agent_lines] == [120, 120]
    [entry] = played.run.usage
    assert (entry.role, entry.provider, entry.model, entry.calls, entry.input_tokens) == (
        "agent",
        "remote",
        "desk-2",
        2,
        20,
    )


async def test_no_talk_is_handed_to_an_agent_that_lives_elsewhere() -> None:
    def answer(request: BrainRequest) -> str | BrainReply:
        if isinstance(request.messages[-1], ToolAnswered):
            return "I will help you myself."
        return BrainReply("", (tool_call("hand_off_to_agent", '{"agent": "Maya"}'),))

    there = FunctionRemote(lambda _: "Never asked.")
    desk = make_agent(can_hand_off=["Maya"], llm={"model": "openai:any"})
    played = await play(desk, make_test("Hi."), brain=FunctionBrain(answer), others={"Maya": remote()}, remote=there)
    assert [(line.name, line.source) for line in played.tool_lines] == [("hand_off_to_agent", "refused")]
    assert "lives elsewhere" in str(played.tool_lines[0].result)
    assert there.requests == []
    assert played.said[-1] == ("agent", "I will help you myself.")


async def test_the_backup_brain_of_a_remote_agent_cannot_be_rehearsed() -> None:
    played = await play(remote(), make_test("Hi."), remote=FunctionRemote(lambda _: "Yes."), force_primary_failure=True)
    assert "lives elsewhere: its backup brain cannot be rehearsed" in str(played.run.error)


async def test_a_persona_needs_a_model_of_its_own() -> None:
    there = FunctionRemote(lambda _: "Yes.")
    played = await play(remote(), make_test(), remote=there)
    assert played.run.status == "error"
    assert "No model plays the caller" in str(played.run.error)
    brain = FunctionBrain(lambda request: "Hello there." if request.role == "caller" else "x")
    played = await play(remote(caller_llm={"model": "openai:any"}), make_test(max_turns=1), remote=there, brain=brain)
    assert played.said == [("caller", "Hello there."), ("agent", "Yes.")]


async def test_time_that_runs_out_while_a_remote_agent_thinks_ends_the_talk() -> None:
    clock = StillClock()

    def slow(_: RemoteRequest) -> str:
        clock.seconds += 700
        return "Late."

    played = await play(remote(), make_test("Hi.", "Never asked."), remote=FunctionRemote(slow), clock=clock)
    assert played.run.ended_by == "time_ran_out"
    assert played.said == [("caller", "Hi."), ("agent", "Late."), ("caller", "Never asked.")]


async def test_a_reply_that_the_remote_agent_cut_short_is_marked() -> None:
    played = await play(
        remote(), make_test("Go on."), remote=FunctionRemote(lambda _: RemoteReply("And", was_cut=True))
    )
    assert played.agent_lines[-1].truncated
