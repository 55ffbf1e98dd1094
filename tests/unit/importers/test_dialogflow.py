"""Dialogflow CX test cases.

The samples follow googleapis/googleapis, `google/cloud/dialogflow/cx/v3/test_case.proto`, and the turns that
GoogleCloudPlatform/cxas-scrapi reads in `src/cxas_scrapi/migration/dfcx_test_converter.py`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.importing import imported, notes, read_as, value_at

from greenroom.model.errors import UserMistake
from greenroom.model.patterns import found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tests[0].name", "Reports a lost card"),
        ("tests[0].id", "projects/p/locations/global/agents/a/testCases/t1"),
        ("tests[0].kind", "script"),
        ("tests[0].tags", ["cards", "smoke"]),
        ("tests[0].caller.language", "en"),
        ("tests[0].caller.messages", [{"text": "I lost my card"}, {"text": "4711"}, {"text": "Thanks"}]),
        ("tests[0].variables", {"customer": "A-17"}),
        ("tests[0].checks[0]", {"type": "says", "text": "Welcome to Lund Bank.", "where": "first"}),
        ("tests[0].checks[2]", {"type": "says", "text": "Your card is blocked.", "where": "last"}),
        ("agents[0].speaks_first", True),
    ],
)
def test_a_field_of_a_test_case_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("dialogflow"), path) == value


def test_any_variant_of_a_response_will_do() -> None:
    pattern = value_at(imported("dialogflow"), "tests[0].checks[1].pattern")

    assert found(pattern, "I am sorry to hear that.")
    assert found(pattern, "Oh. sorry to hear that!")
    assert not found(pattern, "Glad to hear that.")


@pytest.mark.parametrize(
    "entry",
    [
        "testCases[0].notes `notes`",
        "testCases[0].testConfig.flow `flow`",
        "testCases[0].testConfig.trackingParameters `trackingParameters`",
        "testCases[0].lastTestResult `lastTestResult`",
        "testCases[0].creationTime `creationTime`",
        "testCases[0].testCaseConversationTurns[1].userInput.isWebhookEnabled `isWebhookEnabled`",
        "testCases[0].testCaseConversationTurns[1].userInput.injectedParameters.flags `flags`",
        "testCases[0].testCaseConversationTurns[1].virtualAgentOutput.triggeredIntent `triggeredIntent`",
        "testCases[0].testCaseConversationTurns[1].virtualAgentOutput.sessionParameters `sessionParameters`",
        "testCases[0].testCaseConversationTurns[2].userInput.input.dtmf the keys",
        "testCases[0].testCaseConversationTurns[0].virtualAgentOutput.textResponses[0] the tags of speech markup",
    ],
)
def test_what_belongs_to_flows_and_runs_is_listed(entry: str) -> None:
    assert entry in notes(imported("dialogflow"))


def test_a_turn_without_words_adds_its_responses_to_the_turn_before() -> None:
    turns = [
        {
            "userInput": {"input": {"text": {"text": "Hi"}}},
            "virtualAgentOutput": {"textResponses": [{"text": ["One"]}]},
        },
        {"userInput": {"input": {"text": {}}}, "virtualAgentOutput": {"textResponses": [{"text": ["Two"]}]}},
    ]
    result = read_as("dialogflow", json.dumps({"displayName": "A", "testCaseConversationTurns": turns}))

    assert value_at(result, "tests[0].caller.messages") == [{"text": "Hi"}]
    assert [check["text"] for check in value_at(result, "tests[0].checks")] == ["One", "Two"]
    assert value_at(result, "agents[0].speaks_first") is False


def test_a_case_that_is_all_events_is_no_test() -> None:
    turns = [{"userInput": {"input": {"event": {"event": "NO_INPUT"}}}}]

    with pytest.raises(UserMistake, match="its user says nothing in words"):
        read_as("dialogflow", json.dumps({"displayName": "A", "testCaseConversationTurns": turns}))
