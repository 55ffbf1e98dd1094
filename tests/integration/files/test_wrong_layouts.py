"""Variants, credentials, and text that is no YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.wrong_files import AGENT, TEST, mistakes_in

WRONG = [
    pytest.param(
        ("agents:\n  - {name: Desk, prompt: Book., can_hand_off: [Biling]}\n  - {name: Billing, prompt: Bill.}\n")
        + TEST,
        [("2:48: there is no agent `Biling`; did you mean `Billing`?")],
        id="hand-off to a missing agent",
    ),
    pytest.param(
        ("agents:\n  - {name: Desk, prompt: Book.}\n  - {name: Desk, prompt: Bill.}\n") + TEST,
        [("3:12: two agents are named `Desk` (first in line 2): rename one")],
        id="two agents of one name",
    ),
    pytest.param(
        AGENT + TEST + ("variants:\n  real:\n    lm: {model: openai:x}\n"),
        [("7:5: unknown field `lm`; did you mean `llm`?")],
        id="variant with unknown field",
    ),
    pytest.param(
        AGENT + TEST + ("variants: {real: openai:x}\n"),
        [("5:18: `real` is a mapping: write for example `{llm: {model: openai:gpt-4.1-mini}}`")],
        id="variant that is text",
    ),
    pytest.param(
        AGENT + TEST + ("variants: {real: {name: Other}}\n"),
        [("5:19: a variant keeps the agent's `name`: take it out of the variant")],
        id="variant that renames",
    ),
    pytest.param(
        AGENT + TEST + ("variants: {real: {agents: {Dsk: {greeting: Hi}}}}\n"),
        [("5:28: there is no agent `Dsk`; did you mean `Desk`?")],
        id="variant of an unknown agent",
    ),
    pytest.param(
        AGENT + TEST + ("    tool_results: {book_slot: 1}\nvariants: {bare: {tools: []}}\n"),
        [("5:31: with the variant `bare`, `Desk` has no tool `book_slot`")],
        id="variant that breaks a test",
    ),
    pytest.param(
        AGENT + TEST + ("credentials: {main: {base_url: 'https://x'}}\n"),
        [("5:21: `api_key` is missing: a credential needs it")],
        id="credential without key",
    ),
    pytest.param(
        AGENT + TEST + ("credentials: {main: {api_key: '${OPENAI-KEY}'}}\n"),
        [("5:31: an environment variable is written `${NAME}`, with letters, digits and `_`")],
        id="credential with a broken variable",
    ),
    pytest.param(
        ("agent: {name: Desk, prompt: Book., llm: {model: openai:x, credential: mian}}\n")
        + TEST
        + ("credentials: {main: {api_key: k}}\n"),
        [("1:71: there is no credential `mian`; did you mean `main`?")],
        id="misspelled credential",
    ),
    pytest.param(
        AGENT + TEST + ("    max_turns: 3\n    max_turns: 4\n"),
        [("6:5: `max_turns` is given twice (first in line 5): keep one")],
        id="field given twice",
    ),
    pytest.param(("agent:\n\tname: Desk\n"), [("2:1: a tab stands here: indent with spaces")], id="tab"),
    pytest.param(
        ("agent:\n  name: 'Desk\n"), [("2:9: this quote is never closed: add the closing quote")], id="open quote"
    ),
    pytest.param(
        ("agent:\n  tools: [a, b\ntests: []\n"),
        [("2:10: this `[` or `{` is not closed as it should be: look for a missing comma, bracket or quote")],
        id="open bracket",
    ),
    pytest.param(
        ("agent:\n  name: Desk: the front\n"),
        [("2:13: a `:` stands where none can: put the text in quotes, or mend the indentation")],
        id="colon in text",
    ),
    pytest.param(
        ("agent:\n  name: Desk\n  prompt: x\n  greeting: {{company}}\n") + TEST,
        [("4:14: a name cannot be a list or a mapping: put text that starts with `{` or `[` in quotes")],
        id="braces",
    ),
    pytest.param(
        ("agent:\n  name: Desk\n prompt: Book.\n"),
        [("3:2: the indentation does not fit the lines above: align it with the fields or items beside it")],
        id="indentation",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: !x Books\n    caller: {persona: Ravi}\n"),
        [("3:11: the tag `!x` has no meaning here: take it out")],
        id="tag",
    ),
    pytest.param(
        ("agent: *desk\n"),
        [("1:8: `*desk` points to nothing: put `&desk` before an earlier value")],
        id="alias to nothing",
    ),
    pytest.param(
        AGENT + TEST + ("---\nagent: {}\n"),
        [("5:1: a second YAML document starts here: keep one in a file")],
        id="second document",
    ),
    pytest.param((""), [("1:1: the file is empty: write an agent and its tests")], id="empty"),
    pytest.param(
        ("- agent\n"), [("1:1: a test file is a mapping: start with `agent:` and `tests:`")], id="list at the top"
    ),
    pytest.param(
        ("agent:\n  name: \x07Desk\n"),
        [("2:9: the control character U+0007 stands here: take it out")],
        id="control character",
    ),
    pytest.param(
        AGENT + ('tests:\n  - name: "\\ud800"\n    caller: {persona: Ravi}\n'),
        [("3:11: this text holds a NUL or half of a character, which cannot be said: take it out")],
        id="escaped half character",
    ),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_file_that_is_wrong_is_told_at_its_place(text: str, told: list[str], tmp_path: Path) -> None:
    assert mistakes_in(text, tmp_path) == told
