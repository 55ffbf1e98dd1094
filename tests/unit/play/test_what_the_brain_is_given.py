"""How much of the talk and of its knowledge the agent's brain is given, and what is warned of before it speaks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.talks import FunctionBrain, FunctionRemote, make_agent, make_test, play, real_llm, tool_call

from greenroom.model.agent import Agent
from greenroom.model.limits import Limits
from greenroom.model.rules import check_test
from greenroom.model.talk import BrainReply, BrainRequest, Message, ModelSaid, ToolAnswered, UserSaid
from greenroom.play.seat import EARLIER_LEFT_OUT

HISTORY = [
    {"role": "caller", "text": "One"},
    {"role": "agent", "text": "Two"},
    {"role": "caller", "text": "Three"},
    {"role": "agent", "text": "Four"},
    {"role": "caller", "text": "Five?"},
]
HOURS = {"documents": [{"name": "Hours", "text": "We are open from nine to five."}]}


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [each.text for each in messages if not isinstance(each, ToolAnswered)]


@pytest.mark.parametrize(
    ("window", "given"),
    [
        (0, ["Five?"]),
        (1, [EARLIER_LEFT_OUT, "Four", "Five?"]),
        (2, ["Three", "Four", "Five?"]),
        (3, [EARLIER_LEFT_OUT, "Two", "Three", "Four", "Five?"]),
        (4, ["One", "Two", "Three", "Four", "Five?"]),
        (200, ["One", "Two", "Three", "Four", "Five?"]),
    ],
)
async def test_a_history_is_cut_to_the_context_window_oldest_first(window: int, given: list[str]) -> None:
    brain = FunctionBrain(lambda _: "Six.")
    agent = make_agent(llm=real_llm(), context_window=window)
    played = await play(agent, make_test(caller={"history": HISTORY}), brain=brain)
    assert texts(brain.requests[0].messages) == given
    assert [text for _, text in played.said] == ["One", "Two", "Three", "Four", "Five?", "Six."]


async def test_each_line_of_a_history_counts_even_where_one_side_wrote_several() -> None:
    brain = FunctionBrain(lambda _: "Yes.")
    history = [{"role": "caller", "text": text} for text in ("One", "Two", "Three")]
    agent = make_agent(llm=real_llm(), context_window=1)
    await play(agent, make_test(caller={"history": history}), brain=brain)
    assert texts(brain.requests[0].messages) == ["Two\nThree"]


async def test_a_talk_slides_out_of_the_window_as_it_grows() -> None:
    brain = FunctionBrain(lambda request: f"Answer {len(brain.requests)}.")
    agent = make_agent(llm=real_llm(), greeting=None, speaks_first=False, context_window=2)
    await play(agent, make_test("A?", "B?", "C?"), brain=brain)
    assert [texts(request.messages) for request in brain.requests] == [
        ["A?"],
        ["A?", "Answer 1.", "B?"],
        ["B?", "Answer 2.", "C?"],
    ]


async def test_a_call_and_its_result_are_never_torn_apart_by_the_window() -> None:
    def answer(request: BrainRequest) -> str | BrainReply:
        last = request.messages[-1]
        return (
            BrainReply(text="", calls=(tool_call("look_up", id=str(len(brain.requests))),))
            if (isinstance(last, UserSaid))
            else "Found."
        )

    brain = FunctionBrain(answer)
    agent = make_agent(llm=real_llm(), greeting=None, speaks_first=False, context_window=1, tools=[{"name": "look_up"}])
    await play(agent, make_test("A?", "B?", "C?"), brain=brain)
    for request in brain.requests:
        called = [call.id for each in request.messages if isinstance(each, ModelSaid) for call in each.calls]
        answered = [each.call_id for each in request.messages if isinstance(each, ToolAnswered)]
        assert called == answered
    assert texts(brain.requests[-2].messages) == [EARLIER_LEFT_OUT, "Found.", "C?"]
    assert len(brain.requests[-1].messages) == 5  # the call of this very turn and its result stay


async def test_a_remote_agent_that_takes_the_whole_talk_is_given_its_window() -> None:
    remote = FunctionRemote(lambda _: "Six.")
    agent = Agent.model_validate(
        {
            "name": "Elsewhere",
            "context_window": 1,
            "remote": {"type": "openai", "url": "https://example.com/v1", "model": "m", "stateful": False},
        }
    )
    await play(agent, make_test(caller={"history": HISTORY}), remote=remote)
    assert texts(remote.requests[0].messages) == ["Four", "Five?"]


async def test_without_its_knowledge_an_agent_has_nothing_of_it_in_the_prompt() -> None:
    brain = FunctionBrain(lambda _: "From nine.")
    agent = make_agent(llm=real_llm(), knowledge=HOURS)
    with_it = await play(agent, make_test("When?"), brain=brain)
    without = await play(agent, make_test("When?", use_knowledge=False), brain=brain)
    assert ["nine to five" in request.system for request in brain.requests] == [True, False]
    assert [played.agent_lines[-1].knowledge_chunks_used for played in (with_it, without)] == [1, 0]
    assert without.agent_lines[-1].grounding is None


async def test_without_its_knowledge_an_agent_cannot_search() -> None:
    brain = FunctionBrain(lambda _: "From nine.")
    agent = make_agent(llm=real_llm(), knowledge={**HOURS, "inline_limit": 0})
    await play(agent, make_test("When?"), brain=brain)
    await play(agent, make_test("When?", use_knowledge=False), brain=brain)
    assert [[tool.name for tool in request.tools] for request in brain.requests] == [["search_knowledge_base"], []]


async def test_an_agent_that_takes_over_goes_without_its_knowledge_too() -> None:
    def answer(request: BrainRequest) -> str | BrainReply:
        if "desk" in request.system:
            return BrainReply(text="", calls=(tool_call("hand_off_to_agent", '{"agent": "Other"}'),))
        return "Hello."

    brain = FunctionBrain(answer)
    other = make_agent(name="Other", prompt="You take over.", llm=real_llm(), knowledge=HOURS)
    agent = make_agent(prompt="You are the desk.", llm=real_llm(), can_hand_off=["Other"])
    await play(agent, make_test("Hi.", use_knowledge=False), brain=brain, others={"Other": other})
    assert "nine to five" not in brain.requests[-1].system


def test_grounding_cannot_be_checked_without_the_knowledge() -> None:
    test = make_test("When?", use_knowledge=False, checks=[{"type": "grounded"}])
    problems = check_test(test, make_agent(knowledge=HOURS), {}, Limits())
    assert [(each.path, "use_knowledge" in each.message) for each in problems] == [(("checks", 0), True)]


async def test_a_dry_run_stops_at_memory_tools_too() -> None:
    brain = FunctionBrain(
        lambda _: BrainReply(text="", calls=(tool_call("remember", '{"key": "name", "value": "Ravi"}'),))
    )
    agent = make_agent(llm=real_llm(), memory_tools=True)
    played = await play(agent, make_test("I am Ravi.", tools="plan"), brain=brain)
    assert [(line.name, line.source) for line in played.tool_lines] == [("remember", "planned")]
    assert len(brain.requests) == 1


@pytest.mark.parametrize(
    ("channels", "connected", "is_warned"),
    [
        (["web", "WhatsApp"], ["sms"], True),
        (["web", "WhatsApp"], ["whatsapp "], False),
        (["web"], [], True),
        (["web"], None, False),
        ([], ["sms"], True),
        ([], ["phone"], False),
        (["voice"], ["call"], False),
        ([], None, False),
    ],
)
async def test_a_run_warns_of_an_agent_that_no_channel_leads_to(
    channels: list[str], connected: list[str] | None, is_warned: bool
) -> None:
    fields: dict[str, Any] = {"channels": channels, "connected_channels": connected}
    played = await play(make_agent(**fields), make_test("Hello?"))
    warned = [each for each in played.run.warnings if "none of that is connected" in each]
    assert bool(warned) is is_warned
    assert all(channel in warned[0] for channel in channels if warned)
