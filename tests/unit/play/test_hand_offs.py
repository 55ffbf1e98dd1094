"""Hand-offs between hosted agents, and the backup brain."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.talks import FunctionBrain, make_agent, make_test, play, real_llm, tool_call

from greenroom.model.agent import Agent
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.limits import Limits
from greenroom.model.talk import BrainReply, BrainRequest, ModelSaid, ToolAnswered, UserSaid


def hand_off(to: str, reason: str = "", id: str = "c1") -> BrainReply:
    call = tool_call("hand_off_to_agent", json.dumps({"agent": to, "reason": reason}), id)
    return BrainReply(text="I connect you.", calls=(call,))


def desk(**fields: Any) -> Agent:
    return make_agent(name="Desk", llm=real_llm("desk"), can_hand_off=["Billing"], **fields)


def billing(**fields: Any) -> Agent:
    fields.setdefault("llm", real_llm("billing"))
    return make_agent(name="Billing", id="agt_2", prompt="You do billing.", greeting="Billing, hello.", **fields)


Reply = str | BrainReply


def by_model(**answers: Reply | Callable[[BrainRequest], Reply]) -> FunctionBrain:
    def answer(request: BrainRequest) -> Reply:
        chosen = answers[request.llm.name]
        return chosen if isinstance(chosen, str | BrainReply) else chosen(request)

    return FunctionBrain(answer)


async def test_the_talk_moves_and_the_receiving_agent_answers_in_the_same_turn() -> None:
    brain = by_model(desk=hand_off("Billing", "wants an invoice"), billing="Which invoice?")
    played = await play(desk(), make_test("My invoice is wrong.", "March."), brain=brain, others={"Billing": billing()})
    assert [(line.agent, line.text, line.turn) for line in played.agent_lines] == [
        ("Desk", "Front desk, hello.", 0),
        ("Desk", "I connect you.", 1),
        ("Billing", "Which invoice?", 1),
        ("Billing", "Which invoice?", 2),
    ]
    line = played.tool_lines[0]
    assert (line.name, line.source) == ("hand_off_to_agent", "handoff")
    assert line.result == {"ok": True, "agent": "Billing", "agent_id": "agt_2"}
    assert {(entry.model, entry.calls) for entry in played.run.usage} == {("desk", 1), ("billing", 2)}


async def test_the_receiving_agent_knows_what_was_said_aloud_and_nothing_else() -> None:
    brain = by_model(desk=hand_off("Billing", "wants an invoice"), billing="Which invoice?")
    await play(desk(), make_test("My invoice is wrong."), brain=brain, others={"Billing": billing()})
    request = brain.requests[-1]
    assert request.system.startswith("You do billing.")
    assert request.messages == (
        UserSaid("(the call is connected)"),
        ModelSaid("Front desk, hello."),
        UserSaid("My invoice is wrong."),
        ModelSaid("I connect you."),
        UserSaid("(the conversation is handed over to you by Desk. wants an invoice)"),
    )
    assert request.heard == "My invoice is wrong."


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (billing(enabled=False), "switched off"),
        (billing(pipeline_mode="realtime"), "realtime"),
        (None, "no agent named"),
    ],
)
async def test_a_hand_off_that_cannot_happen_is_refused_and_the_first_agent_goes_on(
    target: Agent | None, why: str
) -> None:
    def first(request: BrainRequest) -> str | BrainReply:
        refused = any(isinstance(m, ToolAnswered) for m in request.messages)
        return "Then I help you." if refused else hand_off("Billing")

    brain = by_model(desk=first)
    others = {"Billing": target} if target else {}
    played = await play(desk(), make_test("Billing!"), brain=brain, others=others)
    assert played.tool_lines[0].source == "refused"
    assert why in str(played.tool_lines[0].result)
    assert played.agent_lines[-1].agent == "Desk"


async def test_an_agent_that_is_not_allowed_as_a_target_is_refused() -> None:
    other = make_agent(name="Sales", llm=real_llm("sales"))

    def first(request: BrainRequest) -> str | BrainReply:
        return "Ok." if any(isinstance(m, ToolAnswered) for m in request.messages) else hand_off("Sales")

    played = await play(
        desk(), make_test("Sales!"), brain=by_model(desk=first), others={"Billing": billing(), "Sales": other}
    )
    assert "may not hand over to Sales" in str(played.tool_lines[0].result)


async def test_two_agents_that_hand_over_to_each_other_are_stopped_after_three_moves_a_turn() -> None:
    def always(other: str) -> Any:
        def answer(request: BrainRequest) -> str | BrainReply:
            last = request.messages[-1]
            if isinstance(last, ToolAnswered) and not last.ok:
                return "I stay."
            return hand_off(other, id=f"c{len(request.messages)}")

        return answer

    front, back = desk(), billing(can_hand_off=["Desk"])
    brain = by_model(desk=always("Billing"), billing=always("Desk"))
    played = await play(front, make_test("Hi."), brain=brain, others={"Billing": back, "Desk": front})
    assert [line.source for line in played.tool_lines] == ["handoff"] * 3 + ["refused"]
    assert played.agent_lines[-1].text == "I stay."


async def test_at_most_ten_moves_a_run() -> None:
    def once_a_turn(other: str) -> Any:
        def answer(request: BrainRequest) -> str | BrainReply:
            last = request.messages[-1]
            handed = isinstance(last, UserSaid) and "handed over" in last.text
            return (
                "Yes." if handed or isinstance(last, ToolAnswered) else hand_off(other, id=f"c{len(request.messages)}")
            )

        return answer

    front, back = desk(), billing(can_hand_off=["Desk"])
    brain = by_model(desk=once_a_turn("Billing"), billing=once_a_turn("Desk"))
    test = make_test(*[f"Message {n}." for n in range(13)])
    played = await play(front, test, brain=brain, others={"Billing": back, "Desk": front})
    sources = [line.source for line in played.tool_lines]
    assert sources.count("handoff") == 10
    assert sources[-1] == "refused"


async def test_an_agent_that_gets_the_talk_back_remembers_its_own_tool_calls() -> None:
    def front(request: BrainRequest) -> str | BrainReply:
        last = request.messages[-1]
        if isinstance(last, UserSaid) and "handed over" in last.text:
            return "I am back."
        if isinstance(last, ToolAnswered):
            return hand_off("Billing", id="c9")
        return BrainReply(text="", calls=(tool_call("look_up"),))

    back = billing(can_hand_off=["Desk"])
    start = desk(tools=[{"name": "look_up"}])
    brain = by_model(desk=front, billing=hand_off("Desk", id="b1"))
    played = await play(start, make_test("Hi."), brain=brain, others={"Billing": back, "Desk": start})
    assert played.agent_lines[-1].text == "I am back."
    last = [r for r in brain.requests if r.llm.name == "desk"][-1]
    assert [m.name for m in last.messages if isinstance(m, ToolAnswered)] == ["look_up", "hand_off_to_agent"]
    assert sum(isinstance(m, ModelSaid) for m in last.messages) == 4


async def test_two_decisions_in_one_reply_only_the_first_holds() -> None:
    reply = BrainReply(
        text="",
        calls=(tool_call("hand_off_to_agent", '{"agent": "Billing"}', "a"), tool_call("end_call", "{}", "b")),
    )
    brain = by_model(desk=reply, billing="Hello from billing.")
    played = await play(desk(can_end_call=True), make_test("Hi."), brain=brain, others={"Billing": billing()})
    assert [line.source for line in played.tool_lines] == ["handoff", "refused"]
    assert played.agent_lines[-1].agent == "Billing"


def failing(request: BrainRequest) -> str:
    raise BrainFailed(f"{request.llm.model} is down (503).", fault=BrainFault.UNAVAILABLE)


async def test_the_backup_brain_answers_when_the_main_brain_fails() -> None:
    brain = by_model(main=failing, backup="From the backup.")
    agent = make_agent(llm=real_llm("main"), llm_fallback=real_llm("backup"))
    played = await play(agent, make_test("Hi."), brain=brain)
    assert played.agent_lines[-1].fallback
    assert not played.agent_lines[0].fallback
    assert played.run.status == "passed"
    assert "openai:main is down (503)." in played.run.warnings[0]
    assert [(entry.role, entry.model) for entry in played.run.usage] == [("agent", "backup")]


async def test_both_brains_failing_is_an_error_that_names_both() -> None:
    agent = make_agent(llm=real_llm("main"), llm_fallback=real_llm("backup"))
    played = await play(agent, make_test("Hi."), brain=by_model(main=failing, backup=failing))
    assert played.run.error == "openai:main is down (503). The backup brain failed too: openai:backup is down (503)."


async def test_a_rehearsal_never_asks_the_main_brain_for_a_reply_but_caller_and_judge_keep_it() -> None:
    def main(request: BrainRequest) -> str:
        assert request.role != "agent"
        return '{"answer": "yes", "reason": "It was.", "quote": ""}' if request.role == "judge" else "Monday, please."

    brain = by_model(main=main, backup="From the backup.")
    agent = make_agent(llm=real_llm("main"), llm_fallback=real_llm("backup"))
    test = make_test(max_turns=2, checks=[{"type": "judge", "question": "Polite?"}])
    played = await play(agent, test, brain=brain, force_primary_failure=True)
    assert played.run.status == "passed"
    assert played.run.force_primary_failure
    assert all(line.fallback for line in played.agent_lines[1:])


async def test_a_rehearsal_without_a_backup_brain_is_an_error_with_a_sentence() -> None:
    played = await play(make_agent(llm=real_llm()), make_test("Hi."), force_primary_failure=True)
    assert "no backup brain to rehearse" in (played.run.error or "")


async def test_what_one_model_signed_is_not_sent_to_another() -> None:
    answers = iter(["first", "fail", "third"])

    def main(request: BrainRequest) -> BrainReply:
        word = next(answers)
        if word == "fail":
            raise BrainFailed("down", fault=BrainFault.UNAVAILABLE)
        return BrainReply(text=word, provider_state="signed by main")

    brain = by_model(main=main, backup=BrainReply(text="second", provider_state="signed by backup"))
    agent = make_agent(llm=real_llm("main"), llm_fallback=real_llm("backup"))
    await play(agent, make_test("One.", "Two.", "Three."), brain=brain)
    states = [
        [(m.text, m.provider_state) for m in request.messages if isinstance(m, ModelSaid) and m.provider_state]
        for request in brain.requests
    ]
    assert states == [[], [("first", "signed by main")], [], [("first", "signed by main")]]


async def test_moves_can_be_limited_by_policy() -> None:
    def first(request: BrainRequest) -> str | BrainReply:
        return "Ok." if any(isinstance(m, ToolAnswered) for m in request.messages) else hand_off("Billing")

    played = await play(
        desk(),
        make_test("Hi."),
        brain=by_model(desk=first),
        others={"Billing": billing()},
        limits=Limits(moves_a_turn=0),
    )
    assert played.tool_lines[0].source == "refused"
