"""The examples: each plays for nothing with its scripted brain and passes, and can be played with real models."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.engine import Plan, play_test
from greenroom.files import Case, load_files
from greenroom.local import open_ports
from greenroom.model.run import AgentLine, Run, ToolLine

ROOT = Path(__file__).parents[3]
SUITE = load_files([ROOT / "examples"])
PROVIDERS = {"openai", "anthropic", "google"}
SAFE_SOURCES = {"canned", "engine", "handoff", "planned"}


async def _play(case: Case) -> Run:
    async with open_ports(environ={}) as ports:
        return await play_test(Plan(run_id="run_1", test=case.test, agent=case.agent, others=case.others), ports)


def _title(case: Case) -> str:
    return f"{case.file.stem}: {case.test.name}"


@pytest.mark.parametrize("case", SUITE.cases, ids=_title)
async def test_an_example_passes_with_its_scripted_brain(case: Case) -> None:
    run = await _play(case)
    assert (run.status, run.error, run.warnings) == ("passed", None, [])
    assert [result.check.type for result in run.checks if not result.passed] == []
    assert run.known_cost_usd == 0
    assert {usage.provider for usage in run.usage} == {"scripted"}
    assert {line.source for line in run.transcript if isinstance(line, ToolLine)} <= SAFE_SOURCES


def test_the_examples_are_the_five_scenarios_and_a_hand_off() -> None:
    assert {case.file.stem for case in SUITE.cases} == {
        "angry-caller",
        "booking-move",
        "dental-booking",
        "front-desk-handoff",
        "order-question",
        "studio-chat",
    }


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_every_example_can_be_played_with_a_real_provider(provider: str) -> None:
    for case in SUITE.with_variant(provider).cases:
        agents = [case.agent, *case.others.values()]
        assert case.variant == provider
        assert [agent.llm.provider for agent in agents if agent.llm] == [provider] * len(agents)
        assert not any(agent.caller_llm or agent.judge_llm for agent in agents)


@pytest.mark.parametrize("case", SUITE.cases, ids=_title)
def test_an_example_has_a_real_prompt_that_stands_in_a_file_of_its_own(case: Case) -> None:
    for agent in (case.agent, *case.others.values()):
        assert 8 <= len(agent.prompt.splitlines()) <= 40


async def test_the_cards_and_the_grounding_of_the_studio_stand_on_its_reply() -> None:
    [case] = [case for case in SUITE.cases if case.test.name == "Says what the studio does"]
    run = await _play(case)
    reply = run.transcript[-1]
    assert isinstance(reply, AgentLine)
    assert ([card.kind for card in reply.components], reply.grounding) == (["suggested_questions"], "known")
    assert isinstance(run.transcript[-2], ToolLine)
