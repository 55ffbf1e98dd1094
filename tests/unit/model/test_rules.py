"""What a test may ask of its agent, and what an agent may be."""

from __future__ import annotations

from typing import Any

import pytest

from greenroom.model.agent import Agent, find_agent
from greenroom.model.case import Test
from greenroom.model.errors import Problem
from greenroom.model.limits import Limits
from greenroom.model.rules import check_agent, check_hand_offs, check_test, nearest

LIMITS = Limits()


def an_agent(**fields: Any) -> Agent:
    return Agent.model_validate({"name": "Desk", "prompt": "Book visits.", **fields})


def a_test(*checks: dict[str, Any], **fields: Any) -> Test:
    return Test.model_validate({"name": "Books", "caller": {"persona": "Ravi"}, "checks": list(checks), **fields})


def problems(test: Test, agent: Agent | None = None, *others: Agent, limits: Limits = LIMITS) -> tuple[Problem, ...]:
    return check_test(test, agent or an_agent(), {other.name: other for other in others}, limits)


def paths(found: tuple[Problem, ...]) -> list[tuple[str | int, ...]]:
    return [problem.path for problem in found]


BOOKING = {"name": "book_slot"}
CRM = {"name": "crm", "url": "https://example.com/mcp"}


def test_a_test_that_fits_its_agent_has_no_problems() -> None:
    agent = an_agent(tools=[BOOKING], can_end_call=True, knowledge={"documents": [{"name": "a", "text": "b"}]})
    test = a_test({"type": "calls_tool", "tool": "book_slot"}, {"type": "ends_call"}, {"type": "grounded"})
    assert problems(test, agent) == ()


@pytest.mark.parametrize(
    ("test", "path"),
    [
        (a_test(max_turns=4), ("max_turns",)),
        (a_test(*[{"type": "says", "text": "a"}] * 4), ("checks",)),
        (a_test(*[{"type": "judge", "question": "Is it?"}] * 2), ("checks",)),
        (a_test(caller={"messages": ["a", "b", "c"]}), ("caller", "messages")),
        (a_test(caller={"history": [{"role": "caller", "text": "a"}] * 3}), ("caller", "history")),
        (a_test(caller={"persona": "a" * 21}), ("caller", "persona")),
        (a_test(variations=[{"name": "b", "persona": "a" * 21}]), ("variations", 0, "persona")),
    ],
)
def test_more_than_the_limits_allow_is_a_problem(test: Test, path: tuple[str | int, ...]) -> None:
    small = Limits(max_turns=3, checks=3, judged_checks=1, messages=2, history_lines=2, persona_chars=20)
    if "max_turns" not in test.model_fields_set:
        test = test.model_copy(update={"max_turns": 3})
    assert paths(problems(test, limits=small)) == [path]


def test_calls_compared_by_meaning_count_as_judged() -> None:
    check = {"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "x"}, "match": "judge"}
    found = problems(a_test(check, check), an_agent(tools=[BOOKING]), limits=Limits(judged_checks=1))
    assert found == (Problem(("checks",), "2 checks that need a judge are more than the 1 that a test may have"),)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tool_results": {"bok_slot": 1}}, ("tool_results", "bok_slot")),
        ({"tool_mocks": [{"tool": "bok_slot", "result": 1}]}, ("tool_mocks", 0, "tool")),
        ({"checks": [{"type": "calls_tool", "tool": "bok_slot"}]}, ("checks", 0, "tool")),
        ({"checks": [{"type": "tool_order", "tools": ["end_call", "bok_slot"]}]}, ("checks", 0, "tools", 1)),
    ],
)
def test_a_tool_that_the_agent_lacks_is_a_problem_with_a_suggestion(
    fields: dict[str, Any], path: tuple[str | int, ...]
) -> None:
    assert problems(a_test(**fields), an_agent(tools=[BOOKING])) == (
        Problem(path, "`Desk` has no tool `bok_slot`; did you mean `book_slot`?"),
    )


@pytest.mark.parametrize(
    "name", ["end_call", "search_knowledge_base", "show_link", "remember", "hand_off_to_agent", "crm__lookup"]
)
def test_tools_of_the_engine_and_undeclared_ones_of_a_server_are_known(name: str) -> None:
    test = a_test({"type": "calls_tool", "tool": name}, tool_results={name: 1})
    assert problems(test, an_agent(mcp_servers=[CRM])) == ()


