"""promptfoo configurations.

The samples follow promptfoo/promptfoo: `site/docs/providers/simulated-user.md`,
`examples/tau-simulated-user/promptfooconfig.yaml`, `site/docs/configuration/reference.md`,
`site/docs/configuration/expected-outputs/index.md` and `site/docs/configuration/expected-outputs/deterministic.md`.
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
        ("agents[0].prompt", "You answer for {{shop}}. Read prices from the list alone.\n"),
        ("agents[0].llm", {"model": "openai:gpt-4.1-mini", "temperature": 0.2, "max_tokens": 400}),
        ("agents[0].tools[0].name", "get_price"),
        ("agents[0].speaks_first", False),
        ("tests[0].name", "Asks for a price (Fjord)"),
        ("tests[1].name", "Asks for a price (Skagen)"),
        ("tests[0].caller.persona", "You are Mika. Ask what the Fjord costs at Velo Sund."),
        ("tests[0].max_turns", 6),
        ("tests[0].variables", {"shop": "Velo Sund", "bike": "Fjord"}),
        ("tests[0].repeat", 2),
        ("tests[0].tags", ["feature:prices"]),
        ("tests[0].checks[0]", {"type": "never_says", "text": "guarantee"}),
        ("tests[0].checks[1]", {"type": "criterion", "text": "The agent names the price of the Fjord."}),
        ("tests[0].checks[2]", {"type": "calls_tool", "tool": "get_price"}),
        ("tests[0].checks[3]", {"type": "calls_tool", "tool": "get_price", "arguments": {"bike": "Fjord"}}),
        ("tests[2].name", "You are Siv and angry about a flat tyre."),
        ("tests[2].caller.opening_line", "My tyre is flat again!"),
        ("tests[2].max_turns", 10),
        ("tests[2].checks[1]", {"type": "says", "text": "sorry"}),
        ("tests[2].checks[2]", {"type": "max_latency_ms", "max": 4000, "required": False}),
    ],
)
def test_a_field_of_a_simulated_user_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("promptfoo"), path) == value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("agents[0].name", "chat"),
        ("agents[0].prompt", "You translate to {{language}}."),
        ("agents[1].prompt", "Answer the message."),
        ("agents[0].llm.model", "openai:gpt-4.1-mini"),
        ("tests[0].agent", "chat"),
        ("tests[0].kind", "next_reply"),
        ("tests[0].caller.history", [{"role": "caller", "text": "Good day"}]),
        ("tests[1].caller.history", [{"role": "caller", "text": "Translate to French: Good day"}]),
        ("tests[0].variables", {"language": "French", "text": "Good day"}),
        ("tests[0].checks[1]", {"type": "says", "text": "Bonjour"}),
        ("tests[0].checks[6]", {"type": "matches", "pattern": r"(?-i)^Bon\s?jour"}),
        ("tests[0].checks[7]", {"type": "never_matches", "pattern": "(?-i)hallo|hello"}),
        ("tests[0].checks[9]", {"type": "max_words", "max": 3}),
        ("tests[0].checks[10]", {"type": "reply_meets", "criteria": "Is polite"}),
    ],
)
def test_a_field_of_a_prompt_test_is_found_in_its_place(path: str, value: Any) -> None:
    assert value_at(imported("promptfoo prompts"), path) == value


@pytest.mark.parametrize(
    ("sample", "entry"),
    [
        ("promptfoo", "line 16, providers[0].config.tools[1] these tools"),
        ("promptfoo", "line 17, providers[0].config.functionToolCallbacks `functionToolCallbacks`"),
        ("promptfoo", "line 27, defaultTest.assert[0] `not-contains`"),
        ("promptfoo", "line 45, tests[0].assert[4] `javascript`"),
        ("promptfoo", "line 48, tests[0].threshold `threshold`"),
        ("promptfoo", "line 38, tests[0].assert[0].threshold `threshold`"),
        ("promptfoo", "line 62, outputPath `outputPath`"),
        ("promptfoo prompts", "line 6, providers[1] a further provider"),
        ("promptfoo prompts", "line 22, tests[0].assert[11] `is-json`"),
        ("promptfoo prompts", "line 23, tests[0].assert[12] `similar`"),
        ("promptfoo prompts", "line 24, tests[1] these tests"),
        ("promptfoo prompts", "line 5, prompts[1] a prompt that is one text"),
    ],
)
def test_what_has_no_counterpart_is_listed_with_its_line(sample: str, entry: str) -> None:
    assert entry in notes(imported(sample))


def test_a_pattern_that_cannot_be_read_here_is_listed_with_the_reason() -> None:
    listed = notes(imported("promptfoo prompts"))

    [why] = [why for entry, why in listed.items() if "(?=Bon)B" in entry]
    assert "RE2" in why


def _check(assertion: str) -> dict[str, Any]:
    text = f"prompts: ['{{{{q}}}}']\nproviders: [echo]\ntests: [{{vars: {{q: Hi, x: 9}}, assert: [{assertion}]}}]\n"
    return value_at(read_as("promptfoo", text), "tests[0].checks[0]")


@pytest.mark.parametrize(
    ("assertion", "check"),
    [
        ("{type: icontains, value: '{{x}} kr'}", {"type": "says", "text": "9 kr"}),
        ("{type: contains, value: 5}", {"type": "says", "text": "5"}),
        ("{type: not-icontains, value: no}", {"type": "never_says", "text": "no"}),
        ("{type: not-contains-any, value: [no]}", {"type": "never_says", "text": "no"}),
        ("{type: icontains-any, value: [a, b]}", {"type": "matches", "pattern": "(?:(?:a)|(?:b))"}),
        ("{type: not-equals, value: no}", {"type": "never_matches", "pattern": r"\A\s*(?-i:no)\s*\z"}),
        ("{type: not-starts-with, value: no}", {"type": "never_matches", "pattern": r"\A\s*(?-i:no)"}),
        ("{type: g-eval, value: Polite}", {"type": "reply_meets", "criteria": "Polite"}),
        ("{type: model-graded-closedqa, value: Polite}", {"type": "reply_meets", "criteria": "Polite"}),
        ("{type: is-refusal}", {"type": "reply_meets", "criteria": "The agent refuses what is asked of it."}),
        (
            "{type: llm-rubric, value: Polite, weight: 0}",
            {"type": "reply_meets", "criteria": "Polite", "required": False},
        ),
        ("{type: 'trajectory:tool-used', value: {name: f, min: 2}}", {"type": "calls_tool", "tool": "f"}),
        ("{type: 'not-trajectory:tool-used', value: f}", {"type": "never_calls_tool", "tool": "f"}),
        ("{type: 'trajectory:tool-sequence', value: {steps: [f, g]}}", {"type": "tool_order", "tools": ["f", "g"]}),
        ("{type: 'trajectory:tool-sequence', value: [f, g]}", {"type": "tool_order", "tools": ["f", "g"]}),
    ],
)
def test_an_assertion_becomes_the_check_that_means_the_same(assertion: str, check: dict[str, Any]) -> None:
    assert _check(assertion) == check


def test_equals_is_the_whole_reply_with_its_capitals() -> None:
    pattern = _check("{type: equals, value: 'Up (2)'}")["pattern"]

    assert found(pattern, " Up (2)\n")
    assert not found(pattern, "up (2)")
    assert not found(pattern, "Up (2)!")


@pytest.mark.parametrize(
    "assertion",
    [
        "{type: javascript, value: 'true'}",
        "{type: contains, value: a, transform: output.trim()}",
        "{type: contains, value: 'file://a.txt'}",
        "{type: assert-set, threshold: 0.5, assert: [{type: contains, value: a}]}",
        "{type: not-llm-rubric, value: Rude}",
        "{type: 'trajectory:tool-used', value: {pattern: 'f*'}}",
        "{type: latency}",
        "{type: word-count, value: 5}",
        "{type: equals, value: {a: 1}}",
    ],
)
def test_an_assertion_without_a_counterpart_is_listed_and_makes_no_check(assertion: str) -> None:
    text = f"prompts: ['{{{{q}}}}']\nproviders: [echo]\ntests: [{{vars: {{q: Hi}}, assert: [{assertion}]}}]\n"
    result = read_as("promptfoo", text)

    assert "checks" not in value_at(result, "tests[0]")
    assert any("tests[0].assert[0]" in entry for entry in notes(result))


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai:gpt-4.1", "openai:gpt-4.1"),
        ("openai:responses:gpt-5-mini", "openai:gpt-5-mini"),
        ("{id: 'anthropic:messages:claude-sonnet-4'}", "anthropic:claude-sonnet-4"),
        ("{'ollama:chat:llama3.1:8b': {config: {temperature: 0}}}", "ollama:llama3.1:8b"),
    ],
)
def test_a_provider_that_greenroom_knows_becomes_the_agents_model(provider: str, model: str) -> None:
    text = f"prompts: [a]\nproviders: [{provider}]\ntests: [{{vars: {{q: Hi}}}}]\n"

    assert value_at(read_as("promptfoo", text), "agents[0].llm.model") == model


@pytest.mark.parametrize("provider", ["echo", "openai:embedding:x", "file://agent.py", "https://example.com/chat"])
def test_a_provider_that_greenroom_does_not_know_is_listed(provider: str) -> None:
    result = read_as("promptfoo", f"prompts: [a]\nproviders: ['{provider}']\ntests: [{{vars: {{q: Hi}}}}]\n")

    assert "llm" not in value_at(result, "agents[0]")
    assert "line 2, providers[0] this provider" in notes(result)


def test_keys_of_providers_are_neither_carried_nor_shown() -> None:
    text = "prompts: [a]\nproviders: [{id: openai:gpt-4.1, config: {apiKey: sk-secret-1}}]\ntests: [{vars: {q: Hi}}]\n"
    result = read_as("promptfoo", text)

    assert "line 2, providers[0].config.apiKey `apiKey`" in notes(result)
    assert "sk-secret-1" not in repr(result)


def test_scenarios_are_every_test_with_every_set_of_values() -> None:
    text = """\
