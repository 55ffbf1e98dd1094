"""ElevenLabs agent tests.

The samples follow the types of elevenlabs/elevenlabs-python (`src/elevenlabs/conversational_ai/tests/types/
tests_get_response.py`, `src/elevenlabs/types/unit_test_tool_call_evaluation_model_output.py`,
`src/elevenlabs/types/tool_response_mock_config_output.py`), the API reference at
elevenlabs.io/docs/api-reference/tests/create, and what elevenlabs/cli stores (`src/tests/commands/impl.ts`).
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
        # simulation
        ("tests[0].id", "test_01"),
        ("tests[0].name", "Books a table for four"),
        ("tests[0].kind", "simulation"),
        ("tests[0].caller.persona", "You are Tove. You want a table for four on Friday at seven."),
        ("tests[0].max_turns", 12),
        ("tests[0].variables", {"restaurant": "Kaj's", "tables": "9", "is_open": "true"}),
        ("tests[0].checks[0]", {"type": "criterion", "text": "The agent repeats the day and time."}),
        ("tests[0].checks[1]", {"type": "criterion", "text": "The agent asks for a name."}),
        ("tests[0].tool_mocks[0]", {"tool": "tool_9x", "when": {"guests": "4"}, "result": {"table": 12}}),
        ("tests[0].tool_mocks[1]", {"tool": "tool_9x", "error": "no table left"}),
        # llm
        ("tests[1].kind", "next_reply"),
        ("tests[1].caller.history[0]", {"role": "agent", "text": "Kaj's, good evening."}),
        ("tests[1].caller.history[1]", {"role": "caller", "text": "When does your kitchen close?"}),
        ("tests[1].tool_mocks[0]", {"tool": "get_hours", "when": {"day": "Friday"}, "result": {"closes": "22:30"}}),
        ("tests[1].checks[0].type", "reply_meets"),
        # tool
        ("tests[2].tools", "plan"),
        ("tests[2].checks[0].arguments", ["language"]),
        ("tests[2].checks[1].arguments", {"guests": "2"}),
        ("tests[2].checks[2].match", "regex"),
        ("tests[2].checks[2].arguments", {"day": "sun(day)?"}),
        ("tests[2].checks[3].match", "judge"),
        ("tests[2].checks[3].arguments", {"wish": "says that it is for two"}),
        ("tests[3].checks[0]", {"type": "calls_tool", "tool": "cancel_table", "times": 0, "expect_planned": True}),
        ("tests[4].checks[0]", {"type": "ends_call"}),
        ("agents[0].can_end_call", True),
        ("agents[0].tools[1].name", "get_hours"),
        ("agents[0].tools[1].parameters", {"type": "object", "properties": {"day": {"type": "string"}}}),
    ],
)
def test_a_field_of_the_export_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("elevenlabs"), path) == value


def test_the_examples_of_good_and_bad_replies_are_told_to_the_judge() -> None:
    criteria = value_at(imported("elevenlabs"), "tests[1].checks[0].criteria")

    assert criteria.startswith("The agent names half past ten.")
    assert "At half past ten." in criteria
    assert criteria.index("Good replies") < criteria.index("Bad replies") < criteria.index("I cannot say.")


@pytest.mark.parametrize(
    "entry",
    [
        "[0].parent_folder_id `parent_folder_id`",
        "[0].evaluation_model `evaluation_model`",
        "[0].simulated_user_model `simulated_user_model`",
        "[0].tool_mock_config `mocking_strategy: selected`",
        "[0].tool_mock_config.mocked_tool_ids `mocked_tool_ids`",
        "[0].tool_mock_config.fallback_strategy `fallback_strategy`",
        "[0].tool_mock_overrides.tool_9x the name of the tool `tool_9x`",
        "[0].tool_mock_overrides.tool_9x[2] this prepared answer",
        "[1].from_conversation_metadata `from_conversation_metadata`",
        "[1].chat_history[0].time_in_call_secs `time_in_call_secs`",
        "[1].chat_history[1].tool_calls[0] this call",
        "[2].tool_call_parameters.parameters[4] this parameter",
        "[2].tool_call_parameters.workflow_node_transition `workflow_node_transition`",
        "the file the agent's prompt",
    ],
)
def test_what_has_no_counterpart_is_listed(entry: str) -> None:
    assert entry in notes(imported("elevenlabs"))


def test_tools_known_by_id_take_the_names_that_are_given() -> None:
    result = imported("elevenlabs", ImportOptions(tools={"tool_9x": "reserve_table"}))

    assert value_at(result, "tests[0].tool_mocks[0].tool") == "reserve_table"
    assert not any("known by" in why or "its id alone" in why for why in notes(result).values())


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda test: test,
        lambda test: [test],
        lambda test: {"tests": [test]},
        lambda test: {"tests": {"test_1": test}},
        lambda test: {
            "name": test["name"],
            "chatHistory": [{"role": "user", "message": "Hello", "timeInCallSecs": 1}],
            "successCondition": "It is polite",
        },
    ],
)
def test_one_test_many_tests_and_camel_case_are_read_alike(wrapped: Any) -> None:
    test = {
        "name": "Is polite",
        "chat_history": [{"role": "user", "message": "Hello"}],
        "success_condition": "It is polite",
    }

    result = read_as("elevenlabs", json.dumps(wrapped(test)))

    assert value_at(result, "tests[0].name") == "Is polite"
    assert value_at(result, "tests[0].caller.history") == [{"role": "caller", "text": "Hello"}]
    assert value_at(result, "tests[0].checks[0].criteria") == "It is polite"


def test_the_command_lines_index_is_told_from_the_tests_that_it_lists() -> None:
    with pytest.raises(UserMistake, match="test_configs"):
        read_as("elevenlabs", '{"tests": [{"config": "test_configs/a.json", "type": "llm", "id": "t"}]}')


def test_lines_of_the_agents_after_the_users_last_one_are_listed() -> None:
    history = [{"role": "user", "message": "Hi"}, {"role": "agent", "message": "Hello!"}]
    result = read_as("elevenlabs", json.dumps({"type": "llm", "name": "A", "chat_history": history}))

    assert value_at(result, "tests[0].caller.history") == [{"role": "caller", "text": "Hi"}]
    assert "chat_history[1] this line" in notes(result)


def test_a_simulation_that_goes_on_from_a_talk_lists_that_talk() -> None:
    test = {
        "type": "simulation",
        "name": "A",
        "simulation_scenario": "You are Bo.",
        "chat_history": [{"role": "user", "message": "Hi"}],
    }

    assert "chat_history `chat_history`" in notes(read_as("elevenlabs", json.dumps(test)))


def test_a_call_of_any_tool_cannot_be_checked_and_leaves_the_test_without_checks() -> None:
    test = {
        "type": "tool",
        "name": "A",
        "chat_history": [{"role": "user", "message": "Hi"}],
        "tool_call_parameters": {"parameters": [{"path": "pin", "eval": {"type": "anything"}}]},
        "check_any_tool_matches": True,
    }
    result = read_as("elevenlabs", json.dumps(test))

    assert value_at(result, "tests[0]").get("checks") is None
    assert "tool_call_parameters the expected call" in notes(result)
    assert "the file this test" in notes(result)
