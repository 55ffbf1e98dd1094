from __future__ import annotations

import pytest
from tests.support.import_samples import SAMPLES
from tests.support.program import Greenroom

CHAT = """{"messages": [{"role": "user", "content": "When does the ferry leave?"}, \
{"role": "assistant", "content": "At 14:20."}]}
"""
SCENARIOS = """name: Library desk
scenarios:
  - label: Renews a book
    instructions: You are Ola. You want to keep your book longer.
    agent_expectations: Finds the loan and says the new date.
    userdata: {expected_state: [one more loan]}
"""


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_format_is_imported_into_a_file_that_loads(greenroom: Greenroom, sample: str) -> None:
    name, text = SAMPLES[sample]
    greenroom.write(f"theirs/{name}", text)
    ended = greenroom.run("import", "auto", f"theirs/{name}", "--out", "greenroom.yaml")
    assert ended.code == 0, ended.everything
    assert "Wrote " in ended.out
    # Loaded as a whole: what is wrong is that the name fits no test, and nothing before.
    assert "No test fits" in greenroom.run("run", "-k", "nosuchtestanywhere").err


def test_without_out_the_tests_are_printed_and_what_was_lost_is_told_beside_them(greenroom: Greenroom) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    ended = greenroom.run("import", "livekit", "scenarios.yaml")
    assert ended.code == 0
    assert "Renews a book" in ended.out
    assert "could not be carried" in ended.err
    row = next(line for line in ended.err.splitlines() if line.startswith("line 6, "))
    assert "expected_state" in row


def test_strict_exits_with_1_when_something_was_lost_and_still_writes(greenroom: Greenroom) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    words = ["import", "auto", "scenarios.yaml", "--out", "out.yaml", "--strict"]
    assert greenroom.run(*words).code == 1
    assert (greenroom.folder / "out.yaml").exists()
    greenroom.write("chats.jsonl", CHAT)
    greenroom.write("desk.yaml", "name: Desk\nprompt: You help.\n")
    words = ["import", "auto", "chats.jsonl", "--out", "out.yaml", "--strict", "--force", "--agent", "desk.yaml"]
    whole = greenroom.run(*words)
    assert whole.code == 0
    assert "Everything was carried." in whole.err


def test_nothing_is_overwritten_unless_forced(greenroom: Greenroom) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    greenroom.write("out.yaml", "mine")
    refused = greenroom.run("import", "livekit", "scenarios.yaml", "--out", "out.yaml")
    assert refused.code == 2
    assert "nothing was written; add --force" in refused.err
    assert (greenroom.folder / "out.yaml").read_text(encoding="utf-8") == "mine"
    assert greenroom.run("import", "livekit", "scenarios.yaml", "--out", "out.yaml", "--force").code == 0


def test_with_json_the_list_comes_as_data(greenroom: Greenroom) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    result = greenroom.run("import", "livekit", "scenarios.yaml", "--json").json
    assert result["tests"] == ["Renews a book"]
    assert result["not_carried"][0].keys() == {"place", "what", "why", "times"}
    assert "Renews a book" in result["yaml"]
    written = greenroom.run("import", "livekit", "scenarios.yaml", "--out", "o.yaml", "--json").json
    assert (written["written_to"], written["yaml"]) == ("o.yaml", None)


def test_tests_are_made_for_an_agent_that_is_there(greenroom: Greenroom) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    greenroom.write("agents/desk.yaml", "name: Desk\nprompt: You help.\n")
    ended = greenroom.run("import", "auto", "scenarios.yaml", "--agent", "agents/desk.yaml", "--out", "tests/lib.yaml")
    assert ended.code == 0, ended.everything
    assert "agent: '../agents/desk.yaml'" in (greenroom.folder / "tests" / "lib.yaml").read_text(encoding="utf-8")


def test_a_chat_becomes_a_reply_or_a_script(greenroom: Greenroom) -> None:
    greenroom.write("chats.jsonl", CHAT)
    assert "history:" in greenroom.run("import", "chat", "chats.jsonl").out
    assert "messages:" in greenroom.run("import", "chat", "chats.jsonl", "--chats", "script").out


def test_the_formats_are_listed(greenroom: Greenroom) -> None:
    shown = greenroom.run("import", "--list")
    assert shown.code == 0
    assert all(name in shown.out for name in ("elevenlabs", "vapi", "dialogflow", "promptfoo", "livekit", "chat"))
    assert {entry["name"] for entry in greenroom.run("import", "--list", "--json").json} >= {"vapi", "chat"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name a format and a file"),
        (["auto"], "Name a format and a file"),
        (["scenarios.yaml"], "greenroom import auto scenarios.yaml"),
        (["promptfo", "scenarios.yaml"], "did you mean `promptfoo`?"),
        (["auto", "nowhere.json"], "there is no file `nowhere.json`"),
        (["auto", "other.txt"], "it is not clear what made this file"),
        (["vapi", "broken.json"], "broken.json"),
        (["auto", "scenarios.yaml", "--agent", "none.yaml"], "none.yaml"),
        (["elevenlabs", "scenarios.yaml", "--tool", "x"], "write ID=NAME"),
        (["chat", "scenarios.yaml", "--chats", "poem"], "--chats"),
    ],
)
def test_mistakes_are_told_in_a_sentence(greenroom: Greenroom, words: list[str], sentence: str) -> None:
    greenroom.write("scenarios.yaml", SCENARIOS)
    greenroom.write("other.txt", "hello")
    greenroom.write("broken.json", "{")
    ended = greenroom.run("import", *words)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.out == ""