prompts: ['Say {{a}} in {{b}}']
providers: [echo]
scenarios:
  - config: [{vars: {a: yes}}, {vars: {a: no}}]
    tests: [{vars: {b: French}, description: French}, {vars: {b: Danish}, description: Danish}]
"""
    result = read_as("promptfoo", text)

    said = [value_at(result, f"tests[{index}].caller.history[0].text") for index in range(4)]
    assert said == ["Say yes in French", "Say yes in Danish", "Say no in French", "Say no in Danish"]


def test_a_test_of_an_unread_prompt_is_listed() -> None:
    text = "prompts: [file://prompt.txt]\nproviders: [echo]\ntests: [{vars: {q: Hi}}]\n"

    with pytest.raises(UserMistake, match="a file of its own"):
        read_as("promptfoo", text)


def test_the_prompt_of_a_simulated_user_may_stand_in_a_file() -> None:
    text = (
        "prompts: [prompt.txt]\nproviders: [echo]\n"
        "tests: [{provider: 'promptfoo:simulated-user', vars: {instructions: You are Bo.}}]\n"
    )
    result = read_as("promptfoo", text)

    assert value_at(result, "tests[0].caller.persona") == "You are Bo."
    assert "line 1, prompts[0] the agent's prompt" in notes(result)


def test_lists_of_values_that_unfold_to_thousands_of_tests_are_cut_and_listed() -> None:
    numbers = json.dumps([str(number) for number in range(40)])
    text = f"prompts: ['{{{{a}}}} {{{{b}}}}']\nproviders: [echo]\ntests: [{{vars: {{a: {numbers}, b: {numbers}}}}}]\n"
    result = read_as("promptfoo", text)

    assert len(result.tests) == 100
    assert any("lists of values" in entry for entry in notes(result))


def test_a_file_that_multiplies_without_end_is_refused() -> None:
    lists = json.dumps([{"vars": {"a": str(number)}} for number in range(300)])
    text = f"prompts: [file://p.txt]\nproviders: [echo]\nscenarios: [{{config: {lists}, tests: {lists}}}]\n"

    with pytest.raises(UserMistake, match="split it"):
        read_as("promptfoo", text)
