"""How the door `evasay` tells a talk and the reason of its verdict."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from greenroom.model.run import AgentLine, CallerLine, Line, Source, ToolLine
from greenroom.server.doors.evasay.policy import credits_for, policy_of
from greenroom.server.doors.evasay.talks import told_talk, told_whole_run
from greenroom.server.settings import Settings

CALLS = {"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "Monday"}, "expect_planned": True}


def agent(text: str, turn: int) -> AgentLine:
    return AgentLine(turn=turn, agent="Desk", text=text)


def tool(name: str, turn: int, arguments: Any = None, source: Source = "canned", **more: Any) -> ToolLine:
    return ToolLine(turn=turn, agent="Desk", name=name, arguments=arguments or {}, source=source, **more)


def caller(text: str, turn: int) -> CallerLine:
    return CallerLine(turn=turn, text=text)


def line(text: str, *calls: str) -> dict[str, Any]:
    return {"role": "agent", "text": text, "tool_calls": [{"name": name, "arguments": {}} for name in calls]}


HEARD = {"role": "caller", "text": "Hi."}
TALKS: list[tuple[list[Line], list[dict[str, Any]]]] = [
    ([], []),
    ([agent("Hello.", 0)], [line("Hello.")]),
    # Calls stand with the words they came with.
    ([caller("Hi.", 1), agent("Wait.", 1), tool("a", 1), tool("b", 1)], [HEARD, line("Wait.", "a", "b")]),
    # Without words there is an empty line.
    ([caller("Hi.", 1), tool("a", 1), agent("Done.", 1)], [HEARD, line("", "a"), line("Done.")]),
    # A call before the caller has said anything stands alone, and not with a line of another turn.
    ([tool("a", 0), agent("Hello.", 0)], [line("", "a"), line("Hello.")]),
    ([agent("Hello.", 0), tool("a", 1)], [line("Hello."), line("", "a")]),
    # Several rounds in one turn.
    (
        [caller("Hi.", 1), tool("a", 1), tool("b", 1), agent("Now.", 1), tool("c", 1)],
        [HEARD, line("", "a", "b"), line("Now.", "c")],
    ),
    # The hand-off goes by this door's name.
    ([tool("hand_off_to_agent", 1)], [line("", "handoff_to_agent")]),
]


@pytest.mark.parametrize(("lines", "talk"), TALKS)
def test_calls_stand_with_the_words_of_the_agent_s(lines: list[Line], talk: list[dict[str, Any]]) -> None:
    assert told_talk(lines) == talk


def test_arguments_that_could_not_be_read_are_told_as_they_came() -> None:
    broken = ToolLine(turn=1, agent="Desk", name="a", arguments='{"day"', source="planned", reason="bad_arguments")
    assert told_talk([broken])[0]["tool_calls"] == [{"name": "a", "arguments": '{"day"'}]


def run(status: str, lines: list[Line], *, passed: bool | None, language: str | None = None, **more: Any) -> Any:
    result = {"check": CALLS, "passed": passed, "detail": "the native words"}
    return {
        "id": "run_1",
        "agent_id": "agt_1",
        "test_id": "tst_1",
        "test": "Books",
        "kind": "next_reply",
        "policy": "evasay",
        "status": status,
        "error": None,
        "charged": 0.0,
        "created_at": None,
        "finished_at": None,
        "reason_language": language,
        "usage": [],
        "checks": [result],
        "transcript": [each.model_dump(mode="json") for each in lines],
        **more,
    }


def planned(arguments: Any, name: str = "book_slot", **more: Any) -> ToolLine:
    return ToolLine(turn=1, agent="Desk", name=name, arguments=arguments, source="planned", **more)


REASONS: list[tuple[bool, list[Line], str, str]] = [
    (
        True,
        [planned({"day": "Monday"})],
        'The agent called `book_slot` with {"day": "Monday"}.',
        '智能体调用了 `book_slot`，参数为 {"day": "Monday"}。',
    ),
    (
        True,
        [planned({"day": "Sunday"}), planned({"day": "monday "})],
        'The agent called `book_slot` with {"day": "monday "}.',
        '智能体调用了 `book_slot`，参数为 {"day": "monday "}。',
    ),
    (
        False,
        [],
        "The agent did not call `book_slot`; it called nothing.",
        "智能体没有调用 `book_slot`，也没有调用其他函数。",
    ),
    (
        False,
        [planned({}, "hand_off_to_agent"), planned({}, "end_call")],
        "The agent did not call `book_slot`; it called `handoff_to_agent`, `end_call`.",
        "智能体没有调用 `book_slot`；它调用了 `handoff_to_agent`, `end_call`。",
    ),
    (
        False,
        [planned({"day": "Sunday"})],
        'The agent called `book_slot`, but `day` was "Sunday", not "Monday".',
        '智能体调用了 `book_slot`，但参数不符：`day` 为 "Sunday"，应为 "Monday"。',
    ),
    (
        False,
        [planned({"time": "9"})],
        'The agent called `book_slot`, but `day` was missing, not "Monday".',
        '智能体调用了 `book_slot`，但参数不符：`day` 缺失，应为 "Monday"。',
    ),
    (
        False,
        [planned('{"day"', reason="bad_arguments")],
        'The agent called `book_slot`, but with arguments that do not fit the function: "{\\"day\\"".',
        '智能体调用了 `book_slot`，但参数无效："{\\"day\\""。',
    ),
]


@pytest.mark.parametrize(("passed", "lines", "english", "chinese"), REASONS)
def test_what_was_called_is_told_in_both_languages(passed: bool, lines: list[Line], english: str, chinese: str) -> None:
    status = "passed" if passed else "failed"
    for language, words in (("English", english), ("Chinese", chinese), (None, english)):
        told = told_whole_run(run(status, lines, passed=passed, language=language), Settings())
        assert told is not None
        assert told["reason"] == words


def test_where_a_judge_was_asked_the_reason_is_the_judge_s() -> None:
    told = told_whole_run(run("failed", [], passed=False, usage=[{"role": "judge"}]), Settings())
    assert told is not None
    assert told["reason"] == "the native words"


@pytest.mark.parametrize(
    ("native", "told", "reason"),
    [
        ("queued", "running", None),
        ("running", "running", None),
        ("passed", "passed", "The agent called `book_slot` with {}."),
        ("failed", "failed", "The agent called `book_slot`"),
        ("error", "error", "It broke."),
        ("cancelled", "error", "The run was stopped."),
    ],
)
def test_every_native_status_has_its_word_and_its_reason(native: str, told: str, reason: str | None) -> None:
    shown = told_whole_run(run(native, [planned({})], passed=native == "passed", error="It broke."), Settings())
    assert shown is not None
    assert shown["status"] == told
    assert (shown["reason"] or "").startswith(reason or "")
    assert (shown["reason"] is None) == (shown["transcript"] is None) == (told == "running")


def test_a_run_of_another_shape_is_none_of_this_door_s() -> None:
    other = {"check": {"type": "says", "text": "hello"}, "passed": True, "detail": ""}
    assert told_whole_run(run("passed", [], passed=True) | {"checks": [other]}, Settings()) is None
    assert told_whole_run(run("passed", [], passed=True) | {"checks": []}, Settings()) is None


def test_credits_are_what_was_charged_where_they_have_a_price() -> None:
    priced = Settings(evasay_credits_per_run=2, evasay_credit_price=2_500)
    assert [credits_for(priced, charged) for charged in (0.0, 0.005, 0.0025, 0.003)] == [0, 2, 1, 1.2]
    assert type(credits_for(priced, 0.005)) is int
    free = Settings(evasay_credits_per_run=2)
    assert [credits_for(free, 0.0), credits_for(free, 0.0, is_refunded=True), credits_for(free, 0.7)] == [2, 0, 2]


def test_a_run_has_a_price_of_its_own_where_the_operator_sets_one() -> None:
    assert (policy_of(Settings()).charge, policy_of(Settings()).run_price) == ("tokens", 0)
    secret = Settings(evasay_credits_per_run=3, evasay_credit_price=100, platform_credentials=SecretStr("{}"))
    assert (policy_of(secret).charge, policy_of(secret).run_price) == ("run", 300)
    assert policy_of(Settings(evasay_credits_per_run=0, evasay_credit_price=100)).charge == "tokens"
