"""Bodies that are wrong: one item for each wrong field, with its place in the request and what to write instead."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_asyncio
from tests.support.dvaarik_door import TEST, Clients, items

pytestmark = pytest.mark.asyncio(loop_scope="session")

JUDGE = {"type": "judge", "question": "Was it polite?"}
SAYS = {"type": "says", "text": "Monday"}
TYPES = "says, never_says, calls_tool, never_calls_tool, ends_call, judge"
LONG = "x" * 10_001


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def agent(house: Any) -> str:
    return await house.clients.agent()


def the(**changes: Any) -> str:
    """The test of the page with changes."""
    return json.dumps({**TEST, **changes})


def without(name: str) -> str:
    return json.dumps({key: value for key, value in TEST.items() if key != name})


def check(check: Any) -> str:
    """The test of the page with this for its third check."""
    return the(checks=[SAYS, SAYS, check])


def of_variable(name: str, field: str) -> list[tuple[list[Any], str, str | None, str]]:
    """What is said of a variable that is none of the things that one can be."""
    forms = [("str", "string_type", "text"), ("int", "int_type", "a whole number")]
    forms += [("float", "float_type", "a number"), ("bool", "bool_type", "true or false")]
    return [(["variables", name, form], kind, field, f"{name} must be {words}") for form, kind, words in forms]


# A body, and what is wrong with it: where the reader was, the kind, the field, and the message.
WRONG: dict[str, tuple[str, list[tuple[list[Any], str, str | None, str]]]] = {
    "no body": ("", [([], "missing", None, "the body is missing: send a JSON object")]),
    "spaces alone": (" \n", [([], "missing", None, "the body is missing: send a JSON object")]),
    "not JSON": (
        "name: Moves a booking",
        [([], "json_invalid", None, "the body is not JSON: check its quotes, commas and brackets")],
    ),
    "cut off": (
        the()[:-1],
        [([], "json_invalid", None, "the body is not JSON: check its quotes, commas and brackets")],
    ),
    "a number that is none": (
        the(max_turns=float("nan")),
        [([], "json_invalid", None, "the body is not JSON: check its quotes, commas and brackets")],
    ),
    "nested without end": (
        "[" * 100_000,
        [([], "json_invalid", None, "the body is not JSON: check its quotes, commas and brackets")],
    ),
    "nested too deep": (
        the(tool_results={"book_slot": json.loads("[" * 80 + "]" * 80)}),
        [([], "recursion_loop", None, "the body is nested more than 60 levels deep")],
    ),
    "a list": ("[]", [([], "dict_type", None, "the body must be a JSON object")]),
    "null": ("null", [([], "dict_type", None, "the body must be a JSON object")]),
    "an empty object": (
        "{}",
        [
            (["name"], "value_error", "name", "name is required"),
            (["caller_persona"], "value_error", "caller_persona", "caller_persona is required"),
        ],
    ),
    "no name": (without("name"), [(["name"], "value_error", "name", "name is required")]),
    "a blank name": (the(name="  "), [(["name"], "value_error", "name", "name is required")]),
    "a name of 201 characters": (
        the(name="x" * 201),
        [(["name"], "string_too_long", "name", "name can have at most 200 characters")],
    ),
    "a name that is a number": (the(name=7), [(["name"], "string_type", "name", "name must be text")]),
    "no caller": (
        without("caller_persona"),
        [(["caller_persona"], "value_error", "caller_persona", "caller_persona is required")],
    ),
    "a caller of 2,001 characters": (
        the(caller_persona="x" * 2001),
        [(["caller_persona"], "string_too_long", "caller_persona", "caller_persona can have at most 2,000 characters")],
    ),
    "a caller of 10,001 characters": (
        the(caller_persona=LONG),
        [(["caller_persona"], "string_too_long", "caller_persona", "caller_persona can have at most 2,000 characters")],
    ),
    "an opening line of 501 characters": (
        the(opening_line="x" * 501),
        [(["opening_line"], "string_too_long", "opening_line", "opening_line can have at most 500 characters")],
    ),
    "an opening line that is a list": (
        the(opening_line=["Hi"]),
        [(["opening_line"], "string_type", "opening_line", "opening_line must be text")],
    ),
    "no turns": (
        the(max_turns=0),
        [(["max_turns"], "greater_than_equal", "max_turns", "max_turns must be at least 1")],
    ),
    "13 turns": (the(max_turns=13), [(["max_turns"], "less_than_equal", "max_turns", "max_turns must be at most 12")]),
    "turns as text": (
        the(max_turns="6"),
        [(["max_turns"], "int_type", "max_turns", "max_turns must be a whole number")],
    ),
    "half a turn": (the(max_turns=1.5), [(["max_turns"], "int_type", "max_turns", "max_turns must be a whole number")]),
    "turns that are null": (
        the(max_turns=None),
        [(["max_turns"], "int_type", "max_turns", "max_turns must be a whole number")],
    ),
    "a switch as text": (
        the(use_real_tool_webhook="true"),
        [
            (
                ["use_real_tool_webhook"],
                "bool_type",
                "use_real_tool_webhook",
                "use_real_tool_webhook must be true or false",
            )
        ],
    ),
    "variables as a list": (
        the(variables=["Northline"]),
        [(["variables"], "dict_type", "variables", "variables must be an object")],
    ),
    "a variable of none of its types": (
        the(variables={"company": ["Northline"]}),
        of_variable("company", "variables.company"),
    ),
    "a variable with spaces in its name": (
        the(variables={"my company": None}),
        of_variable("my company", 'variables["my company"]'),
    ),
    "a variable with quotes in its name": (
        the(variables={'a"b': {}}),
        of_variable('a"b', 'variables["a\\"b"]'),
    ),
    "a variable named in another script": (the(variables={"कंपनी": []}), of_variable("कंपनी", 'variables["कंपनी"]')),
    "a canned answer of 2,001 characters of JSON": (
        the(tool_results={"book_slot": "x" * 1999}),
        [
            (
                ["tool_results", "book_slot"],
                "value_error",
                "tool_results.book_slot",
                "book_slot can have at most 2,000 characters of JSON",
            )
        ],
    ),
    "a canned answer under a name with a dash": (
        the(tool_results={"book-slot": "x" * 1999}),
        [
            (
                ["tool_results", "book-slot"],
                "value_error",
                'tool_results["book-slot"]',
                "book-slot can have at most 2,000 characters of JSON",
            )
        ],
    ),
    "a canned answer with half a character": (
        the(tool_results={"book_slot": "\ud800"}),
        [
            (
                ["tool_results", "book_slot"],
                "value_error",
                "tool_results.book_slot",
                "this text holds a NUL or half of a character, which cannot be said: take it out",
            )
        ],
    ),
    "a canned answer of a tool that the agent lacks": (
        the(tool_results={"book_slt": {"ok": True}}),
        [
            (
                ["tool_results", "book_slt"],
                "value_error",
                "tool_results.book_slt",
                "`Front desk` has no tool `book_slt`; did you mean `book_slot`?",
            )
        ],
    ),
    "21 canned answers": (
        the(tool_results={f"tool_{number}": 1 for number in range(21)}),
        [(["tool_results"], "too_long", "tool_results", "tool_results can have at most 20 entries")],
    ),
    "checks as an object": (the(checks={}), [(["checks"], "list_type", "checks", "checks must be a list")]),
    "11 checks": (
        the(checks=[SAYS] * 11),
        [(["checks"], "too_long", "checks", "checks can have at most 10 entries")],
    ),
    "6 checks of the judge": (
        the(checks=[JUDGE] * 6),
        [(["checks"], "value_error", "checks", "checks can have at most 5 of the type judge")],
    ),
    "a check that is text": (
        check("says Monday"),
        [(["checks", 2], "model_attributes_type", "checks[2]", "checks[2] must be an object")],
    ),
    "a check of no type": (
        check({"text": "Monday"}),
        [(["checks", 2, "type"], "value_error", "checks[2].type", "type is required")],
    ),
    "a check of an unknown type": (
        check({"type": "mentions", "text": "Monday"}),
        [(["checks", 2, "type"], "union_tag_invalid", "checks[2].type", f"type must be one of {TYPES}")],
    ),
    "a check whose type is a number": (
        check({"type": 1}),
        [(["checks", 2, "type"], "union_tag_invalid", "checks[2].type", f"type must be one of {TYPES}")],
    ),
    "says without text": (
        check({"type": "says"}),
        [(["checks", 2, "says", "text"], "value_error", "checks[2].text", "text is required")],
    ),
    "says a blank": (
        check({"type": "says", "text": " "}),
        [(["checks", 2, "says", "text"], "value_error", "checks[2].text", "text is required")],
    ),
    "says 201 characters": (
        check({"type": "says", "text": "x" * 201}),
        [
            (
                ["checks", 2, "says", "text"],
                "string_too_long",
                "checks[2].text",
                "text can have at most 200 characters",
            )
        ],
    ),
    "never says 10,001 characters": (
        check({"type": "never_says", "text": LONG}),
        [
            (
                ["checks", 2, "never_says", "text"],
                "string_too_long",
                "checks[2].text",
                "text can have at most 200 characters",
            )
        ],
    ),
    "calls no tool": (
        check({"type": "calls_tool"}),
        [(["checks", 2, "calls_tool", "tool"], "value_error", "checks[2].tool", "tool is required")],
    ),
    "calls with 11 arguments": (
        check({"type": "calls_tool", "tool": "book_slot", "arguments": list("abcdefghijk")}),
        [
            (
                ["checks", 2, "calls_tool", "arguments"],
                "too_long",
                "checks[2].arguments",
                "arguments can have at most 10 entries",
            )
        ],
    ),
    "calls with values for arguments": (
        check({"type": "calls_tool", "tool": "book_slot", "arguments": {"day": "Monday"}}),
        [
            (
                ["checks", 2, "calls_tool", "arguments"],
                "list_type",
                "checks[2].arguments",
                "arguments must be a list",
            )
        ],
    ),
    "calls with a number for an argument": (
        check({"type": "calls_tool", "tool": "book_slot", "arguments": ["day", 2]}),
        [
            (
                ["checks", 2, "calls_tool", "arguments", 1],
                "string_type",
                "checks[2].arguments[1]",
                "arguments[1] must be text",
            )
        ],
    ),
    "never calls no tool": (
        check({"type": "never_calls_tool", "tool": ""}),
        [(["checks", 2, "never_calls_tool", "tool"], "value_error", "checks[2].tool", "tool is required")],
    ),
    "ends the call with words": (
        check({"type": "ends_call", "text": "Bye"}),
        [(["checks", 2, "ends_call", "text"], "extra_forbidden", "checks[2].text", "there is no field text here")],
    ),
    "a question of 301 characters": (
        check({"type": "judge", "question": "x" * 301}),
        [
            (
                ["checks", 2, "judge", "question"],
                "string_too_long",
                "checks[2].question",
                "question can have at most 300 characters",
            )
        ],
    ),
    "a field that there is not": (
        the(opening_lin="Hi"),
        [(["opening_lin"], "extra_forbidden", "opening_lin", "there is no field opening_lin here")],
    ),
    "a name twice": (
        '{"name": "One", "name": "Two", "caller_persona": "Ravi"}',
        [(["name"], "value_error", "name", "name is there twice")],
    ),
    "a text of a check twice": (
        '{"name": "One", "caller_persona": "Ravi", "checks": [{"type": "says", "text": "a", "text": "b"}]}',
        [(["checks", 0, "says", "text"], "value_error", "checks[0].text", "text is there twice")],
    ),
    "a part of a canned answer twice": (
        '{"name": "One", "caller_persona": "Ravi", "tool_results": {"book_slot": {"ok": 1, "ok": 2}}}',
        [(["tool_results", "book_slot", "ok"], "value_error", "tool_results.book_slot.ok", "ok is there twice")],
    ),
    "a variable twice, of another's type": (
        '{"name": "One", "caller_persona": 1, "variables": {"a b": 1, "a b": 2}}',
        [
            (["variables", "a b"], "value_error", 'variables["a b"]', "a b is there twice"),
            (["caller_persona"], "string_type", "caller_persona", "caller_persona must be text"),
        ],
    ),
    "many at once, in the order of the fields": (
        the(name="", max_turns=99, checks=[{"type": "says"}, {"type": "judge", "question": 5}]),
        [
            (["name"], "value_error", "name", "name is required"),
            (["max_turns"], "less_than_equal", "max_turns", "max_turns must be at most 12"),
            (["checks", 0, "says", "text"], "value_error", "checks[0].text", "text is required"),
            (["checks", 1, "judge", "question"], "string_type", "checks[1].question", "question must be text"),
        ],
    ),
}


@pytest.mark.parametrize("name", WRONG)
async def test_every_wrong_field_is_told_in_an_item_of_its_own(name: str, agent: str, house: Any) -> None:
    body, expected = WRONG[name]
    told = items(await house.clients.door.post(f"{agent}/tests", content=body.encode()))
    assert [(each["loc"][1:], each["type"], each["field"], each["message"]) for each in told] == expected
    assert (await house.clients.door.get(f"{agent}/tests")).json() == {"tests": []}


async def test_the_example_of_the_page_is_told_word_for_word(agent: str, house: Any) -> None:
    body = the(checks=[SAYS, SAYS, {"type": "says"}])
    answer = await house.clients.door.post(f"{agent}/tests", content=body)
    assert answer.status_code == 422
    assert answer.json() == {
        "detail": [
            {
                "loc": ["body", "checks", 2, "says", "text"],
                "msg": "checks[2].text: text is required",
                "type": "value_error",
                "field": "checks[2].text",
                "message": "text is required",
            }
        ]
    }


async def test_a_name_that_holds_half_a_character_is_told_back_as_it_was_sent(agent: str, house: Any) -> None:
    answer = await house.clients.door.post(f"{agent}/tests", content=the(variables={"\ud800": 1}))
    assert answer.status_code == 422
    assert "\\ud800" in answer.text


async def test_bytes_that_are_no_text_are_no_json(agent: str, house: Any) -> None:
    [told] = items(await house.clients.door.post(f"{agent}/tests", content=b'{"name": "\xff"}'))
    assert (told["field"], told["type"]) == (None, "json_invalid")


async def test_a_wrong_put_is_told_as_a_wrong_post_and_changes_nothing(house: Any) -> None:
    clients: Clients = house.clients
    test = await clients.test(await clients.agent())
    before = (await clients.door.get(test)).json()
    [told] = items(await clients.door.put(test, content=the(max_turns=13)))
    assert (told["field"], told["loc"]) == ("max_turns", ["body", "max_turns"])
    [missing] = items(await clients.door.put(test))
    assert missing["field"] is None
    assert (await clients.door.get(test)).json() == before