def test_a_server_that_declares_its_tools_has_no_others() -> None:
    agent = an_agent(mcp_servers=[{**CRM, "tools": [{"name": "lookup"}]}])
    assert problems(a_test({"type": "calls_tool", "tool": "crm__lookup"}), agent) == ()
    [found] = problems(a_test({"type": "calls_tool", "tool": "crm__lockup"}), agent)
    assert found.message == "`Desk` has no tool `crm__lockup`; did you mean `crm__lookup`?"


def test_what_must_never_be_called_need_not_be_there() -> None:
    test = a_test({"type": "never_calls_tool", "tool": "pay"}, {"type": "calls_tool", "tool": "pay", "times": 0})
    assert problems(test) == ()


def test_tools_and_switches_of_agents_that_the_talk_can_come_to_count() -> None:
    billing = an_agent(name="Billing", tools=[{"name": "refund"}], can_hand_off=["Archive"])
    archive = an_agent(name="Archive", can_end_call=True, components=["link"])
    test = a_test(
        {"type": "calls_tool", "tool": "refund"},
        {"type": "ends_call"},
        {"type": "components", "any_of": ["booking", "link"]},
        {"type": "hands_off_to", "agent": "Archive"},
    )
    assert problems(test, an_agent(can_hand_off=["Billing"]), billing, archive) == ()
    assert paths(problems(test, an_agent(), billing, archive)) == [
        ("checks", 0, "tool"),
        ("checks", 1),
        ("checks", 2),
        ("checks", 3, "agent"),
    ]


def test_agents_that_hand_to_each_other_are_each_looked_at_once() -> None:
    other = an_agent(name="Billing", can_hand_off=["Desk"])
    desk = an_agent(can_hand_off=["Billing"])
    [found] = check_test(a_test({"type": "ends_call"}), desk, {"Billing": other, "Desk": desk}, LIMITS)
    assert found.path == ("checks", 0)


def test_a_hand_off_may_be_checked_by_name_or_id() -> None:
    billing = an_agent(name="Billing", id="agt_7")
    for name in ("Billing", "agt_7"):
        assert (
            problems(a_test({"type": "hands_off_to", "agent": name}), an_agent(can_hand_off=["agt_7"]), billing) == ()
        )


def test_a_realtime_agent_cannot_be_tested() -> None:
    [found] = problems(a_test({"type": "ends_call"}), an_agent(pipeline_mode="realtime"))
    assert "realtime agent, which has no text step" in found.message
    assert check_agent(an_agent(pipeline_mode="realtime"), LIMITS) == ()


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"checks": [{"type": "matches", "pattern": "(a"}]}, ("checks", 0, "pattern")),
        ({"checks": [{"type": "never_matches", "pattern": "a(?=b)"}]}, ("checks", 0, "pattern")),
        (
            {"checks": [{"type": "calls_tool", "tool": "end_call", "match": "regex", "arguments": {"a": 1, "b": "["}}]},
            ("checks", 0, "arguments", "b"),
        ),
        ({"caller": {"persona": "a", "reactions": [{"when": "*", "say": "b"}]}}, ("caller", "reactions", 0, "when")),
        ({"caller": {"messages": ["a", {"text": "b", "when": "("}]}}, ("caller", "messages", 1, "when")),
    ],
)
def test_a_pattern_that_re2_does_not_read_is_a_problem(fields: dict[str, Any], path: tuple[str | int, ...]) -> None:
    [found] = problems(a_test(**fields))
    assert found.path == path
    assert "is not a pattern in RE2 syntax" in found.message


@pytest.mark.parametrize("text", [" ", "\u200b", "\u00a0\ufeff\t"])
def test_a_text_of_which_nothing_is_left_can_never_be_said(text: str) -> None:
    assert paths(problems(a_test({"type": "says", "text": text}, {"type": "never_says", "text": text}))) == [
        ("checks", 0, "text"),
        ("checks", 1, "text"),
    ]


