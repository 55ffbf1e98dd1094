"""Callers, checks and agents that are written in Python."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

import greenroom
import greenroom.testing
from greenroom.files.shapes import check_models, tag_of
from greenroom.model.agent import Agent
from greenroom.model.case import Caller, ScriptMessage, Test, Variation
from greenroom.model.checks import CallsTool, EndedByCheck, Says
from greenroom.model.errors import UserMistake
from greenroom.model.remote import RemoteOpenAi, RemotePython
from greenroom.testing import History, Persona, Script, calls_tool, ended_by, says
from greenroom.testing import checks as builders
from greenroom.testing.agents import read_agent
from greenroom.testing.written import written

HERE = Path()


def test_every_kind_of_check_has_a_function_of_its_name() -> None:
    for model in check_models():
        assert callable(getattr(builders, str(tag_of(model)))), f"{model.__name__} has none"


def test_a_check_is_the_same_as_in_a_file() -> None:
    assert says("Monday", where="last") == Says(text="Monday", where="last")
    assert calls_tool("book", ["day"]) == CallsTool(tool="book", arguments=["day"])
    assert calls_tool("book", "day") == CallsTool(tool="book", arguments=["day"])
    assert calls_tool("book", {"day": "Monday"}, times=2, required=False) == CallsTool(
        tool="book", arguments={"day": "Monday"}, times=2, required=False
    )
    assert ended_by("replied", "transferred") == EndedByCheck(any_of=["replied", "transferred"])


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: says(""), "says: `text`: string should have at least 1 character"),
        (lambda: says("x", where="middle"), "says: `where`: input should be 'any', 'last' or 'first'"),  # type: ignore[arg-type]
        (lambda: builders.components(), "components: name the cards in `any_of` or `all_of`"),
        (lambda: Persona(" "), "Persona: the persona is empty: write who calls and what they want"),
        (lambda: Script(), "Script: `messages` is empty: write at least one message"),
        (lambda: History(("agent", "Hi")), "must end with the caller"),
    ],
)
def test_a_value_that_does_not_fit_is_told_in_a_sentence(build: Any, sentence: str) -> None:
    with pytest.raises(UserMistake) as told:
        build()
    assert sentence in str(told.value)
    assert "pydantic" not in str(told.value)


def test_callers_are_what_a_file_would_make_of_them() -> None:
    persona = Persona("Ravi.", opening_line="Hi", facts={"order": 17}, reactions=[{"when": "name", "say": "Ravi"}])
    assert persona.kind == "simulation"
    assert written(Test, {"name": "t", "caller": persona}, "the test").caller == Caller.model_validate(
        {
            "persona": "Ravi.",
            "opening_line": "Hi",
            "facts": {"order": 17},
            "reactions": [{"when": "name", "say": "Ravi"}],
        }
    )
    script = Script("Hello", ScriptMessage(text="Monday", when="when"))
    assert [message.text for message in script.messages or ()] == ["Hello", "Monday"]
    history = History("Hello", ("agent", "Hi, what can I do?"), "Move my booking")
    assert [line.role for line in history.history or ()] == ["caller", "agent", "caller"]


def test_the_fields_of_a_test_are_held_to_the_rules_of_files() -> None:
    fields: dict[str, object] = {
        "name": "t",
        "caller": Script("Hello"),
        "checks": (says("Hi"), {"type": "never_says", "text": "Bye"}),
        "variables": {"year": 2026},
        "tool_results": {"book": {"days": ("Monday", "Tuesday")}},
    }
    test = written(Test, fields, "the test")
    assert [check.type for check in test.checks] == ["says", "never_says"]
    assert test.variables == {"year": "2026"}
    assert test.tool_results == {"book": {"days": ["Monday", "Tuesday"]}}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"max_turn": 3}, "the test: unknown field `max_turn`; did you mean `max_turns`?"),
        ({"checks": [{"type": "say", "text": "Hi"}]}, "unknown check type `say`; did you mean `says`?"),
        ({"max_turns": "3"}, "`max_turns` is a whole number: write 3 without quotes"),
        ({"tool_results": {"book": date(2026, 3, 2)}}, "the test.tool_results.book holds date: write it as text"),
        ({"variations": [Variation(name="a"), Variation(name="a")]}, "two variations have the same name"),
    ],
)
def test_mistakes_in_a_test_are_told_with_what_was_meant(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserMistake) as told:
        written(Test, {"name": "t", "caller": Persona("Ravi"), **fields}, "the test")
    assert sentence in str(told.value)


def test_a_function_becomes_an_agent_of_this_process() -> None:
    def front_desk(messages: object) -> str:
        return "Hello"

    given = read_agent(front_desk, HERE)
    assert given.agent.name == "front_desk"
    assert given.agent.remote == RemotePython(type="python", target="functions:front_desk")
    assert given.functions == {"front_desk": front_desk}
    assert read_agent(lambda messages: "Hello", HERE).agent.name == "<lambda>"


def test_a_url_becomes_an_agent_that_is_named_after_its_host_alone() -> None:
    agent = read_agent("https://agents.example.com:8443/v1", HERE).agent
    assert agent.name == "agents.example.com"
    assert isinstance(agent.remote, RemoteOpenAi)


def test_an_agent_is_taken_as_it_is_and_as_data() -> None:
    agent = Agent(name="Maya", prompt="You answer.")
    assert read_agent(agent, HERE).agent is agent
    assert read_agent({"name": "Maya", "prompt": "You answer."}, HERE).agent == agent


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"name": "Maya", "promt": "You answer."}, "the agent: unknown field `promt`; did you mean `prompt`?"),
        ({"name": "Maya"}, "the agent: an agent needs a `prompt`"),
        ("https://", "This URL has no host"),
        ("https://ravi:hunter22@example.com/v1", "`url` holds a user or a password: take it out"),
        (17, "int is no agent: give the path of a file"),
    ],
)
def test_what_cannot_be_an_agent_is_told_in_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(UserMistake) as told:
        read_agent(given, HERE)
    assert sentence in str(told.value)
    assert "hunter22" not in str(told.value)


def test_all_that_tests_use_can_be_imported_from_greenroom_itself() -> None:
    for name in greenroom.testing.__all__:
        assert getattr(greenroom, name) is getattr(greenroom.testing, name)
    with pytest.raises(AttributeError, match="no attribute 'Personna'"):
        _ = greenroom.Personna  # type: ignore[attr-defined]
