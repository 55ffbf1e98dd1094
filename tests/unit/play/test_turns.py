"""Turns: who speaks when, and what each side hears."""

from __future__ import annotations

import itertools

import pytest
from tests.support.talks import FunctionBrain, make_agent, make_test, play, real_llm

from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.marker import HANG_UP
from greenroom.model.talk import BrainReply, BrainRequest, ModelSaid, UserSaid


async def test_the_greeting_is_turn_0_and_each_later_turn_is_a_caller_line_and_the_agents_answer() -> None:
    played = await play(make_agent([{"say": "Sure."}]), make_test("Hi.", "Monday, please."))
    lines = [(line.role, line.turn) for line in played.run.transcript]
    assert lines == [("agent", 0), ("caller", 1), ("agent", 1), ("caller", 2), ("agent", 2)]
    assert played.run.ended_by == "script_ended"
    assert played.run.status == "passed"
    assert played.run.turns == 2


async def test_checks_see_the_greeting_as_the_first_line() -> None:
    checks = [{"type": "says", "text": "hello", "where": "first"}, {"type": "never_says", "text": "front desk"}]
    played = await play(make_agent(), make_test("Hi.", checks=checks))
    assert [(result.passed, result.turn, result.line) for result in played.run.checks] == [(True, 0, 0), (False, 0, 0)]


async def test_without_a_greeting_the_brain_is_asked_for_the_first_words() -> None:
    brain = FunctionBrain(lambda _: "Hello, this is Maya.")
    played = await play(make_agent(greeting=None, llm=real_llm()), make_test("Hi."), brain=brain)
    assert played.said[0] == ("agent", "Hello, this is Maya.")
    assert brain.requests[0].messages == (UserSaid("(the call is connected)"),)


async def test_a_chat_agent_without_a_greeting_lets_the_customer_begin() -> None:
    brain = FunctionBrain(lambda _: "Hello.")
    played = await play(make_agent(greeting=None, channels=["web"], llm=real_llm()), make_test("Hi."), brain=brain)
    assert played.said == [("caller", "Hi."), ("agent", "Hello.")]
    assert brain.requests[0].messages == (UserSaid("Hi."),)


async def test_a_talk_never_opens_with_the_assistant_and_never_has_two_of_a_side_in_a_row() -> None:
    brain = FunctionBrain(lambda r: f"line {len(r.messages)}")
    await play(make_agent(llm=real_llm()), make_test("One.", "Two.", "Three."), brain=brain)
    for request in brain.requests:
        assert isinstance(request.messages[0], UserSaid)
        sides = [type(message) for message in request.messages]
        assert all(one is not other for one, other in itertools.pairwise(sides))
        assert sides[-1] is UserSaid


async def test_the_prefix_of_the_request_is_the_same_from_turn_to_turn() -> None:
    brain = FunctionBrain(lambda r: f"line {len(r.messages)}")
    await play(make_agent(llm=real_llm()), make_test("One.", "Two.", "Three."), brain=brain)
    for earlier, later in zip(brain.requests, brain.requests[1:], strict=False):
        assert later.system == earlier.system
        assert later.tools == earlier.tools
        assert later.messages[: len(earlier.messages)] == earlier.messages


async def test_a_persona_opens_with_its_line_as_written_and_no_model_is_asked_for_it() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else f"Monday. {HANG_UP}")
    test = make_test(
        caller={"persona": "Ravi.", "opening_line": "Hi from {{company}}."}, variables={"company": "Acme"}, max_turns=4
    )
    played = await play(make_agent(llm=real_llm()), test, brain=brain)
    assert played.said == [
        ("agent", "Front desk, hello."),
        ("caller", "Hi from Acme."),
        ("agent", "Which day?"),
        ("caller", "Monday."),
        ("agent", "Which day?"),
    ]
    assert played.run.ended_by == "caller_hung_up"
    assert len(brain.of("caller")) == 1


async def test_the_caller_hears_only_what_was_said_aloud_and_plays_the_other_side() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else "Hm, let me see.")
    agent = make_agent(llm=real_llm(), prompt="SECRET PROMPT", tools=[{"name": "look_up"}])
    played = await play(agent, make_test(max_turns=1), brain=brain)
    request = brain.of("caller")[0]
    assert request.messages == (UserSaid("Front desk, hello."),)
    assert "SECRET PROMPT" not in request.system
    assert "Ravi, a regular." in request.system
    assert HANG_UP in request.system
    assert request.tools == ()
    assert played.run.ended_by == "turns_ran_out"


async def test_a_bare_marker_ends_at_once() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else HANG_UP)
    played = await play(make_agent(llm=real_llm()), make_test(), brain=brain)
    assert played.said == [("agent", "Front desk, hello.")]
    assert played.run.ended_by == "caller_hung_up"


