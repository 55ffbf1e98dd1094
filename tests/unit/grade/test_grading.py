"""Grading a talk as a whole: what is asked, what comes back, what happens when the judge fails."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.grading import (
    FAILED,
    JUDGE,
    POLITE,
    Heard,
    ListedJudge,
    Reply,
    card,
    graded,
    no,
    result_of,
    talk_with,
    yes,
)

from greenroom.grade.grading import grade
from greenroom.model.checks import (
    CallsTool,
    Criterion,
    JudgeCheck,
    Language,
    Matches,
    ReplyMeets,
    Says,
)
from greenroom.model.errors import BrainFailed, BrainFault, OutOfTime, Stopped
from greenroom.model.llm import Llm
from greenroom.model.run import CheckResult, Scorecard
from greenroom.model.talk import BrainReply, BrainRequest


async def test_checks_that_need_no_model_ask_nobody() -> None:
    checks = (Says(text="Monday"), CallsTool(tool="book_slot", arguments={"day": "monday"}, match="judge"))
    grades = await graded(talk_with(*checks), judge=None)
    assert [result.passed for result in grades.results] == [True, True]
    assert (grades.error, grades.stopped, grades.scorecard) == (None, False, None)


async def test_a_test_without_checks_has_no_grades() -> None:
    assert (await graded(talk_with())).results == ()


async def test_a_judge_check_comes_with_its_reason_and_the_line_it_rests_on() -> None:
    result = await result_of(POLITE, yes("It was kind.", "Your visit is on Monday"))
    assert (result.passed, result.detail) == (True, "It was kind.")
    assert (result.quote, result.quote_verified) == ("Your visit is on Monday", True)
    assert (result.turn, result.line, result.votes) == (1, 3, None)


async def test_a_judgement_without_a_quote_is_neither_verified_nor_refuted() -> None:
    result = await result_of(POLITE, no("It was rude."))
    assert (result.passed, result.quote, result.quote_verified, result.line) == (False, None, None, None)


async def test_a_tool_line_may_be_quoted() -> None:
    result = await result_of(POLITE, yes("It booked.", 'book_slot {"day": "Monday"}'))
    assert (result.quote_verified, result.line) == (True, 2)


async def test_the_request_is_one_that_a_brain_can_answer() -> None:
    judge = ListedJudge([yes()])
    llm = Llm(model="openai:judge", temperature=0.7, max_tokens=60)
    await grade(talk_with(POLITE), judge.ask, llm, Heard().tell)
    (request,) = judge.requests
    assert (request.role, request.heard, request.tools) == ("judge", "Was it polite?", ())
    assert request.llm.temperature == 0
    assert request.llm.max_tokens is not None
    assert request.llm.max_tokens >= 1000
    assert request.task is not None
    assert (request.task.kind, request.task.items) == ("question", ("Was it polite?",))
    assert request.answer is not None
    assert request.answer.schema["required"] == ["answer", "reason", "quote"]


async def test_all_criteria_go_in_one_request_and_every_other_check_in_its_own_in_the_order_of_the_checks() -> None:
    checks = (
        POLITE,
        Criterion(text="Books a slot"),
        ReplyMeets(criteria="Names the day"),
        Criterion(text="Is short"),
        CallsTool(tool="book_slot", arguments={"day": "the day after Sunday"}, match="judge"),
    )
    judge = ListedJudge([yes(), card(True, False), no(), yes()])
    grades = await grade(talk_with(*checks), judge.ask, JUDGE, Heard().tell)
    assert [request.task.kind for request in judge.requests if request.task] == [
        "question",
        "scorecard",
        "question",
        "question",
    ]
    assert judge.requests[1].heard == "Books a slot\nIs short"
    assert judge.requests[1].task is not None
    assert judge.requests[1].task.items == ("Books a slot", "Is short")
    assert judge.requests[2].heard == "Names the day"
    assert [result.passed for result in grades.results] == [True, True, False, False, True]
    assert grades.scorecard == Scorecard(score=80, summary="Be shorter.")
    assert grades.results[4].line == 2
    assert grades.results[2].line == 3
    assert len({request.system for request in judge.requests}) == 1


async def test_requests_are_out_together() -> None:
    waiting: list[BrainRequest] = []
    all_out = asyncio.Event()

    async def ask(request: BrainRequest) -> BrainReply:
        waiting.append(request)
        if len(waiting) == 3:
            all_out.set()
        await all_out.wait()
        return BrainReply(text=card(True) if request.task and request.task.kind == "scorecard" else yes())

    grades = await grade(talk_with(POLITE, Criterion(text="A"), POLITE), ask, JUDGE, Heard().tell)
    assert [result.passed for result in grades.results] == [True, True, True]


async def test_each_check_is_told_once_and_those_without_a_model_first() -> None:
    heard = Heard()
    checks = (POLITE, Says(text="Monday"), Criterion(text="A"), Says(text="Tuesday"))
    grades = await grade(talk_with(*checks), ListedJudge([yes(), card(True)]).ask, JUDGE, heard.tell)
    assert [index for index, _ in heard.results] == [1, 3, 0, 2]
    assert [result for _, result in sorted(heard.results, key=lambda entry: entry[0])] == list(grades.results)


async def test_a_failure_of_whoever_is_told_is_not_swallowed() -> None:
    async def tell(_index: int, _result: CheckResult) -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError):
        await grade(talk_with(Says(text="x")), ListedJudge([]).ask, JUDGE, tell)
    with pytest.raises(LookupError):
        await grade(talk_with(POLITE), ListedJudge([yes()]).ask, JUDGE, tell)


# Failures


async def test_a_judge_that_cannot_answer_leaves_only_its_check_open() -> None:
    def answer(request: BrainRequest) -> Reply:
        return FAILED if request.heard == "Was it polite?" else yes()

    judge = ListedJudge(answer)
    talk = talk_with(POLITE, JudgeCheck(question="Was it short?"), Says(text="Monday"))
    grades = await grade(talk, judge.ask, JUDGE, Heard().tell)
    assert [result.passed for result in grades.results] == [None, True, True]
    assert grades.results[0].detail == "OpenAI did not answer."
    assert (grades.error, grades.stopped) == ("OpenAI did not answer.", False)


async def test_a_failed_scorecard_leaves_all_criteria_open() -> None:
    grades = await graded(talk_with(Criterion(text="A"), Criterion(text="B"), Says(text="Monday")), FAILED)
    assert [result.passed for result in grades.results] == [None, None, True]
    assert (grades.scorecard, grades.error) == (None, "OpenAI did not answer.")


async def test_a_stop_leaves_the_undecided_open_and_keeps_the_rest() -> None:
    grades = await graded(talk_with(Says(text="Monday"), POLITE, JudgeCheck(question="Short?")), yes(), Stopped())
    assert [result.passed for result in grades.results] == [True, True, None]
    assert grades.results[2].detail == "Stopped before it was graded."
    assert (grades.stopped, grades.error) == (True, None)


@pytest.mark.parametrize("failure", [OutOfTime(), OutOfTime("The time limit passed.")])
async def test_time_that_runs_out_is_an_error_that_says_whose_time_it_was(failure: OutOfTime) -> None:
    grades = await graded(talk_with(Says(text="Monday"), POLITE), failure)
    assert [result.passed for result in grades.results] == [True, None]
    assert grades.error == "The judge's time ran out before it had graded all checks."


async def test_no_model_for_a_judge_is_an_error_that_says_what_to_do() -> None:
    grades = await graded(talk_with(Says(text="Monday"), POLITE), judge=None)
    assert [result.passed for result in grades.results] == [True, None]
    assert grades.error is not None
    assert "`judge_llm`" in grades.error


async def test_a_pattern_that_cannot_be_read_is_an_error_that_names_it() -> None:
    grades = await graded(talk_with(Matches(pattern="a(?!b)"), Says(text="Monday")))
    assert [result.passed for result in grades.results] == [None, True]
    assert grades.error is not None
    assert "a(?!b)" in grades.error


async def test_of_several_errors_the_first_check_has_the_word() -> None:
    def answer(request: BrainRequest) -> Reply:
        return BrainFailed(f"No answer to {request.heard}", fault=BrainFault.TIMEOUT)

    talk = talk_with(JudgeCheck(question="A?"), JudgeCheck(question="B?"))
    grades = await grade(talk, ListedJudge(answer).ask, JUDGE, Heard().tell)
    assert grades.error == "No answer to A?"


async def test_a_language_check_is_graded_beside_the_others() -> None:
    grades = await graded(talk_with(Language(code="en")))
    assert grades.results[0].passed is True
