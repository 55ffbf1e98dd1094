"""Fields of an agent set from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from greenroom.files.overrides import override_agent, with_model
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake


def an_agent(**fields: Any) -> Agent:
    base: dict[str, Any] = {
        "name": "Desk",
        "prompt": "Book visits.",
        "variables": {"company": "Northline"},
        "llm": {"model": "scripted:desk", "temperature": 0.2, "script": [{"say": "Hi"}]},
        "tools": [{"name": "book"}, {"name": "cancel"}],
    }
    return Agent.model_validate({**base, **fields})


def test_text_fields_take_the_value_as_it_is() -> None:
    agent = override_agent(an_agent(), {"prompt": "yes: [no", "greeting": "12", "variables.company": "true"})
    assert (agent.prompt, agent.greeting, agent.variables) == ("yes: [no", "12", {"company": "true"})


def test_other_fields_read_the_value_as_yaml() -> None:
    agent = override_agent(
        an_agent(), {"llm.temperature": "0.9", "can_end_call": "true", "components": "[link]", "llm.max_tokens": "50"}
    )
    assert agent.llm is not None
    assert (agent.llm.temperature, agent.llm.max_tokens) == (0.9, 50)
    assert (agent.can_end_call, agent.components) == (True, ["link"])


def test_a_value_that_is_no_text_is_taken_as_it_is() -> None:
    agent = override_agent(an_agent(), {"can_end_call": True, "variables": {"company": "Southline"}})
    assert (agent.can_end_call, agent.variables) == (True, {"company": "Southline"})


def test_items_of_a_list_go_by_number_or_name() -> None:
    agent = override_agent(an_agent(), {"tools.1.description": "Cancels.", "tools.book.enabled": "false"})
    assert (agent.tools[1].description, agent.tools[0].enabled) == ("Cancels.", False)


def test_what_is_not_there_yet_is_made() -> None:
    agent = override_agent(an_agent(llm=None), {"llm.model": "openai:gpt-4.1-mini", "can_transfer.to": "+15550100"})
    assert agent.llm is not None
    assert agent.can_transfer is not None
    assert (agent.llm.model, agent.can_transfer.to) == ("openai:gpt-4.1-mini", "+15550100")


def test_null_empties_a_text_that_may_be_empty() -> None:
    assert override_agent(an_agent(greeting="Hello"), {"greeting": "null"}).greeting is None
    assert override_agent(an_agent(), {"llm": "null"}).llm is None


def test_an_at_sign_reads_a_file_and_two_are_one(tmp_path: Path) -> None:
    file = tmp_path / "prompt.md"
    file.write_text("# Role\nBook.\n")
    agent = override_agent(an_agent(), {"prompt": f"@{file}", "greeting": "@@home"})
    assert (agent.prompt, agent.greeting) == ("# Role\nBook.", "@home")


def test_the_agent_that_was_given_stays_as_it_is() -> None:
    agent = an_agent()
    override_agent(agent, {"variables.company": "Southline", "tools.0.description": "Books."})
    assert agent == an_agent()


def test_secrets_survive_a_change_of_something_else() -> None:
    agent = an_agent(tool_webhook={"url": "https://example.com", "secret": "hush"})
    changed = override_agent(agent, {"tool_webhook.url": "https://example.org"})
    assert changed.tool_webhook is not None
    assert changed.tool_webhook.secret is not None
    assert changed.tool_webhook.secret.get_secret_value() == "hush"


@pytest.mark.parametrize(
    ("assignments", "told"),
    [
        ({"promt": "x"}, "--set promt: there is no field `promt`; did you mean `prompt`?"),
        ({"llm.temprature": "1"}, "--set llm.temprature: there is no field `temprature`; did you mean `temperature`?"),
        ({"prompt.x": "1"}, "--set prompt.x: there is nothing below the field before `x`: set that one."),
        ({"tools.bok.enabled": "no"}, "--set tools.bok.enabled: there is no item `bok`; did you mean `book`?"),
        ({"tools.9.enabled": "no"}, "--set tools.9.enabled: there is no item `9`; there are 2 items: book, cancel."),
        ({"llm.temperature": "3"}, "--set: `temperature` is at most 2, not `3`"),
        ({"can_end_call": "yes"}, "--set: `can_end_call` is `true` or `false`: write `true`"),
        (
            {"pipeline_mode": "cascad"},
            "--set: `pipeline_mode` is one of `cascade`, `realtime`, not `cascad`; did you mean `cascade`?",
        ),
        (
            {"prompt": " "},
            "--set: an agent needs a `prompt`: write what it should do (or say where it lives with `remote`)",
        ),
        ({"prompt": "@no.md"}, "--set prompt: there is no file `no.md`."),
        (
            {"tools": "[a"},
            "--set tools:1:1: this `[` or `{` is not closed as it should be: look for a "
            "missing comma, bracket or quote",
        ),
        (
            {"llm.model": "gpt-4"},
            "--set: a model is written as `provider:name`, for example `openai:gpt-4.1-mini`, not `gpt-4`",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(assignments: dict[str, object], told: str) -> None:
    with pytest.raises(UserMistake) as caught:
        override_agent(an_agent(), assignments)
    assert str(caught.value) == told


def test_a_secret_that_does_not_fit_is_not_repeated() -> None:
    agent = an_agent(tool_webhook={"url": "https://example.com", "secret": "hush"})
    with pytest.raises(UserMistake) as caught:
        override_agent(agent, {"tool_webhook.url": "null", "tool_webhook.secret": 3, "name": "x" * 300})
    assert "hush" not in str(caught.value)


def test_another_model_keeps_how_it_is_asked_and_drops_the_script() -> None:
    llm = with_model(an_agent(), "openai:gpt-4.1-mini").llm
    assert llm is not None
    assert (llm.model, llm.temperature, llm.script) == ("openai:gpt-4.1-mini", 0.2, [])


def test_another_provider_does_not_get_the_address_and_account_of_the_old_one() -> None:
    agent = an_agent(llm={"model": "openai:a", "base_url": "https://proxy.example.com", "credential": "mine"})
    same, other = with_model(agent, "openai:b").llm, with_model(agent, "anthropic:c").llm
    assert same is not None
    assert other is not None
    assert (same.base_url, same.credential) == ("https://proxy.example.com", "mine")
    assert (other.base_url, other.credential) == (None, None)


def test_setting_the_model_of_an_agent_drops_the_script_too() -> None:
    llm = override_agent(an_agent(), {"llm.model": "openai:a"}).llm
    assert llm is not None
    assert llm.script == []


def test_what_is_set_beside_the_model_is_kept() -> None:
    assignments = {"llm.model": "openai-compatible:a", "llm.base_url": "http://localhost:1/v1"}
    llm = override_agent(an_agent(), assignments).llm
    assert llm is not None
    assert llm.base_url == "http://localhost:1/v1"


def test_an_agent_without_a_brain_gets_one() -> None:
    llm = with_model(an_agent(llm=None), "openai:a").llm
    assert llm is not None
    assert llm.model == "openai:a"


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("gpt-4", "--model: a model is written as `provider:name`"),
        ("openai-compatible:x", "--model: `openai-compatible:…` needs `base_url`"),
        ("scripted:", "--model: a model is written as `provider:name`"),
    ],
)
def test_a_model_that_cannot_be_is_told(model: str, told: str) -> None:
    with pytest.raises(UserMistake, match=told):
        with_model(an_agent(), model)
