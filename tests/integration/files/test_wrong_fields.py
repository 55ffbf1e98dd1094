"""Fields of a test that are misspelled, missing or of the wrong kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.wrong_files import AGENT, TEST, mistakes_in

WRONG = [
    pytest.param(
        AGENT + TEST + ("    tool_result: {book_slot: {ok: true}}\n"),
        [("5:5: unknown field `tool_result`; did you mean `tool_results`?")],
        id="unknown field of a test",
    ),
    pytest.param(
        ("agent:\n  name: Desk\n  promt: Book visits.\n") + TEST,
        [("3:3: unknown field `promt`; did you mean `prompt`?")],
        id="unknown field of an agent",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: Books\n    persona: Ravi\n    caller: {persona: Ravi}\n"),
        [("4:5: `persona` does not stand here: it goes under `caller`")],
        id="field that goes below",
    ),
    pytest.param(
        AGENT + TEST + ("credential: {}\n"),
        [("5:1: unknown field `credential`; did you mean `credentials`?")],
        id="unknown top field",
    ),
    pytest.param(
        AGENT + TEST + ("llm: {model: openai:x}\n"),
        [("5:1: `llm` does not stand here: it goes under `agent`")],
        id="agent field at the top",
    ),
    pytest.param(
        AGENT + TEST + ("zzz: 1\n"),
        [("5:1: unknown field `zzz`: a file has `agent`, `agents`, `tests`, `credentials`, `variants`")],
        id="strange top field",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: sayz, text: Monday}\n"),
        [("6:16: unknown check type `sayz`; did you mean `says`?")],
        id="unknown check type",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - type: says\n"),
        [("6:9: `text` is missing: a `says` check needs it")],
        id="check with missing field",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: says, txt: Monday}\n"),
        [("6:22: unknown field `txt`; did you mean `text`?")],
        id="check with misspelled field",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - says Monday\n"),
        [("6:9: a check is a mapping, not `says Monday`: write for example `{type: says, text: Monday}`")],
        id="check that is text",
    ),
    pytest.param(
        AGENT + TEST + ("    checks: {type: says, text: Monday}\n"),
        [("5:13: `checks` is a list, not a mapping: start each item with `- `")],
        id="checks that are no list",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: says, text: Monday, where: lst}\n"),
        [("6:43: `where` is one of `any`, `last`, `first`, not `lst`; did you mean `last`?")],
        id="check with wrong choice",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: says, text: ''}\n"),
        [("6:28: `text` is empty: fill it in")],
        id="check with empty text",
    ),
    pytest.param(
        AGENT + TEST + ('    checks:\n      - {type: says, text: "\\u200b "}\n'),
        [("6:28: `text` holds only spaces or invisible characters: write the words to look for")],
        id="check of blanks",
    ),
    pytest.param(
        AGENT + TEST + ("    checks:\n      - {type: says, text: 42}\n"),
        [('6:28: `text` is text: put it in quotes, as "42"')],
        id="number for text",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: true\n    caller: {persona: Ravi}\n"),
        [('3:11: `name` is text: put it in quotes, as "true"')],
        id="boolean for text",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name: [Books]\n    caller: {persona: Ravi}\n"),
        [("3:11: `name` is text, not a list: put it in quotes where it starts with `{` or `[`")],
        id="list for text",
    ),
    pytest.param(
        AGENT + ("tests:\n  - name:\n    caller: {persona: Ravi}\n"),
        [("3:5: `name` is empty: write its text, or take the field out")],
        id="nothing for text",
    ),
    pytest.param(
        AGENT + TEST + ("    max_turns: six\n"),
        [("5:16: `max_turns` is a whole number, not `six`")],
        id="text for a number",
    ),
    pytest.param(
        AGENT + TEST + ('    max_turns: "6"\n'),
        [("5:16: `max_turns` is a whole number: write 6 without quotes")],
        id="quoted number",
    ),
    pytest.param(
        AGENT + TEST + ("    max_turns: 6.5\n"), [("5:16: `max_turns` is a whole number, not `6.5`")], id="fraction"
    ),
    pytest.param(
        AGENT + TEST + ("    max_turns: true\n"),
        [("5:16: `max_turns` is a whole number, not `true`")],
        id="boolean for a number",
    ),
    pytest.param(
        AGENT + TEST + ("    use_real_tools: yes\n"),
        [("5:21: `use_real_tools` is `true` or `false`: write `true`")],
        id="yes for a boolean",
    ),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_field_that_is_wrong_is_told_at_its_place(text: str, told: list[str], tmp_path: Path) -> None:
    assert mistakes_in(text, tmp_path) == told


def test_a_field_that_is_near_to_nothing_is_told_with_what_there_is(tmp_path: Path) -> None:
    [told] = mistakes_in(AGENT + TEST + "    colour: blue\n", tmp_path)
    assert told.startswith("5:5: unknown field `colour`: a test has `id`, `name`, `agent`,")


@pytest.mark.parametrize(
    ("check", "start"),
    [
        ("{text: Monday}", "6:9: this check has no `type`: write one of `says`, `never_says`,"),
        ("{type: 12, text: Monday}", "6:16: unknown check type `12`: write one of `says`, `never_says`,"),
    ],
)
def test_a_check_of_no_known_type_is_told_with_the_types(check: str, start: str, tmp_path: Path) -> None:
    [told] = mistakes_in(f"{AGENT}{TEST}    checks:\n      - {check}\n", tmp_path)
    assert told.startswith(start)
    assert told.endswith("`reply_meets`")
