"""LiveKit scenarios.

The samples follow livekit/agents, `examples/hotel_receptionist/scenarios.yaml`, livekit-examples/dial-in-dj,
`scenarios.yaml`, mahimailabs/gpt-live-voice-agent, `scenarios.yaml`, and livekit/protocol,
`protobufs/livekit_agent_simulation.proto`.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.importing import imported, notes, read_as, value_at

from greenroom.model.errors import UserMistake


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("agents[0].name", "Library desk"),
        ("tests[0].id", "SCN_01"),
        ("tests[0].name", "Renews a book"),
        ("tests[0].kind", "simulation"),
        ("tests[0].max_turns", 20),
        ("tests[0].tags", ["feature:renewal", "difficulty:1"]),
        ("tests[0].variables", {"branch": "Harbour"}),
        (
            "tests[0].checks",
            [{"type": "criterion", "text": "Finds the loan, says the new date, and charges nothing."}],
        ),
        ("tests[1].name", "Asks for a room"),
        ("tests[1].variables", {"channel": "phone"}),
    ],
)
def test_a_field_of_a_scenario_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("livekit"), path) == value


def test_the_instructions_are_the_persona_as_they_are() -> None:
    persona = value_at(imported("livekit"), "tests[0].caller.persona")

    assert persona.splitlines() == [
        "PERSONA: Ola, a student in a hurry.",
        'OPENING LINE: "I want to keep my book longer."',
        "FACTS:",
        '- the book is "Night Trains"',
    ]


@pytest.mark.parametrize("entry", ["line 1, id `id`", "line 16, scenarios[0].userdata.expected_state `expected_state`"])
def test_what_the_agents_code_reads_is_listed_with_its_line(entry: str) -> None:
    assert entry in notes(imported("livekit"))


def test_a_scenario_without_instructions_is_listed_and_the_others_are_kept() -> None:
    result = read_as("livekit", "scenarios:\n  - {label: A}\n  - {label: B, instructions: You are Bo.}\n")

    assert [test.name for test in result.tests] == ["B"]
    assert "line 2, scenarios[0] this scenario" in notes(result)


def test_scenarios_of_one_name_get_names_of_their_own() -> None:
    text = "scenarios:\n  - {label: A, instructions: One.}\n  - {label: A, instructions: Two.}\n"

    assert [test.name for test in read_as("livekit", text).tests] == ["A", "A (2)"]


def test_a_mistake_in_the_yaml_is_told_with_its_place() -> None:
    with pytest.raises(UserMistake, match=r"line 2, column \d+: "):
        read_as("livekit", "scenarios:\n  - label: 'open\n")
