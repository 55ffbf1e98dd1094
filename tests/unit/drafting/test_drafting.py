"""Drafting tests with a model."""

# ruff: noqa: E501 - a call as people paste it is one long line

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.talks import FunctionBrain, make_agent, real_llm

from greenroom.brains.scripted import ScriptedBrain
from greenroom.drafting.draft import Answered, DraftOptions, draft_from_call, draft_from_failure, draft_from_prompt
from greenroom.drafting.transcript import read_transcript
from greenroom.model.checks import NeverSays
from greenroom.model.errors import RunError, UserMistake
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.run import AgentLine, CheckResult, Run
from greenroom.model.talk import BrainReply

BOOK = {"name": "book_slot", "description": "Book a visit", "parameters": {"type": "object", "properties": {}}}
SOUND: dict[str, Any] = {
    "name": "Moves a booking",
    "kind": "simulation",
    "persona": "Ravi wants another day.",
    "opening_line": "Hi, I need another day.",
    "facts": [{"name": "booking", "value": "Saturday"}],
    "variables": [{"name": "company", "value": "Acme"}],
    "max_turns": 6,
    "criteria": [{"text": "Reads the new time back", "required": True}],
    "says": ["Monday"],
    "calls_tools": [{"tool": "book_slot", "arguments": ["day"]}],
    "tool_results": [{"tool": "book_slot", "json": '{"ok": true}'}],
}
AGENT = make_agent(name="Desk", prompt="You book visits for {{company}}.", tools=[BOOK], llm=real_llm())


def answering(*texts: str) -> FunctionBrain:
    left = list(texts)
    return FunctionBrain(lambda _: left.pop(0) if len(left) > 1 else left[0])


