"""From a request of the door `zavu` to what is replied to, and from a reply to its answer."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from greenroom.model.run import Reason, Source, ToolLine
from greenroom.server.doors.zavu.mapping import asked_of, executed, planned
from greenroom.server.doors.zavu.schemas import TestWanted


def a_call(**fields: Any) -> ToolLine:
    return ToolLine.model_validate({"turn": 1, "agent": "Desk", "name": "look_up", "source": "webhook", **fields})


def test_the_message_is_the_last_line_of_the_talk() -> None:
    wanted = TestWanted.model_validate(
        {"message": "c", "history": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    )
    asked = asked_of(wanted)
    assert [(line.role, line.text) for line in asked.history] == [("caller", "a"), ("agent", "b"), ("caller", "c")]


@pytest.mark.parametrize(
    ("fields", "tools", "use_knowledge"),
    [
        ({}, "plan", True),
        ({"executeTools": False, "useKnowledgeBase": True}, "plan", True),
        ({"executeTools": True}, "real", True),
        ({"useKnowledgeBase": False}, "plan", False),
    ],
)
def test_the_switches_are_off_and_on_as_documented(fields: dict[str, bool], tools: str, use_knowledge: bool) -> None:
    asked = asked_of(TestWanted.model_validate({"message": "Hi", **fields}))
    assert (asked.tools, asked.use_knowledge) == (tools, use_knowledge)


@pytest.mark.parametrize("source", [each for each in get_args(Source) if each not in ("planned", "refused")])
def test_a_call_that_was_answered_is_ok_whoever_answered(source: str) -> None:
    told = executed(a_call(source=source, result={"ok": True}))
    assert (told.name, told.ok, told.error) == ("look_up", True, None)


@pytest.mark.parametrize("reason", get_args(Reason))
def test_a_call_that_failed_says_why_whatever_the_reason(reason: str) -> None:
    assert executed(a_call(reason=reason, result={"error": "It is closed."})).error == "It is closed."
    assert executed(a_call(reason=reason, result="Closed.")).error == "Closed."
    bare = executed(a_call(reason=reason, result={"error": " "}))
    assert (bare.ok, bare.error) == (False, reason)


def test_a_refused_call_is_not_ok() -> None:
    assert executed(a_call(source="refused")).ok is False
    assert executed(a_call(source="refused")).error


@pytest.mark.parametrize(
    ("arguments", "written"),
    [({}, "{}"), ({"city": "Pühl", "n": [1, None]}, '{"city": "Pühl", "n": [1, null]}'), ('{"cut', '{"cut')],
)
def test_planned_arguments_are_a_json_string(arguments: Any, written: str) -> None:
    told = planned(a_call(source="planned", arguments=arguments))
    assert told.arguments == written
    if isinstance(arguments, dict):
        assert json.loads(told.arguments) == arguments
