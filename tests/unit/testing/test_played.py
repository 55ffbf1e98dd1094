"""What a played test tells, and how its assertions fail."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.runs import a_run, a_talk, a_usage, some_checks

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake
from greenroom.model.run import Run
from greenroom.testing import Played, Script, TalkFailed, criterion, grounded, judge, language, max_words
from greenroom.testing.records import Sums, figures_of

AGENT = Agent(name="Northline Dental", prompt="You answer.")
TEST = Test(name="Moves a booking", caller=Script("I need to move my booking."))


def played(*runs: Run, rate: float = 1.0) -> Played:
    talks = runs or (a_run(transcript=a_talk(), usage=[a_usage()]),)
    return Played(test=TEST, agent=AGENT, runs=tuple(talks), min_pass_rate=rate)


def passed_run(**fields: Any) -> Run:
    return a_run(transcript=a_talk(), **fields)


def failed_run(**fields: Any) -> Run:
    return a_run("failed", transcript=a_talk(), checks=some_checks(), **fields)


def test_a_result_tells_of_its_talk() -> None:
    run = played()
    assert run.replies == ["Northline Dental, this is Maya.", "Done: I guarantee you Monday at ten."]
    assert run.reply() == run.reply(1) == run.reply(-1) == "Done: I guarantee you Monday at ten."
    assert run.reply(0) == "Northline Dental, this is Maya."
    assert [(call.name, call.arguments) for call in run.tool_calls] == [("book_slot", {"day": "Monday"})]
    assert (run.status, run.passed, run.ended_by, run.tokens) == ("passed", True, "agent_hung_up", 1234)
    assert repr(run) == "<'Moves a booking' played against 'Northline Dental': passed>"
    with pytest.raises(TalkFailed, match="there is no reply 2: the agent spoke in 2 turns"):
        run.reply(2)


def test_assertions_that_hold_can_be_chained() -> None:
    run = played()
    chained = (
        run.assert_passed()
        .assert_says("monday")
        .assert_never_says("tuesday")
        .assert_matches(r"at (ten|10)")
        .assert_never_matches(r"\bsorry\b")
        .assert_called("book_slot")
        .assert_called("book_slot", day="monday")
        .assert_called_times("book_slot", 1)
        .assert_never_called("cancel_slot")
        .assert_tool_order("book_slot")
        .assert_ended_by("agent_hung_up", "caller_hung_up")
        .assert_holds(max_words(8))
    )
    assert chained is run


@pytest.mark.parametrize(
    ("broken", "sentence", "marked"),
    [
        (lambda run: run.assert_says("Tuesday"), "No agent line contains “Tuesday”", "1 agent  Done"),
        (lambda run: run.assert_says("Maya", where="last"), "does not contain “Maya”", "1 agent  Done"),
        (lambda run: run.assert_never_says("guarantee"), "“guarantee” was not to be said", "1 agent  Done"),
        (lambda run: run.assert_called("book_slot", day="Tuesday"), "but with `day` “Monday”", "1 tool   book_slot"),
        (lambda run: run.assert_called_times("book_slot", 2), "ran 1 time, not 2 times", "1 tool   book_slot"),
        (lambda run: run.assert_never_called("book_slot"), "`book_slot` ran 1 time", "1 tool   book_slot"),
        (lambda run: run.assert_tool_order("book_slot", "send_mail"), "`send_mail` did not run", "1 tool   book_slot"),
        (lambda run: run.assert_ended_by("replied"), "ended with `agent_hung_up`", None),
        (lambda run: run.assert_handed_off_to("Max"), "never handed to `Max`", None),
        (lambda run: run.assert_matches("("), "is not a pattern in RE2 syntax", None),
        (lambda run: run.assert_holds(max_words(3)), "more than 3", "agent"),
        (lambda run: run.assert_holds(language("de")), "en", "agent"),
    ],
)
def test_an_assertion_that_does_not_hold_shows_the_talk_with_its_line_marked(
    broken: Any, sentence: str, marked: str | None
) -> None:
    with pytest.raises(TalkFailed) as failure:
        broken(played())
    message = str(failure.value)
    assert sentence in message.splitlines()[0]
    assert "I need to move my booking." in message
    marks = [line for line in message.splitlines() if line.startswith("►")]
    assert (marked in marks[0]) if marked else not marks


def test_the_failure_of_a_test_names_its_broken_check_and_shows_the_talk() -> None:
    with pytest.raises(TalkFailed) as failure:
        played(failed_run()).assert_passed()
    summary, *talk = str(failure.value).splitlines()
    assert summary.startswith('Moves a booking: never_says "guarantee"')
    assert any(line.startswith("►  1 agent  Done: I guarantee you Monday at ten.") for line in talk)


def test_a_run_that_could_not_finish_fails_every_assertion_with_its_error() -> None:
    broken = a_run("error", error="The model could not be reached.", transcript=a_talk()[:2])
    for check in (Played.assert_passed, lambda run: run.assert_never_says("anything")):
        with pytest.raises(TalkFailed, match="Moves a booking: The model could not be reached"):
            check(played(broken))
    with pytest.raises(TalkFailed, match="could not be reached"):
        played(passed_run(), broken, rate=0.0).assert_passed()


def test_what_a_judge_must_grade_cannot_be_asked_afterwards() -> None:
    for check in (judge("Was it polite?"), criterion("Is polite"), grounded()):
        with pytest.raises(UserMistake, match="give it to `play` in `checks`"):
            played().assert_holds(check)


def test_repeats_pass_where_enough_of_them_do() -> None:
    runs = [passed_run(), passed_run(repeat_index=1), passed_run(repeat_index=2), failed_run(repeat_index=3)]
    assert played(*runs, rate=0.75).assert_passed().pass_rate == 0.75
    with pytest.raises(TalkFailed) as failure:
        played(*runs, rate=0.8).assert_passed()
    message = str(failure.value)
    assert message.startswith(
        "Moves a booking: 3 of 4 runs hold (75%), below the 80% asked for; the first that does not: never_says"
    )
    assert "Moves a booking: 3 of 4 runs passed (75%, 95% interval 30% to 95%), flaky" in message
    assert "✗ Moves a booking #4" in message


def test_each_variation_must_reach_the_rate_for_itself() -> None:
    calm = [passed_run(variation="calm"), passed_run(variation="calm", repeat_index=1)]
    angry = [failed_run(variation="angry"), passed_run(variation="angry", repeat_index=1)]
    assert not played(*calm, *angry, rate=0.75).passed
    assert played(*calm, *angry, rate=0.5).passed
    with pytest.raises(TalkFailed, match="1 of 2 runs hold"):
        played(*calm, *angry, rate=0.75).assert_passed()


def test_an_assertion_on_repeats_counts_the_talks_that_hold() -> None:
    other = a_run(transcript=a_talk()[:2], repeat_index=1)
    assert played(passed_run(), other, rate=0.5).assert_says("Monday")
    with pytest.raises(TalkFailed, match=r"1 of 2 runs hold \(50%\); the first that does not: No agent line contains"):
        played(passed_run(), other).assert_says("Monday")


def test_the_sums_of_a_session_add_up_what_workers_tell() -> None:
    sums = Sums()
    sums.add(figures_of([played(a_run(usage=[a_usage("0.02")]), a_run("failed", usage=[a_usage("0.01")]))]))
    sums.add(figures_of([played(a_run("error", usage=[a_usage(None, estimated=True)]))]))
    *rates, line = sums.lines()
    assert line == ("3 talks: 1 passed, 1 failed, 1 could not finish · ~3,702 tokens · cost $0.03 + unknown")
    assert rates == ["Moves a booking: 1 of 2 runs passed (50%, 95% interval 9% to 91%), flaky"]