def test_in_a_dry_run_only_planned_calls_can_count() -> None:
    check = {"type": "calls_tool", "tool": "book_slot"}
    agent = an_agent(tools=[BOOKING])
    [found] = problems(a_test(check, tools="plan"), agent)
    assert "expect_planned: true" in found.message
    assert problems(a_test({**check, "expect_planned": True}, tools="plan"), agent) == ()
    assert problems(a_test({**check, "times": 0}, tools="plan"), agent) == ()


def test_texts_that_cannot_be_said_are_found_wherever_they_stand() -> None:
    test = a_test(name="a\x00b", tool_results={"end_call": {"deep": ["\ud800"]}})
    assert paths(problems(test)) == [("name",), ("tool_results", "end_call", "deep", 0)]
    agent = an_agent(greeting="\x00", tool_webhook={"url": "https://example.com", "secret": "\x00"})
    assert paths(check_agent(agent, LIMITS)) == [("greeting",), ("tool_webhook", "secret")]


def test_a_secret_is_never_shown_in_a_problem() -> None:
    agent = an_agent(tool_webhook={"url": "ftp://example.com", "secret": "hush\x00"})
    assert all("hush" not in problem.message for problem in check_agent(agent, LIMITS))


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"greeting": "a" * 4001}, ("greeting",)),
        ({"tools": [{"name": "a", "parameters": {}}]}, ("tools", 0, "parameters")),
        ({"tools": [{"name": "a", "parameters": {"type": "string"}}]}, ("tools", 0, "parameters")),
        (
            {"tools": [{"name": "a", "parameters": {"type": "object", "properties": {"b": {"type": "text"}}}}]},
            ("tools", 0, "parameters", "properties", "b", "type"),
        ),
        (
            {"tools": [{"name": "a", "parameters": {"type": "object", "required": "b"}}]},
            ("tools", 0, "parameters", "required"),
        ),
        (
            {"tools": [{"name": "a", "parameters": {"type": "object", "properties": {"b": {"$ref": "#/$defs/c"}}}}]},
            ("tools", 0, "parameters"),
        ),
        (
            {"mcp_servers": [{**CRM, "tools": [{"name": "a", "parameters": {"type": "array"}}]}]},
            ("mcp_servers", 0, "tools", 0, "parameters"),
        ),
        ({"mcp_servers": [{"name": "crm", "url": "example.com"}]}, ("mcp_servers", 0, "url")),
        ({"tool_webhook": {"url": "file:///etc/passwd"}}, ("tool_webhook", "url")),
        ({"judge_llm": {"model": "openai:x", "base_url": "localhost:1"}}, ("judge_llm", "base_url")),
        (
            {"llm": {"model": "scripted:x", "script": [{"say": "a"}, {"when": "(", "say": "b"}]}},
            ("llm", "script", 1, "when"),
        ),
    ],
)
def test_what_is_wrong_with_an_agent_is_told_at_its_field(fields: dict[str, Any], path: tuple[str | int, ...]) -> None:
    assert paths(check_agent(an_agent(**fields), LIMITS)) == [path]


def test_hand_offs_must_lead_to_agents_that_are_there() -> None:
    billing = an_agent(name="Billing", id="agt_7")
    agent = an_agent(can_hand_off=["Billing", "agt_7", "Biling", "Desk", "Quux"])
    found = check_hand_offs(agent, {"Billing": billing, "Desk": agent})
    assert found == (
        Problem(("can_hand_off", 2), "there is no agent `Biling`; did you mean `Billing`?"),
        Problem(("can_hand_off", 3), "`Desk` cannot hand off to itself: take it out"),
        Problem(("can_hand_off", 4), "there is no agent `Quux`: there is `Billing`"),
    )


def test_an_agent_goes_by_its_key_its_name_and_its_id() -> None:
    billing = an_agent(name="Billing", id="agt_7")
    for key in ("bills", "Billing", "agt_7"):
        assert find_agent(key, {"bills": billing}) is billing
    assert find_agent("Desk", {"bills": billing}) is None


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("tool_result", "tool_results"),
        ("Tool-Results", "tool_results"),
        ("turns", "max_turns"),
        ("xyz", None),
        ("", None),
    ],
)
def test_the_name_that_was_meant_is_found_where_one_is_near(word: str, name: str | None) -> None:
    assert nearest(word, ["tool_results", "max_turns", "checks"]) == name
