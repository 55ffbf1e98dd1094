"""The engine's own tools: knowledge, cards, memory, and the ways to end a talk."""

from __future__ import annotations

from tests.support.talks import FunctionBrain, make_agent, make_test, play, real_llm, tool_call
from tests.support.tool_talks import calling, told

from greenroom.model.talk import BrainReply, BrainRequest, ToolAnswered


async def test_knowledge_is_searched_for_real_and_counted() -> None:
    knowledge = {"documents": [{"name": "Hours", "text": "We close at six."}], "inline_limit": 0}
    brain = calling(tool_call("search_knowledge_base", '{"query": "close"}'), then="We close at six.")
    played = await play(make_agent(llm=real_llm(), knowledge=knowledge), make_test("When?"), brain=brain)
    line = played.tool_lines[0]
    assert line.source == "knowledge"
    assert line.result == {"passages": [{"document": "Hours", "text": "We close at six."}]}
    assert played.agent_lines[-1].knowledge_chunks_used == 1
    assert played.agent_lines[-1].grounding == "known"
    assert "We close at six." not in brain.requests[0].system


async def test_a_search_that_finds_nothing_says_so() -> None:
    knowledge = {"documents": [{"name": "Hours", "text": "We close at six."}], "inline_limit": 0}
    brain = calling(tool_call("search_knowledge_base", '{"query": "parking"}'))
    await play(make_agent(llm=real_llm(), knowledge=knowledge), make_test("When?"), brain=brain)
    assert told(brain) == [{"passages": [], "note": "Nothing was found."}]


async def test_a_small_knowledge_base_is_in_the_prompt_and_no_search_is_offered() -> None:
    knowledge = {"documents": [{"name": "Hours", "text": "We close at six."}]}
    brain = FunctionBrain(lambda _: "We close at six.")
    played = await play(make_agent(llm=real_llm(), knowledge=knowledge), make_test("When?"), brain=brain)
    assert brain.requests[0].tools == ()
    assert played.agent_lines[-1].knowledge_chunks_used == 1
    assert played.agent_lines[0].grounding == "none"


async def test_a_component_tool_adds_a_card_to_the_reply() -> None:
    brain = calling(tool_call("show_link", '{"title": "Prices", "url": "https://example.com"}'), then="Here you go.")
    played = await play(make_agent(llm=real_llm(), components=["link"]), make_test("Prices?"), brain=brain)
    assert [card.kind for card in played.agent_lines[-1].components] == ["link"]
    assert played.agent_lines[-1].components[0].data == {"title": "Prices", "url": "https://example.com"}


async def test_a_card_that_no_words_follow_goes_to_the_last_words() -> None:
    brain = calling(
        tool_call("suggest_questions", '{"questions": ["When?"]}', "a"), tool_call("end_call", "{}", "b"), text="Bye."
    )
    agent = make_agent(llm=real_llm(), components=["suggested_questions"], can_end_call=True)
    played = await play(agent, make_test("Ok."), brain=brain)
    assert played.agent_lines[-1].text == "Bye."
    assert [card.kind for card in played.agent_lines[-1].components] == ["suggested_questions"]


async def test_memory_is_kept_for_the_run() -> None:
    steps = [("remember", '{"key": "name", "value": "Ravi"}'), ("recall", '{"key": "name"}'), ("recall", "{}")]

    def answer(request: BrainRequest) -> str | BrainReply:
        done = sum(isinstance(m, ToolAnswered) for m in request.messages)
        if done < len(steps):
            return BrainReply(text="", calls=(tool_call(*steps[done], id=f"c{done}"),))
        return "Done."

    brain = FunctionBrain(answer)
    await play(make_agent(llm=real_llm(), memory_tools=True), make_test("Go."), brain=brain)
    assert told(brain) == [{"ok": True}, {"value": "Ravi"}, {"facts": {"name": "Ravi"}}]


async def test_the_agent_hangs_up_and_its_last_words_are_kept() -> None:
    brain = calling(tool_call("end_call"), text="Goodbye!")
    played = await play(make_agent(llm=real_llm(), can_end_call=True), make_test("Bye.", "Still there?"), brain=brain)
    assert played.run.ended_by == "agent_hung_up"
    assert played.said[-1] == ("agent", "Goodbye!")
    assert played.tool_lines[0].source == "engine"
    assert len(brain.requests) == 1


async def test_an_agent_that_may_not_hang_up_is_refused() -> None:
    brain = calling(tool_call("end_call"))
    played = await play(make_agent(llm=real_llm()), make_test("Bye."), brain=brain)
    assert played.tool_lines[0].source == "refused"
    assert played.run.ended_by == "script_ended"


async def test_a_transfer_ends_the_talk() -> None:
    brain = calling(tool_call("transfer_call", '{"reason": "angry"}'), text="I put you through.")
    agent = make_agent(llm=real_llm(), can_transfer={"to": "+15550100", "label": "the front desk"})
    played = await play(agent, make_test("A person!"), brain=brain)
    assert played.run.ended_by == "transferred"
    assert played.run.end_detail == "transferred to the front desk"


async def test_a_reschedule_is_recorded_and_ends_the_talk_after_the_reply() -> None:
    brain = calling(tool_call("reschedule_call", '{"when": "tomorrow at ten"}'), then="I will call you tomorrow.")
    played = await play(make_agent(llm=real_llm(), can_reschedule=True), make_test("Not now.", "Hello?"), brain=brain)
    assert played.run.ended_by == "rescheduled"
    assert played.tool_lines[0].source == "recorded"
    assert played.said[-1] == ("agent", "I will call you tomorrow.")


async def test_an_agent_that_spoke_beside_its_call_may_fall_silent_after_the_result() -> None:
    brain = calling(tool_call("show_link", '{"title": "Prices", "url": "https://example.com"}'), text="Here.", then="")
    played = await play(make_agent(llm=real_llm(), components=["link"]), make_test("Prices?"), brain=brain)
    assert played.run.status == "passed"
    assert [line.text for line in played.agent_lines[1:]] == ["Here."]
    assert [card.kind for card in played.agent_lines[1].components] == ["link"]
