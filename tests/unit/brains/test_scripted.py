"""Scripted brains: rules tried in order, the first that matches answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.brains.scripted import ScriptedBrain
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Llm, Role
from greenroom.model.marker import HANG_UP
from greenroom.model.talk import BrainReply, BrainRequest, JudgeTask, ModelSaid, UserSaid

Rule = dict[str, Any]


def request(*rules: Rule, heard: str = "", role: Role = "agent", tool: str | None = None) -> BrainRequest:
    llm = Llm.model_validate({"model": "scripted:demo", "script": list(rules)})
    return BrainRequest(role=role, llm=llm, system="", messages=(UserSaid(heard),), heard=heard, heard_tool=tool)


async def ask(asked: BrainRequest) -> BrainReply:
    return await ScriptedBrain().reply(asked)


async def test_the_first_rule_that_matches_answers() -> None:
    rules = [{"when": "bye", "say": "Goodbye."}, {"when": "book|visit", "say": "Which day?"}, {"say": "Pardon?"}]
    assert (await ask(request(*rules, heard="I need a VISIT."))).text == "Which day?"
    other = await ask(request(*rules, heard="Hm."))
    assert (other.text, other.fired) == ("Pardon?", (2,))


async def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert (await ask(request({"when": "cafe\u0301", "say": "Yes."}, heard="A CAFÉ, please"))).text == "Yes."
    assert (await ask(request({"when": "नमस्ते", "say": "Yes."}, heard="नमस्ते जी 🙏"))).text == "Yes."


async def test_a_rule_answers_only_for_its_role() -> None:
    rules = [{"role": "caller", "say": "I call."}, {"say": "I answer."}]
    assert (await ask(request(*rules))).text == "I answer."
    assert (await ask(request(*rules, role="caller"))).text == "I call."


async def test_a_rule_stops_when_it_has_fired_as_often_as_it_may() -> None:
    asked = request({"when": "a", "say": "Twice.", "times": 2}, {"say": "Else."}, heard="a")
    said: list[str] = []
    for _ in range(4):
        reply = await ask(asked)
        said.append(reply.text)
        asked = replace(asked, fired=(*asked.fired, *reply.fired))
    assert said == ["Twice.", "Twice.", "Else.", "Else."]


async def test_a_tool_result_is_matched_by_name_and_not_by_its_words() -> None:
    rules = [
        {"when": "monday", "say": "By words."},
        {"when": {"tool": "other"}, "say": "Other."},
        {"when": {"tool": "book_slot"}, "say": "By tool."},
        {"say": "Always."},
    ]
    assert (await ask(request(*rules, heard="monday is free", tool="book_slot"))).text == "By tool."
    assert (await ask(request(*rules, heard="monday is free", tool="unknown"))).text == "Always."
    assert (await ask(request(*rules, heard="book_slot"))).text == "Always."


async def test_an_agent_calls_tools_and_hangs_up_beside_its_words() -> None:
    rule = {
        "say": "Done, bye.",
        "call": [{"tool": "book_slot", "arguments": {"day": "Montag, früh"}}, {"tool": "note", "arguments": "{oops"}],
        "hang_up": True,
    }
    reply = await ask(request(rule))
    assert reply.text == "Done, bye."
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("book_slot", '{"day": "Montag, früh"}'),
        ("note", "{oops"),
        ("end_call", "{}"),
    ]


async def test_call_ids_are_the_same_each_time_and_differ_within_a_talk() -> None:
    rule = {"call": [{"tool": "a"}, {"tool": "b"}]}
    first, again = await ask(request(rule)), await ask(request(rule))
    later = await ask(replace(request(rule), messages=(UserSaid("x"), ModelSaid("", first.calls), UserSaid("y"))))
    assert first.calls == again.calls
    assert len({call.id for call in (*first.calls, *later.calls)}) == 4


async def test_where_calls_are_not_allowed_a_rule_that_only_calls_is_passed_over() -> None:
    rules = [{"when": "x", "call": {"tool": "a"}}, {"say": "Words.", "call": {"tool": "a"}}]
    reply = await ask(replace(request(*rules, heard="x"), tool_choice="none"))
    assert (reply.text, reply.calls) == ("Words.", ())
    with pytest.raises(BrainFailed, match="a reply without tool calls was asked for"):
        await ask(replace(request(rules[0], heard="x"), tool_choice="none"))


@pytest.mark.parametrize(("say", "line"), [("Bye then.", f"Bye then. {HANG_UP}"), (None, HANG_UP)])
async def test_a_caller_hangs_up_with_the_marker(say: str | None, line: str) -> None:
    reply = await ask(request({"role": "caller", "say": say, "hang_up": True}, role="caller"))
    assert (reply.text, reply.calls) == (line, ())


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            request({"when": "x", "say": "y"}, heard="Hello\n there"),
            "No rule of scripted:demo matches what the agent heard, “Hello there”: "
            "add one whose `when` fits it, or one without `when`.",
        ),
        (
            request({"say": "y"}, heard="Hi", role="caller"),
            "No rule of scripted:demo matches what the caller heard, “Hi”: "
            "add one whose `when` fits it, or one without `when`, with `role: caller`.",
        ),
        (
            request({"when": "x", "say": "y"}, heard="{}", tool="book"),
            "No rule of scripted:demo matches what the agent heard, the result of the tool `book`, “{}”: "
            "add one whose `when` fits it, or one without `when`.",
        ),
        (
            request({"when": "x", "say": "y"}),
            "No rule of scripted:demo matches what the agent heard, nothing yet (its first words were asked for): "
            "add one whose `when` fits it, or one without `when`.",
        ),
        (
            request({"say": "y"}, heard="Was it kind?", role="judge"),
            "No rule of scripted:demo matches what the judge heard, “Was it kind?”: "
            "add one whose `when` fits it, or one without `when`, with `role: judge` and `answer`.",
        ),
    ],
)
async def test_where_nothing_matches_the_failure_shows_what_was_heard(asked: BrainRequest, sentence: str) -> None:
    with pytest.raises(BrainFailed) as failed:
        await ask(asked)
    assert str(failed.value) == sentence
    assert failed.value.fault is BrainFault.NO_RULE


async def test_a_pattern_that_is_not_re2_is_named_with_its_rule() -> None:
    with pytest.raises(BrainFailed) as failed:
        await ask(request({"when": "x", "say": "y"}, {"when": "(?=a)b", "say": "z"}, heard="b"))
    assert str(failed.value).startswith("Rule 2 of scripted:demo has a pattern that is not valid RE2 syntax, `(?=a)b`")
    assert failed.value.fault is BrainFault.NO_RULE


def judge(*rules: Rule, items: tuple[str, ...], scorecard: bool = False, fired: tuple[int, ...] = ()) -> BrainRequest:
    task = JudgeTask("scorecard" if scorecard else "question", items)
    return replace(request(*({"role": "judge", **rule} for rule in rules), role="judge"), task=task, fired=fired)


async def test_a_question_is_answered_with_reason_and_quote() -> None:
    reply = await ask(
        judge(
            {"when": "price", "score": 5},
            {"when": "price", "answer": "no", "reason": "It did not.", "quote": "maybe"},
            items=("Did it name the PRICE?",),
        )
    )
    assert json.loads(reply.text) == {"answer": "no", "reason": "It did not.", "quote": "maybe"}
    assert reply.fired == (1,)


async def test_a_bare_answer_has_a_plain_reason_and_no_quote() -> None:
    reply = await ask(judge({"answer": "yes"}, items=("Kind?",)))
    assert json.loads(reply.text) == {"answer": "yes", "reason": "The script of this brain says yes.", "quote": ""}


async def test_a_scorecard_matches_each_criterion_on_its_own() -> None:
    reply = await ask(
        judge(
            {"when": "kind", "answer": "yes", "reason": "So kind.", "quote": "please"},
            {"when": "quick", "answer": "no"},
            {"answer": "yes", "times": 1},
            items=("Is it kind?", "Is it quick?", "Is it short?"),
            scorecard=True,
        )
    )
    card = json.loads(reply.text)
    assert [(entry["number"], entry["met"]) for entry in card["criteria"]] == [(1, True), (2, False), (3, True)]
    assert card["criteria"][0] == {"number": 1, "met": True, "reason": "So kind.", "quote": "please"}
    assert (card["score"], card["summary"]) == (67, "2 of 3 criteria are met.")
    assert reply.fired == (0, 1, 2)


async def test_score_and_summary_come_from_the_first_rules_that_carry_them_and_match() -> None:
    reply = await ask(
        judge(
            {"when": "nowhere", "score": 1, "summary": "No."},
            {"answer": "yes", "score": 90, "times": 1},
            {"answer": "no"},
            {"when": "quick", "summary": "Be quicker."},
            items=("Is it kind?", "Is it quick?"),
            scorecard=True,
        )
    )
    card = json.loads(reply.text)
    assert [entry["met"] for entry in card["criteria"]] == [True, False]
    assert (card["score"], card["summary"]) == (90, "Be quicker.")
    assert reply.fired == (1, 2, 3)


async def test_a_rule_with_only_a_score_answers_no_criterion() -> None:
    with pytest.raises(BrainFailed, match="“Is it kind\\?”"):
        await ask(judge({"score": 50}, items=("Is it kind?",), scorecard=True))


async def test_usage_is_an_estimate_that_costs_nothing() -> None:
    usage = (await ask(request({"say": "A reply of some words."}, heard="Some words heard."))).usage
    assert usage.estimated
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0
    assert usage.cost == 0


@given(heard=st.text(alphabet=st.characters(), max_size=200))
async def test_anything_can_be_heard(heard: str) -> None:
    reply = await ask(request({"when": "never said, surely", "say": "x"}, {"say": "Always."}, heard=heard))
    assert reply.text == "Always."


@given(times=st.integers(1, 4), asked=st.integers(1, 8))
async def test_times_is_never_passed(times: int, asked: int) -> None:
    wanted = request({"say": "Counted.", "times": times}, {"say": "Else."})
    fired: tuple[int, ...] = ()
    for _ in range(asked):
        fired += (await ask(replace(wanted, fired=fired))).fired
    assert fired.count(0) == min(times, asked)
