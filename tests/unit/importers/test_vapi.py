"""Vapi evals and simulations.

The samples follow VapiAI/docs (`fern/observability/evals-quickstart.mdx`, `fern/observability/evals-advanced.mdx`,
`fern/observability/simulations-advanced.mdx`) and VapiAI/gitops (`docs/learnings/simulations.md`,
`examples/starter/resources/starter/simulations/`).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.importing import imported, notes, read_as, value_at

from greenroom.model.patterns import found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tests[0].id", "e-1"),
        ("tests[0].name", "Books the demo"),
        ("tests[0].kind", "next_reply"),
        ("tests[0].caller.history[0]", {"role": "agent", "text": "Hi, this is Ada."}),
        ("tests[0].caller.history[1].text", "A demo on Tuesday at three, please."),
        ("tests[0].tool_mocks", [{"tool": "bookDemo", "result": {"id": "D-7"}}]),
        (
            "tests[0].checks[0]",
            {"type": "calls_tool", "tool": "bookDemo", "arguments": {"day": "Tuesday", "time": "15:00"}},
        ),
        ("tests[0].checks[1]", {"type": "matches", "pattern": "(?i)booked.*D-7"}),
        ("tests[0].checks[2].type", "reply_meets"),
        ("tests[1].kind", "script"),
        ("tests[1].caller.messages[2].text", "Thanks, bye"),
        ("tests[1].checks[1]", {"type": "calls_tool", "tool": "sendPrices"}),
        ("tests[1].checks[2].where", "last"),
        ("tests[1].checks[3]", {"type": "ends_call"}),
        ("agents[0].speaks_first", False),
    ],
)
def test_a_field_of_an_eval_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("vapi"), path) == value


def test_an_exact_reply_is_matched_whole_with_its_capitals() -> None:
    pattern = value_at(imported("vapi"), "tests[1].checks[0].pattern")

    assert found(pattern, " Hello, this is Ada (AI).\n")
    assert not found(pattern, "hello, this is ada (ai).")
    assert not found(pattern, "Well: Hello, this is Ada (AI).")


@pytest.mark.parametrize(
    "entry",
    [
        "results[0].orgId `orgId`",
        "results[0].createdAt `createdAt`",
        "results[0].description `description`",
        "results[0].messages[5].continuePlan `continuePlan`",
        "results[0].messages[5].judgePlan.model.model `model`",
        "results[1].messages[2].content `content`",
        "results[1].messages[1].judgePlan the turn that is checked",
        "metadata `metadata`",
    ],
)
def test_what_an_eval_says_beyond_a_test_is_listed(entry: str) -> None:
    assert entry in notes(imported("vapi"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tests[0].name", "Cleaning, calm"),
        (
            "tests[0].caller.persona",
            "You are calm and brief.\n\nYou are Ines. Book a cleaning for Tuesday morning.",
        ),
        ("tests[0].variables", {"clinic": "Northside"}),
        ("tests[0].tool_mocks", [{"tool": "lookup_patient", "result": {"found": True}}]),
        ("tests[0].checks[0]", {"type": "criterion", "text": "booked – Whether the visit was booked: this is true"}),
        ("tests[0].checks[1].required", False),
        ("tests[0].repeat", 3),
        ("tests[0].tags", ["clinic/cleaning"]),
        ("agents[0].name", "Northside desk"),
        ("agents[0].prompt", "You book visits for {{clinic}}."),
        ("agents[0].greeting", "Northside, hello!"),
        ("agents[0].llm.model", "openai:gpt-4.1"),
        ("agents[0].tools[0].description", "Find a patient"),
        ("agents[0].can_end_call", True),
    ],
)
def test_a_field_of_a_simulation_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("vapi simulations"), path) == value


@pytest.mark.parametrize(
    "entry",
    [
        "transport `transport`",
        "simulations[0].scenario.hooks `hooks`",
        "simulations[0].scenario.targetOverrides.firstMessage `firstMessage`",
        "simulations[0].scenario.evaluations[2] this evaluation",
        "simulations[0].scenario.evaluations[2].structuredOutputId `structuredOutputId`",
        "simulations[0].scenario.toolMocks[1] this prepared answer",
        "simulations[0].personality.assistant.voice `voice`",
    ],
)
def test_what_a_simulation_says_beyond_a_test_is_listed(entry: str) -> None:
    assert entry in notes(imported("vapi simulations"))


def test_parts_in_one_file_are_put_together_by_their_ids() -> None:
    parts = {
        "scenarios": [
            {
                "id": "s1",
                "name": "Asks",
                "instructions": "You ask.",
                "evaluations": [{"structuredOutputId": "o1", "comparator": "!=", "value": "rude"}],
            }
        ],
        "personalities": [
            {"id": "p1", "name": "Shy", "assistant": {"model": {"messages": [{"role": "system", "content": "Shy."}]}}}
        ],
        "structuredOutputs": [{"id": "o1", "name": "tone", "schema": {"type": "string"}}],
        "simulations": [{"id": "m1", "scenarioId": "s1", "personalityId": "p1"}],
        "suites": [
            {"id": "u1", "name": "nightly", "simulationIds": ["m1"], "slackWebhookUrl": "https://secret.example"}
        ],
    }
    result = read_as("vapi", json.dumps(parts))

    assert len(result.tests) == 1
    assert value_at(result, "tests[0].name") == "Asks – Shy"
    assert value_at(result, "tests[0].caller.persona") == "Shy.\n\nYou ask."
    assert value_at(result, "tests[0].tags") == ["nightly"]
    assert value_at(result, "tests[0].checks[0].text") == "tone: this is not rude"
    assert not any("secret.example" in str(entry) for entry in result.not_carried)


def test_a_simulation_whose_scenario_is_elsewhere_is_listed() -> None:
    parts = [
        {"name": "A", "instructions": "You ask.", "evaluations": []},
        {"id": "m1", "scenarioId": "gone", "personalityId": "gone"},
    ]
    result = read_as("vapi", json.dumps(parts))

    assert [test.name for test in result.tests] == ["A"]
    assert {"[1].scenarioId `scenarioId`", "[1] this simulation"} <= set(notes(result))


def test_answers_of_a_tool_come_in_the_order_in_which_they_stand() -> None:
    call = {"role": "assistant", "judgePlan": {"type": "exact", "toolCalls": [{"name": "look"}]}}
    messages = [
        {"role": "user", "content": "Look"},
        call,
        {"role": "tool", "content": "none"},
        call,
        {"role": "tool", "content": '{"found": 1}'},
    ]
    result = read_as("vapi", json.dumps({"type": "chat.mockConversation", "name": "A", "messages": messages}))

    assert value_at(result, "tests[0].tool_mocks") == [
        {"tool": "look", "result": "none", "times": 1},
        {"tool": "look", "result": {"found": 1}},
    ]


def test_mock_replies_within_a_script_are_listed() -> None:
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "judgePlan": {"type": "regex", "content": "hi"}},
        {"role": "user", "content": "Go on"},
        {"role": "assistant", "content": "I said this."},
        {"role": "user", "content": "Bye"},
    ]
    result = read_as("vapi", json.dumps({"messages": messages, "type": "chat.mockConversation"}))

    assert value_at(result, "tests[0].kind") == "script"
    assert any("this reply" in entry for entry in notes(result))
