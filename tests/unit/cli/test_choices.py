from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.cli.starting import PROVIDERS, Choice, choose, next_steps, starter_file
from greenroom.files.overrides import read_assignments
from greenroom.model.errors import UserMistake


def test_a_setting_is_a_field_and_its_value_as_written() -> None:
    assert read_assignments(["prompt=@new.md", "variables.x=a=b", "greeting="], "--set") == {
        "prompt": "@new.md",
        "variables.x": "a=b",
        "greeting": "",
    }


@pytest.mark.parametrize("setting", ["prompt", "=x", " =x"])
def test_a_setting_without_field_or_value_says_how_to_write_one(setting: str) -> None:
    with pytest.raises(UserMistake, match="write FIELD=VALUE"):
        read_assignments([setting], "--set")


@pytest.mark.parametrize(
    ("provider", "model", "choice"),
    [
        (None, None, Choice("scripted", "bike-shop")),
        ("OpenAI", None, Choice("openai", "gpt-4.1-mini")),
        ("openai", "gpt-4o", Choice("openai", "gpt-4o")),
        ("openai", "openai:gpt-4o", Choice("openai", "gpt-4o")),
        (None, "anthropic:claude-opus-4-5", Choice("anthropic", "claude-opus-4-5")),
        ("ollama", "llama3.2:3b", Choice("ollama", "llama3.2:3b")),
        ("scripted", None, Choice("scripted", "bike-shop")),
    ],
)
def test_provider_and_model_are_taken_as_people_write_them(
    provider: str | None, model: str | None, choice: Choice
) -> None:
    assert choose(provider, model, ask=False) == choice


def test_a_misspelled_provider_gets_a_suggestion() -> None:
    with pytest.raises(UserMistake, match="did you mean `anthropic`"):
        choose("antropic", None, ask=False)


def test_a_provider_that_is_not_known_gets_the_list() -> None:
    with pytest.raises(UserMistake, match="choose one of openai, anthropic"):
        choose("xyzzy", None, ask=False)


def test_a_model_without_a_provider_says_what_is_missing() -> None:
    with pytest.raises(UserMistake, match="--provider"):
        choose(None, "gpt-4o", ask=False)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_placeholder_of_the_starter_is_filled(provider: str) -> None:
    assert "@" not in starter_file(Choice(provider, "some-model"))


def test_the_next_step_names_the_key_that_is_not_set() -> None:
    commands = [command for command, _ in next_steps(Choice("openai", "gpt-4.1-mini"), Path(), {})]
    assert commands == ["export OPENAI_API_KEY=...", "greenroom run", "greenroom run --variant scripted"]


def test_a_key_that_is_set_needs_no_step() -> None:
    steps = next_steps(Choice("openai", "gpt-4.1-mini"), Path("my agents"), {"OPENAI_API_KEY": "x"})
    assert steps[0][0] == "greenroom run 'my agents'"
