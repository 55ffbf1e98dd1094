"""Recorded chats in OpenAI's form.

The samples follow learn.microsoft.com/azure/ai-services/openai/how-to/fine-tuning-functions and the request type
`FineTuneChatRequestInput` of OpenAI's API description.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.importing import imported, notes, read_as, value_at

from greenroom.importers import ImportOptions
from greenroom.model.errors import UserMistake


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("agents[0].prompt", "You are the desk of a ferry line."),
        ("agents[0].tools[0].description", "When the next ferry leaves"),
        ("agents[0].tools[0].parameters.required", ["to"]),
        ("agents[0].speaks_first", False),
        ("tests[0].name", "When does the ferry to Ven leave?"),
        ("tests[0].kind", "next_reply"),
        ("tests[0].caller.history", [{"role": "caller", "text": "When does the ferry to Ven leave?"}]),
        ("tests[0].tool_results", {"next_ferry": {"at": "14:20"}}),
        ("tests[0].checks[0]", {"type": "calls_tool", "tool": "next_ferry", "arguments": ["to"]}),
        (
            "tests[0].checks[1].criteria",
            "It says in substance what this reply says:\nThe next one leaves at 14:20.",
        ),
        ("tests[1].caller.history[1]", {"role": "agent", "text": "Hello! How can I help?"}),
        ("tests[1].caller.history[2].text", "What does a bicycle cost?"),
        ("tests[1].tool_results", {"price_of": "4 euro"}),
        ("tests[1].agent", "Imported from OpenAI-style chats (2)"),
    ],
)
def test_a_part_of_a_chat_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("chat"), path) == value


@pytest.mark.parametrize(
    "entry",
    [
        "line 1: tools[0].function.strict `strict`",
        "line 1: messages[4].weight `weight`",
        "line 1: parallel_tool_calls `parallel_tool_calls`",
        "line 2: messages[2].name `name`",
        "line 2: messages[2].content[1] a part of the type `image_url`",
        "line 2: metadata `metadata`",
    ],
)
def test_what_a_talk_cannot_hold_is_listed_with_its_line(entry: str) -> None:
    assert entry in notes(imported("chat"))


def test_a_chat_can_become_a_script_of_what_its_user_says() -> None:
    result = imported("chat", ImportOptions(chats="script"))

    assert value_at(result, "tests[1].kind") == "script"
    assert value_at(result, "tests[1].caller.messages") == [{"text": "Hi"}, {"text": "What does a bicycle cost?"}]
    assert value_at(result, "tests[1].checks[0].tool") == "price_of"


def test_answers_that_differ_go_by_the_arguments_of_their_calls() -> None:
    def turn(identity: str, day: str, answer: str) -> list[dict[str, Any]]:
        function = {"name": "free", "arguments": json.dumps({"day": day})}
        return [
            {"role": "assistant", "tool_calls": [{"id": identity, "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": identity, "content": answer},
        ]

    messages = [{"role": "user", "content": "Both days?"}, *turn("a", "Mon", "yes"), *turn("b", "Tue", "no")]
    result = read_as("chat", json.dumps({"messages": messages}))

    assert value_at(result, "tests[0].tool_mocks") == [
        {"tool": "free", "when": {"day": "Mon"}, "result": "yes"},
        {"tool": "free", "when": {"day": "Tue"}, "result": "no"},
    ]
    assert value_at(result, "tests[0].tool_results") == {"free": "no"}


def test_earlier_calls_of_a_history_are_listed_and_still_answered() -> None:
    function = {"name": "look", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "Look"},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": "seen"},
        {"role": "user", "content": "And?"},
    ]
    result = read_as("chat", json.dumps({"messages": messages}))

    assert value_at(result, "tests[0].tool_results") == {"look": "seen"}
    assert "line 1: messages[1].tool_calls[0].function this call" in notes(result)
    assert "checks" not in value_at(result, "tests[0]")


@pytest.mark.parametrize("form", ["{chat}", "[{chat}, {chat}]", "{chat}\n\n{chat}\n"])
def test_lines_a_list_and_a_single_chat_are_read_alike(form: str) -> None:
    chat = '{"messages": [{"role": "user", "content": "Hi"}]}'

    result = read_as("chat", form.replace("{chat}", chat))

    assert result.tests[0].name == "Hi"
    assert len({test.name for test in result.tests}) == len(result.tests)


def test_a_chat_spread_over_several_lines_is_read_as_json() -> None:
    chat = json.dumps({"messages": [{"role": "user", "content": "Hi"}]}, indent=2)

    assert read_as("chat", chat).tests[0].name == "Hi"


def test_the_line_of_a_mistake_is_told() -> None:
    good = '{"messages": [{"role": "user", "content": "Hi"}]}'

    with pytest.raises(UserMistake, match=r"^line 2, column \d+: this is not JSON"):
        read_as("chat", f"{good}\n{{oops\n")


def test_a_chat_in_which_nobody_asks_is_listed_and_the_others_are_kept() -> None:
    lines = '{"messages": [{"role": "assistant", "content": "Hi"}]}\n{"messages": [{"role": "user", "content": "Hi"}]}'
    result = read_as("chat", lines)

    assert len(result.tests) == 1
    assert "line 1 this chat" in notes(result)


def test_a_tool_that_has_a_name_of_greenrooms_own_is_renamed_and_listed() -> None:
    function = {"name": "transfer_call", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "Put me through"},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
    ]
    result = read_as("chat", json.dumps({"messages": messages}))

    assert value_at(result, "tests[0].checks[0].tool") == "transfer_call_tool"
    assert any("the name of the tool `transfer_call`" in entry for entry in notes(result))
