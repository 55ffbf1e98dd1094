from __future__ import annotations

import pytest
from tests.support.program import Greenroom


def test_what_init_writes_runs_at_once(greenroom: Greenroom) -> None:
    started = greenroom.run("init")
    assert started.code == 0
    assert "greenroom run" in started.out
    played = greenroom.run("run")
    assert played.code == 0, played.everything
    assert "1 passed" in played.out


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "ollama"])
def test_with_a_provider_the_scripted_variant_still_runs_for_nothing(greenroom: Greenroom, provider: str) -> None:
    assert greenroom.run("init", "bikes", "--provider", provider).code == 0
    played = greenroom.run("run", "bikes", "--variant", "scripted")
    assert played.code == 0, played.everything


def test_a_provider_whose_key_is_not_set_is_named_before_and_when_it_is_needed(greenroom: Greenroom) -> None:
    started = greenroom.run("init", "--provider", "openai", "--model", "gpt-4o-mini")
    assert "export OPENAI_API_KEY" in started.out
    assert "openai:gpt-4o-mini" in (greenroom.folder / "greenroom.yaml").read_text(encoding="utf-8")
    played = greenroom.run("run")
    assert played.code == 3
    assert "OPENAI_API_KEY" in played.out


def test_init_writes_into_a_folder_that_it_makes(greenroom: Greenroom) -> None:
    started = greenroom.run("init", "my agents/bikes", "--yes")
    assert started.code == 0
    assert "greenroom run 'my agents/bikes'" in started.out
    files = sorted(str(path.relative_to(greenroom.folder)) for path in greenroom.folder.rglob("*") if path.is_file())
    assert files == ["my agents/bikes/greenroom.yaml", "my agents/bikes/prompts/agent.md"]


def test_init_overwrites_nothing_unless_forced(greenroom: Greenroom) -> None:
    mine = greenroom.write("greenroom.yaml", "mine")
    refused = greenroom.run("init")
    assert refused.code == 2
    assert "greenroom.yaml is there already: nothing was written; add --force" in refused.err
    assert mine.read_text(encoding="utf-8") == "mine"
    assert not (greenroom.folder / "prompts").exists()
    assert greenroom.run("init", "--force").code == 0
    assert mine.read_text(encoding="utf-8") != "mine"


def test_init_as_json_lists_the_files(greenroom: Greenroom) -> None:
    started = greenroom.run("init", "--json", "--provider", "ollama")
    assert started.json == {
        "files": ["greenroom.yaml", "prompts/agent.md"],
        "provider": "ollama",
        "model": "llama3.2",
        "next": ["ollama pull llama3.2", "greenroom run", "greenroom run --variant scripted"],
    }


def test_a_provider_that_is_not_known_is_the_users_mistake(greenroom: Greenroom) -> None:
    refused = greenroom.run("init", "--provider", "antropic")
    assert refused.code == 2
    assert "did you mean `anthropic`?" in refused.err


def test_a_folder_that_cannot_be_made_is_the_users_mistake(greenroom: Greenroom) -> None:
    greenroom.write("file", "")
    refused = greenroom.run("init", "file/inside")
    assert refused.code == 2
    assert "choose another folder" in refused.err


def test_on_a_terminal_init_asks_which_model_is_to_play(greenroom: Greenroom) -> None:
    terminal = greenroom.on_a_terminal("init")
    terminal.read_until("Provider [scripted]:")
    terminal.type("antropic\n")
    terminal.read_until("did you mean `anthropic`?")
    terminal.type("anthropic\n")
    terminal.read_until("Which of its models [claude-haiku-4-5]:")
    terminal.type("\n")
    assert terminal.wait() == 0
    assert "anthropic:claude-haiku-4-5" in (greenroom.folder / "greenroom.yaml").read_text(encoding="utf-8")


def test_ctrl_c_at_a_question_ends_quietly(greenroom: Greenroom) -> None:
    terminal = greenroom.on_a_terminal("init")
    terminal.read_until("Provider [scripted]:")
    terminal.interrupt_at_a_question()
    assert terminal.wait() == 130
    assert "Traceback" not in terminal.page
    assert not (greenroom.folder / "greenroom.yaml").exists()
