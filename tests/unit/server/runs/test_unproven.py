"""What a reply played at once leaves open."""

from __future__ import annotations

from typing import Any

from tests.support.runs import a_run
from tests.support.talks import make_agent

from greenroom.model.agent import Agent
from greenroom.model.run import ToolLine
from greenroom.server.runs.unproven import unproven


def a_call(name: str, **fields: Any) -> ToolLine:
    return ToolLine.model_validate({"turn": 1, "agent": "Desk", "name": name, "source": "webhook", **fields})


def test_tools_that_were_called_twice_are_named_once() -> None:
    run = a_run(transcript=[a_call("book"), a_call("book"), a_call("pay", reason="timeout")])
    ran, failed = unproven(make_agent(), "real", run)
    assert "book, pay (timeout)." in ran
    assert failed.endswith("pay (timeout).")


def test_what_the_engine_answers_itself_did_not_run_for_real() -> None:
    run = a_run(transcript=[a_call("end_call", source="engine"), a_call("remember", source="engine")])
    assert list(unproven(make_agent(), "real", run)) == []


def test_a_call_that_never_left_did_not_run_but_failed() -> None:
    run = a_run(
        transcript=[a_call("book", reason="bad_arguments"), a_call("fly", source="refused", reason="unknown_tool")]
    )
    (failed,) = unproven(make_agent(), "real", run)
    assert "book (bad_arguments), fly (unknown_tool)" in failed


def test_tools_that_a_remote_agent_ran_by_itself_are_told_in_a_dry_run_too() -> None:
    agent = Agent.model_validate(
        {"name": "Elsewhere", "remote": {"type": "http", "url": "https://example.com", "reply": "text"}}
    )
    run = a_run(transcript=[a_call("book", source="recorded")])
    for tools in ("plan", "real"):
        (warning,) = unproven(agent, tools, run)
        assert "ran tools by itself: book" in warning


def test_a_tool_of_the_test_s_own_answers_leaves_nothing_open() -> None:
    agent = make_agent(tools=[{"name": "book"}])
    assert list(unproven(agent, "canned", a_run(transcript=[a_call("book", source="canned")]))) == []


def test_a_name_that_only_a_conversation_knows_is_told_once() -> None:
    agent = make_agent(prompt="{{contact.name}} of {{ contact.city }}: {{contact.name}}. {plain} {{single}}")
    assert [each.partition("which")[0] for each in unproven(agent, "plan", a_run())] == [
        "The prompt of Front desk uses {{contact.name}}, ",
        "The prompt of Front desk uses {{contact.city}}, ",
    ]