async def test_a_drafted_test_has_everything_that_the_author_gave() -> None:
    brain = answering(json.dumps({"tests": [SOUND]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1))
    (test,) = drafts.tests
    assert test.caller.persona == "Ravi wants another day."
    assert test.caller.facts == {"booking": "Saturday"}
    assert test.variables == {"company": "Acme"}
    assert test.tool_results == {"book_slot": {"ok": True}}
    assert [check.type for check in test.checks] == ["says", "calls_tool", "criterion"]
    request = brain.requests[0]
    assert request.role == "author"
    assert "You book visits for {{company}}." in str(request.messages)
    assert "Write 1 test." in str(request.messages)
    assert len(drafts.usage) == 1


async def test_a_broken_test_is_asked_for_once_more_with_what_was_wrong() -> None:
    broken = {**SOUND, "name": "Broken", "calls_tools": [{"tool": "bok_slot", "arguments": []}]}
    brain = answering(json.dumps({"tests": [SOUND, broken]}), json.dumps({"tests": [{**SOUND, "name": "Mended"}]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=2))
    assert [test.name for test in drafts.tests] == ["Moves a booking", "Mended"]
    assert "bok_slot" in str(brain.requests[1].messages[-1])
    assert len(drafts.usage) == 2


async def test_what_stays_broken_is_dropped_and_named() -> None:
    broken = {**SOUND, "name": "Broken", "persona": ""}
    brain = answering(json.dumps({"tests": [SOUND, broken]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=2))
    assert [test.name for test in drafts.tests] == ["Moves a booking"]
    assert drafts.dropped[0].startswith("Broken: ")


@pytest.mark.parametrize(
    "answer",
    ["", "Sure! Here you go.", "{}", '{"tests": 3}', '{"tests": []}', '{"tests": [1]}', '{"tests": [{"name": "x"}]}'],
)
async def test_an_answer_without_a_test_twice_is_an_error_with_a_sentence(answer: str) -> None:
    with pytest.raises(RunError, match="drafted no usable test"):
        await draft_from_prompt(AGENT, answering(answer), real_llm(), DraftOptions())


async def test_fenced_json_with_trailing_commas_is_read() -> None:
    text = "Here:\n```json\n" + json.dumps({"tests": [SOUND]})[:-1] + ",}\n```\nEnjoy."
    drafts = await draft_from_prompt(AGENT, answering(text), real_llm(), DraftOptions(count=1))
    assert len(drafts.tests) == 1


async def test_other_kinds_take_messages_and_history() -> None:
    tests = [
        {
            "name": "S",
            "kind": "script",
            "messages": ["Hi.", "Bye."],
            "criteria": [{"text": "Polite", "required": True}],
        },
        {
            "name": "N",
            "kind": "next_reply",
            "history": [{"role": "caller", "text": "When?"}],
            "criteria": [{"text": "Says when", "required": False}],
        },
    ]
    options = DraftOptions(count=2, kinds=("script", "next_reply"))
    drafts = await draft_from_prompt(AGENT, answering(json.dumps({"tests": tests})), real_llm(), options)
    assert [test.caller.kind for test in drafts.tests] == ["script", "next_reply"]


async def test_a_call_and_a_failing_run_reach_the_author() -> None:
    brain = answering(json.dumps({"tests": [SOUND]}))
    lines = read_transcript("Agent: Desk, hello.\nCaller: My name is Ravi.")
    await draft_from_call(AGENT, lines, brain, real_llm(), DraftOptions(count=1))
    assert "caller: My name is Ravi." in str(brain.requests[0].messages)
    run = Run(
        id="r", test="A", kind="script", agent="Desk", status="failed",
        transcript=[AgentLine(turn=0, agent="Desk", text="I guarantee it.")],
        checks=[CheckResult(check=NeverSays(text="guarantee"), passed=False, detail="It said guarantee.")],
    )  # fmt: skip
    await draft_from_failure(AGENT, run, brain, real_llm(), DraftOptions(count=1))
    assert 'never_says {"text": "guarantee"}: It said guarantee.' in str(brain.requests[1].messages)


async def test_a_scripted_author_drafts_for_free() -> None:
    llm = Llm.model_validate(
        {"model": "scripted:author", "script": [{"role": "author", "say": json.dumps({"tests": [SOUND]})}]}
    )
    drafts = await draft_from_prompt(AGENT, ScriptedBrain(), llm, DraftOptions(count=1))
    assert len(drafts.tests) == 1


@pytest.mark.parametrize("count", [0, 21, -1])
async def test_a_count_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(RunError, match="Between 1 and 20"):
        await draft_from_prompt(AGENT, answering("{}"), real_llm(), DraftOptions(count=count))


@pytest.mark.parametrize(
    "text",
    [
        "Agent: Hello.\nCaller: Hi.",
        "AGENT: Hello.\n\nCUSTOMER: Hi.",
        "[00:01] Agent: Hello.\n[00:04] User: Hi.",
        "00:01 Maya: Hello.\n00:04 Ravi: Hi.",
        "**Assistant:** Hello.\n**User:** Hi.",
        "WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nMaya: Hello.\n\n2\n00:00:03.000 --> 00:00:04.000\nRavi: Hi.",
        '[{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Hi."}]',
        '{"messages": [{"role": "system", "content": "x"}, {"role": "agent", "text": "Hello."}, {"role": "caller", "text": "Hi."}]}',
        '{"data": {"transcript": [{"speaker": "Agent", "message": "Hello."}, {"speaker": "Customer", "message": "Hi."}]}}',
        '{"role": "bot", "text": "Hello."}\n{"role": "human", "text": "Hi."}',
        '{"messages": [{"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}, {"role": "user", "content": "Hi."}]}',
        "\ufeffAgent: Hello.\r\nCaller: Hi.",
        "Maya: Hello.\nRavi:\nHi.",
    ],
)
def test_a_real_call_is_read_in_the_forms_that_people_have(text: str) -> None:
    lines = read_transcript(text)
    assert [(line.role, line.text) for line in lines] == [("agent", "Hello."), ("caller", "Hi.")]


def test_a_line_without_a_label_belongs_to_the_speaker_before() -> None:
    lines = read_transcript("Agent: Hello.\nHow are you?\nCaller: Fine.\nThanks.")
    assert [line.text for line in lines] == ["Hello. How are you?", "Fine. Thanks."]


@pytest.mark.parametrize(
    "text",
    [
        *("", "Nothing here", "Agent: only one side", "[]", "{}", "42", "Tool: x\nSystem: y"),
        "agent: x\n  name: A\n  prompt: p\n  model: m\n  greeting: Hi\ntests: y\n  - name: B\n    caller: c\n    a: b\n    c: d",
    ],
)
def test_what_is_no_call_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(UserMistake, match="does not read as a call"):
        read_transcript(text)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        lines = read_transcript(text)
    except UserMistake:
        return
    assert {line.role for line in lines} == {"agent", "caller"}


async def test_names_that_exist_are_told_to_the_author_and_never_given_again() -> None:
    brain = answering(json.dumps({"tests": [SOUND]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1, known=("Moves a booking",)))
    assert [test.name for test in drafts.tests] == ["Moves a booking (2)"]
    assert '- "Moves a booking"' in str(brain.requests[0].messages)


async def test_an_agent_that_is_kept_short_leaves_its_author_room() -> None:
    brain = answering(json.dumps({"tests": [SOUND]}))
    llm = real_llm().model_copy(update={"max_tokens": 60})
    await draft_from_prompt(AGENT, brain, llm, DraftOptions(count=5))
    assert (brain.requests[0].llm.max_tokens or 0) > 4000
    await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1))
    assert brain.requests[-1].llm.max_tokens is None


async def test_each_answer_is_told_with_what_was_wrong_and_whether_it_is_asked_again() -> None:
    told: list[Answered] = []
    broken = {**SOUND, "name": "Broken", "persona": ""}
    brain = answering(json.dumps({"tests": [broken]}), json.dumps({"tests": [SOUND]}))
    await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1), tell=told.append)
    assert [(one.tests, one.asks_again) for one in told] == [(0, True), (1, False)]
    assert told[0].problems[0].startswith("Broken: ")


async def test_an_answer_that_was_cut_off_is_told_as_such() -> None:
    brain = FunctionBrain(lambda _: BrainReply(text='{"tests": [', finish="cut"))
    with pytest.raises(RunError, match="drafted no usable test"):
        await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1))
    assert "cut off" in str(brain.requests[1].messages[-1])


