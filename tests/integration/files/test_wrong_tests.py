"""Tests that are written well by themselves and do not fit together or fit their agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.wrong_files import AGENT, TEST, mistakes_in

WRONG = [
    pytest.param(
        AGENT + TEST + ("    use_real_tools: maybe\n"),
        [("5:21: `use_real_tools` is `true` or `false`, not `maybe`")],
        id="text for a boolean",
    ),
    pytest.param(AGENT + TEST + ("    max_turns: 0\n"), [("5:16: `max_turns` is at least 1, not `0`")], id="too small"),
    pytest.param(
        AGENT + TEST + ("    pass_score: 101\n"), [("5:17: `pass_score` is at most 100, not `101`")], id="too large"
    ),
    pytest.param(
        AGENT + TEST + ("    max_turns: 51\n"),
        [("5:16: 51 turns are more than the 50 that a test may have")],
        id="over the limit",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller: Ravi\n"),
        [
            (
                "4:13: `caller` is a mapping, not `Ravi`: write its fields below it, such as `persona`, "
                "`opening_line`, `facts`, `reactions`"
            )
        ],
        id="mapping expected",
    ),
    pytest.param(
        AGENT + ("tests:\n  - Books\n"),
        [("3:5: a test is a mapping: write its `name`, `caller` and `checks`")],
        id="test that is text",
    ),
    pytest.param(
        AGENT + ("tests:\n  name: Books\n"),
        [("3:3: `tests` is a list: start each test with `- name: …`")],
        id="tests that are no list",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller: {persona: Ravi, messages: [Hi]}\n"),
        [("4:14: a caller is one of `persona`, `messages` or `history`; this one has `persona` and `messages`")],
        id="caller of two kinds",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller: {}\n"),
        [("4:13: a caller is one of `persona`, `messages` or `history`; this one has none of them")],
        id="caller of no kind",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller:\n      messages: [Hi]\n      opening_line: Hello\n"),
        [("6:7: `opening_line` goes with a `persona`, not with `messages`")],
        id="opening line with messages",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller: {history: [{role: agent, text: Hi}]}\n"),
        [("4:14: `history` must end with the caller, since the agent's reply to it is what is tested")],
        id="history ending with the agent",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    caller: {messages: [Hi, 12]}\n"),
        [('4:29: a message is text: put it in quotes, as "12"')],
        id="message that is a number",
    ),
    pytest.param(
        AGENT + TEST + ("    kind: script\n"),
        [("5:5: `kind: script` needs a caller with `messages`")],
        id="kind that does not fit",
    ),
    pytest.param(
        AGENT + TEST + ("    judges: 2\n"),
        [("5:5: `judges` must be odd, so that there is always a majority")],
        id="even judges",
    ),
    pytest.param(
        AGENT + TEST + ("    tool_mocks:\n      - {tool: book_slot, result: 1, error: no}\n"),
        [("6:27: a mock gives exactly one of `result`, `error` or `timeout: true`")],
        id="mock with two answers",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: calls_tool, tool: book_slots}\n"),
        [("6:34: `Desk` has no tool `book_slots`; did you mean `book_slot`?")],
        id="unknown tool in a check",
    ),
    pytest.param(
        AGENT + TEST + ("    tool_results:\n      cancel: {ok: true}\n"),
        [("6:15: `Desk` has no tool `cancel`: there is `book_slot`")],
        id="unknown tool in results",
    ),
    pytest.param(
        AGENT + TEST + ("    tool_mocks:\n      - {tool: bok_slot, result: 1}\n"),
        [("6:16: `Desk` has no tool `bok_slot`; did you mean `book_slot`?")],
        id="unknown tool in mocks",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: tool_order, tools: [book_slot, pay]}\n"),
        [("6:47: `Desk` has no tool `pay`: there is `book_slot`")],
        id="unknown tool in an order",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: [{type: ends_call}]\n"),
        [("5:14: `ends_call` can never hold, since `Desk` cannot end a call: set the agent's `can_end_call: true`")],
        id="ends_call without can_end_call",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: [{type: grounded}]\n"),
        [("5:14: `grounded` needs `knowledge`, and `Desk` has none: add documents to the agent")],
        id="grounded without knowledge",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: [{type: components, all_of: [link]}]\n"),
        [("5:14: `Desk` never shows `link`: list it in the agent's `components`")],
        id="cards that are not shown",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: [{type: matches, pattern: '(a'}]\n"),
        [("5:39: `(a` is not a pattern in RE2 syntax: missing ): (a")],
        id="pattern that is none",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: [{type: hands_off_to, agent: Billing}]\n"),
        [("5:42: `Desk` hands off to nobody: list `Billing` in its `can_hand_off`")],
        id="hand-off to nobody",
    ),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_test_that_does_not_hold_together_is_told_at_its_place(text: str, told: list[str], tmp_path: Path) -> None:
    assert mistakes_in(text, tmp_path) == told
