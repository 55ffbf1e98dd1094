"""Limits, stops, who can be played, and which models are asked."""

from __future__ import annotations

from tests.support.talks import FunctionBrain, StillClock, make_agent, make_test, play, real_llm

from greenroom.model.errors import OutOfTime
from greenroom.model.limits import Limits
from greenroom.model.talk import BrainReply, BrainRequest


async def test_the_talks_time_limit_keeps_what_was_said_and_grades_it() -> None:
    clock = StillClock()

    def slow(_: BrainRequest) -> str:
        clock.seconds += 50
        return "Yes, Monday."

    test = make_test("One.", "Two.", "Three.", checks=[{"type": "says", "text": "monday"}])
    limits = Limits(chat_seconds=90)
    played = await play(make_agent(llm=real_llm()), test, brain=FunctionBrain(slow), clock=clock, limits=limits)
    assert played.run.ended_by == "time_ran_out"
    assert played.run.status == "passed"
    assert played.run.turns == 3


async def test_an_agent_that_never_answered_before_the_time_ran_out_is_an_error_and_never_a_success() -> None:
    clock = StillClock()

    class Silent:
        async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
            clock.seconds += 100
            raise OutOfTime("The time limit passed.")

    test = make_test("One.", "Two.", checks=[{"type": "never_says", "text": "guarantee"}])
    played = await play(make_agent(llm=real_llm()), test, brain=Silent(), clock=clock, limits=Limits(chat_seconds=90))
    assert (played.run.status, played.run.ended_by) == ("error", "error")
    assert played.run.error == "The agent had not answered after 90 seconds."
    assert [result.passed for result in played.run.checks] == [None]


async def test_the_time_limit_is_an_error_where_the_policy_says_so() -> None:
    clock = StillClock()

    def slow(_: BrainRequest) -> str:
        clock.seconds += 50
        return "Yes."

    limits = Limits(chat_seconds=90, time_out_is_error=True)
    played = await play(
        make_agent(llm=real_llm()), make_test("1", "2", "3"), brain=FunctionBrain(slow), clock=clock, limits=limits
    )
    assert (played.run.status, played.run.ended_by) == ("error", "error")


async def test_a_stop_takes_effect_before_the_next_model_request_and_keeps_the_talk() -> None:
    asked = 0

    async def stop_after_two() -> bool:
        return asked >= 2

    def count(_: BrainRequest) -> str:
        nonlocal asked
        asked += 1
        return "Yes."

    test = make_test("One.", "Two.", "Three.", checks=[{"type": "says", "text": "yes"}])
    played = await play(make_agent(llm=real_llm()), test, brain=FunctionBrain(count), stop=stop_after_two)
    assert (played.run.status, played.run.ended_by) == ("cancelled", "stopped")
    assert asked == 2
    assert [line.text for line in played.caller_lines] == ["One.", "Two.", "Three."]
    assert [result.passed for result in played.run.checks] == [None]
    assert played.run.tokens() == (20, 10)


async def test_a_realtime_agent_is_refused_with_a_sentence() -> None:
    played = await play(make_agent(pipeline_mode="realtime"), make_test("Hi."))
    assert played.run.status == "error"
    assert "no text step" in (played.run.error or "")


async def test_a_disabled_agent_is_played_with_a_warning() -> None:
    played = await play(make_agent(enabled=False), make_test("Hi."))
    assert played.run.status == "passed"
    assert "switched off" in played.run.warnings[0]


async def test_an_agent_without_a_model_is_an_error_that_says_what_to_set() -> None:
    played = await play(make_agent(llm=None), make_test("Hi."))
    assert "set `llm.model`" in (played.run.error or "")


async def test_caller_and_judge_use_the_models_that_are_named_for_them() -> None:
    brain = FunctionBrain(lambda r: '{"answer": "yes", "reason": "ok", "quote": ""}' if r.role == "judge" else "Hm.")
    agent = make_agent(llm=real_llm("main"), caller_llm=real_llm("caller"), judge_llm=real_llm("judge"))
    test = make_test(max_turns=1, checks=[{"type": "judge", "question": "Was it polite?"}])
    played = await play(agent, test, brain=brain)
    assert {(r.role, r.llm.name) for r in brain.requests} == {
        ("agent", "main"),
        ("caller", "caller"),
        ("judge", "judge"),
    }
    assert {entry.role: entry.model for entry in played.run.usage} == {
        "agent": "main",
        "caller": "caller",
        "judge": "judge",
    }


async def test_a_bug_in_the_engine_is_an_error_of_that_run_alone() -> None:
    def bug(_: BrainRequest) -> str:
        raise ZeroDivisionError("secret detail")

    played = await play(make_agent(llm=real_llm()), make_test("Hi."), brain=FunctionBrain(bug))
    assert played.run.status == "error"
    assert "secret detail" not in (played.run.error or "")
    assert played.tools.closed == ["run_1"]


async def test_a_test_may_name_its_own_caller_and_judge() -> None:
    brain = FunctionBrain(lambda r: '{"answer": "yes", "reason": "ok", "quote": ""}' if r.role == "judge" else "Hm.")
    agent = make_agent(llm=real_llm("main"), caller_llm=real_llm("agents"), judge_llm=real_llm("agents"))
    test = make_test(
        max_turns=1,
        checks=[{"type": "judge", "question": "Polite?"}],
        caller_llm=real_llm("tests-caller"),
        judge_llm=real_llm("tests-judge"),
    )
    await play(agent, test, brain=brain)
    assert {(r.role, r.llm.name) for r in brain.requests if r.role != "agent"} == {
        ("caller", "tests-caller"),
        ("judge", "tests-judge"),
    }


async def test_a_quote_that_nobody_said_is_a_warning_on_the_run() -> None:
    answer = '{"answer": "yes", "reason": "It said so.", "quote": "words that nobody said here"}'
    brain = FunctionBrain(lambda r: answer if r.role == "judge" else "Hm.")
    test = make_test("Hi.", checks=[{"type": "judge", "question": "Polite?"}])
    played = await play(make_agent(llm=real_llm()), test, brain=brain)
    assert "The judge quoted words that nobody said for a check" in played.run.warnings[0]