async def test_two_goodbyes_end_the_talk_instead_of_going_on_until_the_turns_run_out() -> None:
    brain = FunctionBrain(lambda r: "Goodbye, have a nice day!" if r.role == "agent" else "Okay, bye!")
    played = await play(make_agent(llm=real_llm()), make_test(max_turns=12), brain=brain)
    assert played.run.turns == 1
    assert played.run.ended_by == "caller_hung_up"
    assert played.run.end_detail == "both sides had said goodbye"


async def test_reactions_are_tried_before_the_model() -> None:
    brain = FunctionBrain(lambda r: "Your date of birth?" if r.role == "agent" else "Something else.")
    caller = {
        "persona": "Ravi.",
        "opening_line": "Hi.",
        "reactions": [{"when": "date of birth", "say": "The 4th of May 1990.", "times": 2}],
    }
    played = await play(make_agent(llm=real_llm()), make_test(caller=caller, max_turns=4), brain=brain)
    assert [line.text for line in played.caller_lines] == [
        "Hi.",
        "The 4th of May 1990.",
        "The 4th of May 1990.",
        "Something else.",
    ]


async def test_facts_and_temperament_reach_the_caller_and_nobody_else() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else "Hm.")
    caller = {"persona": "Ravi.", "facts": {"order": "A-17"}, "temperament": "impatient", "language": "hi"}
    await play(make_agent(llm=real_llm()), make_test(caller=caller, max_turns=1), brain=brain)
    system = brain.of("caller")[0].system
    assert "- order: A-17" in system
    assert "You have no time." in system
    assert "You speak hi." in system
    assert "A-17" not in str(brain.of("agent")[0])


async def test_a_caller_that_swaps_roles_is_asked_again_once_with_a_hint() -> None:
    lines = iter(["How can I help you today?", "I need an appointment.", HANG_UP])
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else next(lines))
    played = await play(make_agent(llm=real_llm()), make_test(), brain=brain)
    assert [line.text for line in played.caller_lines] == ["I need an appointment."]
    assert not played.caller_lines[0].caller_slip
    hint = brain.of("caller")[1].messages[-1]
    assert isinstance(hint, UserSaid)
    assert "spoke as the agent" in hint.text
    # The hint and the bad line are not part of the talk.
    assert all("spoke as the agent" not in str(m) for m in brain.of("caller")[2].messages)
    assert ModelSaid("How can I help you today?") not in brain.of("caller")[2].messages


async def test_a_second_slip_stands_and_the_run_says_that_the_agent_is_not_to_blame() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else "How can I help you today?")
    played = await play(make_agent(llm=real_llm()), make_test(max_turns=1), brain=brain)
    assert played.caller_lines[0].caller_slip
    assert "simulated caller slipped in turn 1" in played.run.warnings[0]


async def test_a_caller_without_words_twice_is_an_error() -> None:
    brain = FunctionBrain(lambda r: "Which day?" if r.role == "agent" else "")
    played = await play(make_agent(llm=real_llm("small")), make_test(), brain=brain)
    assert played.run.status == "error"
    assert "openai:small gave no words twice in a row as the caller" in (played.run.error or "")


async def test_the_callers_reasoning_never_reaches_the_agent() -> None:
    brain = FunctionBrain(
        lambda r: "Which day?" if r.role == "agent" else "<think>I am Ravi; the agent wants a day.</think>Monday."
    )
    played = await play(make_agent(llm=real_llm()), make_test(max_turns=1), brain=brain)
    assert played.caller_lines[0].text == "Monday."
    assert "agent wants" not in str(brain.of("agent"))


async def test_an_empty_reply_is_asked_once_more() -> None:
    replies = iter(["", "Here I am."])
    played = await play(make_agent(llm=real_llm()), make_test("Hi."), brain=FunctionBrain(lambda _: next(replies)))
    assert played.said[-1] == ("agent", "Here I am.")
    assert played.run.usage[0].calls == 2


async def test_an_empty_reply_twice_is_an_error_and_never_a_success() -> None:
    played = await play(make_agent(llm=real_llm("small")), make_test("Hi."), brain=FunctionBrain(lambda _: "  "))
    assert (played.run.status, played.run.ended_by) == ("error", "error")
    assert "openai:small gave an empty reply twice in a row" in (played.run.error or "")


async def test_a_failing_agent_is_an_error_and_never_a_success() -> None:
    def fail(_: BrainRequest) -> str:
        raise BrainFailed("OpenAI refused the key (401): set OPENAI_API_KEY.", fault=BrainFault.UNAUTHORISED)

    played = await play(make_agent(llm=real_llm()), make_test("Hi."), brain=FunctionBrain(fail))
    assert played.run.status == "error"
    assert played.run.error == "OpenAI refused the key (401): set OPENAI_API_KEY."
    assert all(result.passed is None for result in played.run.checks)


