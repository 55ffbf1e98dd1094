"""Agents and tests written as YAML load back to the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.files.dump import dump_agent, dump_test
from greenroom.files.library import Library
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import MapNode
from greenroom.files.parts import read_agent, read_test
from greenroom.files.validation import validate
from greenroom.files.yaml_reader import read_yaml
from greenroom.model.agent import Agent, Document, Knowledge, McpServer, Tool, ToolWebhook
from greenroom.model.base import Json
from greenroom.model.case import Caller, Test, ToolMock, Variation
from greenroom.model.checks import CallsTool, EndsCall, Says
from greenroom.model.llm import Llm, ScriptedCall, ScriptRule, ToolResultHeard

FILE = Path("case.yaml")


def _tree(text: str) -> tuple[MapNode, Library]:
    ledger = Ledger()
    node = read_yaml(text, FILE, ledger)
    ledger.raise_any()
    assert isinstance(node, MapNode)
    return node, Library(ledger)


def load_test(text: str) -> Test:
    node, library = _tree(text)
    test = validate(Test, read_test(node, library), library.ledger)
    library.ledger.raise_any()
    assert test is not None
    return test


def load_agent(text: str) -> Agent:
    node, library = _tree(text)
    agent = validate(Agent, read_agent(node, library, {}).node, library.ledger)
    library.ledger.raise_any()
    assert agent is not None
    return agent


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
_WORDS = _TEXT.filter(lambda text: text.strip() != "")
_LINES = st.lists(st.sampled_from(["", "one", "  two ", "- three", "# four", "five: 5", "---"]), max_size=6).map(
    "\n".join
)
_JSON: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)
_PERSONAS = (
    _WORDS | _LINES.filter(lambda text: text.strip() != "") | st.sampled_from(["persona.md", "a b.txt", " x.md"])
)
_CHECKS = st.builds(Says, text=_TEXT.filter(bool)) | st.builds(
    CallsTool,
    tool=_TEXT.filter(bool),
    arguments=st.none() | st.lists(_TEXT, max_size=2) | st.dictionaries(_TEXT, _JSON),
)
_TESTS = st.builds(
    Test,
    name=_TEXT.filter(bool),
    caller=st.builds(Caller, persona=_PERSONAS, facts=st.dictionaries(_TEXT, _JSON, max_size=3)),
    variables=st.dictionaries(_TEXT, _TEXT | st.sampled_from(["007", "true", "4.50", "~", "<<"]), max_size=3),
    tool_results=st.dictionaries(_TEXT, _JSON, max_size=3),
    tool_mocks=st.lists(st.builds(ToolMock, tool=_TEXT, result=_JSON), max_size=2),
    checks=st.lists(_CHECKS, max_size=3),
    variations=st.lists(st.builds(Variation, name=_TEXT.filter(bool), persona=_PERSONAS), max_size=1),
    tags=st.lists(_TEXT, max_size=2),
)


@given(_TESTS)
def test_a_test_loads_back_to_the_same(test: Test) -> None:
    assert load_test(dump_test(test)) == test


@given(
    st.builds(
        Agent,
        name=_TEXT.filter(bool),
        prompt=_PERSONAS,
        greeting=st.none() | _TEXT,
        variables=st.dictionaries(_TEXT, _TEXT, max_size=3),
        tools=st.lists(st.builds(Tool, name=st.just("book"), description=_TEXT), max_size=1),
        knowledge=st.none() | st.builds(Knowledge, documents=st.lists(st.builds(Document, name=_TEXT, text=_LINES))),
    )
)
def test_an_agent_loads_back_to_the_same(agent: Agent) -> None:
    assert load_agent(dump_agent(agent)) == agent


def test_a_scripted_brain_loads_back_to_the_same() -> None:
    rules = [
        ScriptRule(when="hello", say="Hi"),
        ScriptRule(when=ToolResultHeard(tool="book"), say="Done", times=2),
        ScriptRule(
            call=[ScriptedCall(tool="book", arguments={"day": "Monday"}), ScriptedCall(tool="pay", arguments="{")]
        ),
        ScriptRule(role="judge", answer="yes", reason="It did.", quote="Done"),
    ]
    agent = Agent(name="Desk", prompt="Book.", llm=Llm(model="scripted:desk", script=rules))
    assert load_agent(dump_agent(agent)) == agent


def test_only_what_was_set_is_written_and_the_type_of_a_check_always() -> None:
    test = Test(name="Books", caller=Caller(persona="Ravi"), checks=[EndsCall()])
    assert dump_test(test) == "name: Books\ncaller:\n  persona: Ravi\nchecks:\n  - type: ends_call\n"


def test_a_mock_that_answers_with_nothing_keeps_its_result() -> None:
    test = Test(name="Books", caller=Caller(persona="Ravi"), tool_mocks=[ToolMock(tool="book", result=None)])
    assert load_test(dump_test(test)).tool_mocks[0].model_fields_set == {"tool", "result"}


def test_texts_of_several_lines_are_written_as_blocks() -> None:
    agent = Agent(name="Desk", prompt="# Role\nBook visits.\n\n- Be brief.\n")
    assert dump_agent(agent) == "name: Desk\nprompt: |\n  # Role\n  Book visits.\n\n  - Be brief.\n"


def test_secrets_are_never_written() -> None:
    agent = Agent(
        name="Desk",
        prompt="Book.",
        tool_webhook=ToolWebhook.model_validate({"url": "https://example.com", "secret": "whsec_hush"}),
        mcp_servers=[
            McpServer.model_validate({"name": "crm", "url": "https://example.com", "headers": {"key": "hush"}})
        ],
    )
    written = dump_agent(agent)
    assert "hush" not in written
    assert load_agent(written).tool_webhook == ToolWebhook(url="https://example.com")


@pytest.mark.parametrize(
    "text", ["yes", "no", "null", "12", "0x1", "1e5", "2026-01-01", "- a", "a: b", "#", "*x", "{{y}}"]
)
def test_a_text_that_looks_like_something_else_stays_text(text: str) -> None:
    agent = Agent(name=text, prompt=text, greeting=text)
    assert load_agent(dump_agent(agent)) == agent