async def test_the_author_knows_the_tools_under_the_names_that_the_agent_sees() -> None:
    crm = {"name": "crm", "url": "https://example.com/mcp", "tools": [{"name": "find", "description": "Find a person"}]}
    off = {"name": "old_tool", "enabled": False}
    agent = make_agent(llm=real_llm(), tools=[BOOK, off], mcp_servers=[crm])
    brain = answering(json.dumps({"tests": [SOUND]}))
    await draft_from_prompt(agent, brain, real_llm(), DraftOptions(count=1))
    asked = str(brain.requests[0].messages)
    assert "crm__find: Find a person" in asked
    assert "old_tool" not in asked


CALL: dict[str, Any] = {
    "name": "Books Monday",
    "kind": "tool_call",
    "history": [{"role": "caller", "text": "Monday at nine, please."}],
    "criteria": [],
    "expected_call": {"tool": "book_slot", "arguments": '{"day": "Monday"}', "match": "judge"},
}
REPLY: dict[str, Any] = {
    "name": "Says no",
    "kind": "next_reply",
    "history": [{"role": "caller", "text": "Open on Sunday?"}],
    "criteria": [{"text": "Says no.", "required": True}, {"text": "Offers Monday.", "required": True}],
}


async def test_a_call_that_a_reply_must_make_is_drafted_as_a_dry_run() -> None:
    brain = answering(json.dumps({"tests": [CALL]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1, kinds=("tool_call",)))
    (test,) = drafts.tests
    assert (test.caller.kind, test.tools) == ("next_reply", "plan")
    assert [check.model_dump() for check in test.checks] == [
        {
            "type": "calls_tool",
            "required": True,
            "tool": "book_slot",
            "arguments": {"day": "Monday"},
            "match": "judge",
            "times": None,
            "expect_planned": True,
        }
    ]
    assert "`expected_call`" in str(brain.requests[0].messages)
    assert "expected_call" in json.dumps(brain.requests[0].answer.schema if brain.requests[0].answer else None)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (None, "a JSON object was wanted"),
        ({"tool": "bok_slot", "arguments": "{}", "match": "exact"}, "did you mean `book_slot`"),
        ({"tool": "book_slot", "arguments": "[1]", "match": "exact"}, "`expected_call.arguments` is a JSON object"),
        ({"tool": "book_slot", "arguments": "{day", "match": "exact"}, "Books Monday: "),
    ],
)
async def test_a_call_that_cannot_be_expected_is_asked_for_once_more(call: object, problem: str) -> None:
    brain = answering(json.dumps({"tests": [{**CALL, "expected_call": call}]}), json.dumps({"tests": [CALL]}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=1, kinds=("tool_call",)))
    assert len(drafts.tests) == 1
    assert problem in str(brain.requests[1].messages[-1])


async def test_plain_tests_have_a_persona_or_a_talk_so_far_and_one_criterion() -> None:
    brain = answering(json.dumps({"tests": [SOUND, REPLY, CALL]}))
    kinds: Any = ("simulation", "next_reply", "tool_call")
    options = DraftOptions(count=3, kinds=kinds, plain=True, language="Chinese")
    simulation, reply, call = (await draft_from_prompt(AGENT, brain, real_llm(), options)).tests
    assert simulation.model_dump(exclude_unset=True) == {
        "name": "Moves a booking",
        "caller": {"persona": "Ravi wants another day. booking: Saturday"},
        "max_turns": 6,
        "checks": [{"type": "criterion", "text": "Reads the new time back"}],
    }
    assert [check.model_dump(exclude_unset=True) for check in reply.checks] == [
        {"type": "reply_meets", "criteria": "Says no. Offers Monday."}
    ]
    assert [check.type for check in call.checks] == ["calls_tool"]
    asked = str(brain.requests[0].messages)
    assert "Write `name` and `criteria` in Chinese, and all else" in asked
    schema = json.dumps(brain.requests[0].answer.schema if brain.requests[0].answer else None)
    assert "opening_line" not in schema
    assert "tool_results" not in schema


async def test_a_plain_test_without_a_criterion_or_a_persona_is_dropped() -> None:
    wrong = [{**SOUND, "criteria": []}, {**SOUND, "persona": "", "facts": []}, {**SOUND, "name": "Right"}]
    brain = answering(json.dumps({"tests": wrong}))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), DraftOptions(count=3, plain=True))
    assert [test.name for test in drafts.tests] == ["Right"]
    assert len(drafts.dropped) == 2


async def test_drafts_keep_to_the_limits_that_are_given() -> None:
    brain = answering(json.dumps({"tests": [{**SOUND, "max_turns": 21}, {**SOUND, "name": "Short"}]}))
    options = DraftOptions(count=2, limits=Limits(max_turns=20))
    drafts = await draft_from_prompt(AGENT, brain, real_llm(), options)
    assert [test.name for test in drafts.tests] == ["Short"]
    assert "20" in drafts.dropped[0]