async def test_long_lines_are_cut_and_marked() -> None:
    brain = FunctionBrain(lambda r: "a" * 5000 if r.role == "agent" else "b" * 2000)
    played = await play(make_agent(llm=real_llm()), make_test(max_turns=1), brain=brain)
    reply, line = played.agent_lines[-1], played.caller_lines[0]
    assert (len(reply.text), reply.truncated) == (4000, True)
    assert (len(line.text), line.truncated) == (1000, True)


async def test_a_refusal_is_an_agent_line_and_a_warning_not_a_crash() -> None:
    brain = FunctionBrain(lambda _: BrainReply(text="", finish="refused"))
    played = await play(make_agent(llm=real_llm("careful")), make_test("Hi.", "Hello?"), brain=brain)
    assert played.run.status == "passed"
    assert played.agent_lines[1].refused
    assert "openai:careful refused to answer" in played.run.warnings[0]


async def test_history_is_laid_down_as_it_is_and_one_reply_is_asked_for() -> None:
    brain = FunctionBrain(lambda _: "It closes at six.")
    history = [
        {"role": "caller", "text": "Hello?"},
        {"role": "caller", "text": "Anyone there?"},
        {"role": "agent", "text": "Front desk."},
        {"role": "caller", "text": "When do you close?"},
    ]
    played = await play(make_agent(llm=real_llm()), make_test(caller={"history": history}), brain=brain)
    assert played.run.ended_by == "replied"
    assert len(brain.requests) == 1
    assert brain.requests[0].messages == (
        UserSaid("Hello?\nAnyone there?"),
        ModelSaid("Front desk."),
        UserSaid("When do you close?"),
    )
    assert [line.from_history for line in played.run.transcript] == [True] * 4 + [False]
    assert played.run.turns == 0


async def test_a_script_entry_with_a_condition_is_skipped_where_it_does_not_fit() -> None:
    messages = [{"text": "Hi."}, {"text": "Yes, Monday.", "when": "monday"}, {"text": "Bye."}]
    played = await play(make_agent([{"say": "On Tuesday?"}]), make_test(caller={"messages": messages}))
    assert [line.text for line in played.caller_lines] == ["Hi.", "Bye."]


async def test_an_unknown_variable_stays_as_written_and_is_named_in_a_warning() -> None:
    agent = make_agent(greeting="{{company}} and {{city}}", prompt="You serve {{town}}.", variables={"company": "Acme"})
    played = await play(agent, make_test("Hi."))
    assert played.agent_lines[0].text == "Acme and {{city}}"
    assert any("{{city}}" in warning for warning in played.run.warnings)
    assert any("{{town}}" in warning for warning in played.run.warnings)


async def test_the_tests_variables_stand_before_the_agents() -> None:
    agent = make_agent(greeting="{{company}}", variables={"company": "Acme"})
    played = await play(agent, make_test("Hi.", variables={"company": "Globex"}))
    assert played.agent_lines[0].text == "Globex"


async def test_voice_rules_and_inline_knowledge_are_in_the_prompt_and_can_be_left_out() -> None:
    brain = FunctionBrain(lambda _: "Yes.")
    knowledge = {"documents": [{"name": "Hours", "text": "Open until six."}]}
    await play(make_agent(llm=real_llm(), knowledge=knowledge), make_test("Hi."), brain=brain)
    await play(make_agent(llm=real_llm(), voice_rules=False), make_test("Hi."), brain=brain)
    await play(make_agent(llm=real_llm(), channels=["web"]), make_test("Hi."), brain=brain)
    with_all, without, chat = brain.requests
    assert "read aloud" in with_all.system
    assert "Open until six." in with_all.system
    assert without.system == "You answer the phone."
    assert chat.system == "You answer the phone."


async def test_speech_noise_keeps_both_what_was_said_and_what_was_heard() -> None:
    caller = {
        "messages": ["Please move my booking to Monday, their address is wrong."],
        "speech_noise": {"word_error_rate": 0.5},
    }
    brain = FunctionBrain(lambda _: "Yes.")
    played = await play(make_agent(llm=real_llm()), make_test(caller=caller), brain=brain, seed=4)
    line = played.caller_lines[0]
    assert line.said == "Please move my booking to Monday, their address is wrong."
    assert line.text != line.said
    assert UserSaid(line.text) in brain.requests[0].messages


async def test_text_that_cannot_be_stored_is_replaced() -> None:
    played = await play(make_agent(llm=real_llm()), make_test("Hi."), brain=FunctionBrain(lambda _: "a\x00b\ud800"))
    assert played.agent_lines[-1].text == "a\ufffdb\ufffd"


@pytest.mark.parametrize("text", ["नमस्ते रमेश", "你好，星期一可以", "مرحبا بك", "👍🏽 ok", "e\u0301tage"])
async def test_any_script_passes_through_as_it_was_said(text: str) -> None:
    brain = FunctionBrain(lambda _: text)
    played = await play(make_agent(llm=real_llm(), greeting=text), make_test(text), brain=brain)
    assert [line for _, line in played.said] == [text] * 3
