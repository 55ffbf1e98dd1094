"""Tests added to a file that a person wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenroom.files.append import CannotAppend, with_tests
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import plain
from greenroom.files.yaml_reader import read_yaml
from greenroom.model.case import Test

FILE = Path("greenroom.yaml")
NEW = Test.model_validate({"name": "New: one", "caller": {"messages": ["Hi"]}})
AGENT = "agent: {name: A, prompt: p}\n"
ITEM = '- name: "New: one"\n    caller:\n      messages:\n        - Hi\n'


def held(text: str) -> Any:
    ledger = Ledger()
    node = read_yaml(text, FILE, ledger)
    assert node is not None
    assert not ledger.mistakes
    return plain(node)


def added(text: str, *tests: Test) -> str:
    """The text with tests added; what it held before is there as it was."""
    after = with_tests(text, tests or [NEW], FILE)
    before, now = held(text), held(after)
    assert [*(before.pop("tests", None) or []), *([t.name for t in tests or [NEW]])] == [
        *now["tests"][: len(now["tests"]) - len(tests or [NEW])],
        *(test["name"] for test in now.pop("tests")[-len(tests or [NEW]) :]),
    ]
    assert before == now
    return after


@pytest.mark.parametrize(
    "text",
    [
        "agent: {name: A, prompt: p}  # the agent\n",
        "agent: {name: A, prompt: p}\ntests: []  # none yet\nx-a: 1  # after\n",
        "agent: {name: A, prompt: p}\ntests:\n# soon\nvariants: {}\n",
        "agent: {name: A, prompt: p}\ntests: # soon\n",
        "# top\ntests:\n- name: a   # first\n  caller: {messages: [x]}\n# end\nagent: {name: A, prompt: p}\n",
        "tests:\n    - name: a\n      caller:\n        persona: |+\n          Text\n          # text\n\n\n" + AGENT,
        "tests:\n  - name: b\n    caller: {messages: [x]}\n    # inside\n\n  # outside\nagent: {name: A, prompt: p}",
        "agent: &a {name: A, prompt: p}\nx-b: {<<: *a}\ntests:\n  - &t {name: a, caller: {messages: [x]}}\n",
        "agent: {name: A, prompt: 'it''s'}\ntests:\n  -\n    name: a\n    caller: {messages: [x]}\n",
    ],
)
def test_every_line_that_was_there_stays_as_it_was(text: str) -> None:
    after = added(text)
    left = iter(after.splitlines())
    assert all(line in left for line in text.replace("tests: []  #", "tests:  #").splitlines())


def test_a_new_test_comes_last_in_the_list_at_the_same_depth() -> None:
    text = "agent: {name: A, prompt: p}\ntests:\n  - name: a\n    caller: {messages: [x]}\n\n# variants\nvariants: {}\n"
    assert added(text) == text.replace("\n\n# variants", f"\n  {ITEM}\n# variants")


def test_tests_that_stand_apart_go_on_standing_apart() -> None:
    text = AGENT + "tests:\n  - {name: a, caller: {messages: [x]}}\n\n  - {name: b, caller: {messages: [x]}}\n"
    assert added(text) == f"{text}\n  {ITEM}"


def test_a_list_in_brackets_is_written_anew_with_the_comments_of_the_file() -> None:
    text = "# top\ntests: [{name: a, caller: {messages: [x]}}]  # one\nagent: {name: A, prompt: p}  # two\n"
    after = added(text)
    assert all(comment in after for comment in ("# top", "# one", "# two"))


def test_windows_line_ends_and_a_byte_order_mark_stay() -> None:
    text = "\ufeffagent: {name: A, prompt: p}\r\ntests:\r\n  - {name: a, caller: {messages: [x]}}\r\n"
    after = with_tests(text, [NEW], FILE)
    assert after.startswith(text)
    assert after.count("\n") == after.count("\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "name: A\nprompt: this file is an agent\n",
        "- a list\n",
        "agent: {name: A, prompt: p}\ntests: several\n",
        "agent: {name: A, prompt: p}\nx-t: &t\n  - {name: a, caller: {messages: [x]}}\ntests: *t\n",
        "agent: {name: A",
        "",
    ],
)
def test_a_file_that_would_come_to_hold_something_else_is_refused(text: str) -> None:
    with pytest.raises(CannotAppend, match=r"`greenroom\.yaml` is written so that no test can be added"):
        with_tests(text, [NEW], FILE)


_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@settings(deadline=None)
@given(_NAMES, st.lists(_NAMES.filter(lambda text: text.strip() != ""), min_size=1, max_size=3), st.integers(0, 6))
def test_whatever_is_said_is_added_as_it_was_said(name: str, messages: list[str], depth: int) -> None:
    test = Test.model_validate({"name": name, "caller": {"messages": messages}})
    text = f"agent: {{name: A, prompt: p}}\ntests:\n{' ' * depth}- {{name: a, caller: {{messages: [x]}}}}\nx-z: 1\n"
    now = held(with_tests(text, [test, NEW], FILE))
    assert [entry["name"] for entry in now["tests"]] == ["a", name, "New: one"]
    assert now["tests"][1]["caller"]["messages"] == messages
    assert now["x-z"] == 1
