from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.model_server import Answer, ModelServer
from tests.support.program import Greenroom
from tests.support.sample_files import FAILS, PASSES, a_file

CALL = "Agent: Front desk, hello.\nCaller: When do you open?\nAgent: At nine.\nCaller: Thanks, bye.\n"


def a_draft(name: str, **fields: Any) -> dict[str, Any]:
    draft = {
        "name": name,
        "kind": "simulation",
        "persona": "Ravi wants to know the hours.",
        "opening_line": "Hello there.",
        "criteria": [{"text": "Says the hours", "required": True}],
    }
    return {**draft, **fields}


def drafting(*answers: list[dict[str, Any]]) -> str:
    """A front desk whose scripted author gives these answers, one after the other."""
    rules = "".join(
        f"      - {{role: author, {'times: 1, ' if index < len(answers) - 1 else ''}"
        f"say: {json.dumps(json.dumps({'tests': drafts}))}}}\n"
        for index, drafts in enumerate(answers)
    )
    return a_file(PASSES, FAILS).replace("tests:\n", f"{rules}tests:\n  # Kept by hand.\n", 1)


def read(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def names_in(path: Path) -> list[str]:
    return [test["name"] for test in read(path.read_text(encoding="utf-8"))["tests"]]


def test_drafts_are_printed_as_yaml_and_what_they_cost_beside_it(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", drafting([a_draft("Asks for the hours")]))
    ended = greenroom.run("generate", "--count", "1")
    assert ended.code == 0, ended.everything
    (test,) = read(ended.out)["tests"]
    assert test == {
        "name": "Asks for the hours",
        "caller": {"persona": "Ravi wants to know the hours.", "opening_line": "Hello there."},
        "checks": [{"type": "criterion", "text": "Says the hours"}],
    }
    assert "1 test drafted by scripted:front-desk: 1 request" in ended.err
    assert "cost $0" in ended.err
    assert names_in(greenroom.folder / "greenroom.yaml") == ["Is told the hours", "Makes no promise"]


def test_what_was_dropped_is_told_with_why(greenroom: Greenroom) -> None:
    broken = a_draft("Broken", calls_tools=[{"tool": "no_such", "arguments": []}])
    greenroom.write("greenroom.yaml", drafting([broken, a_draft("Sound")], [broken]))
    ended = greenroom.run("generate", "--count", "2")
    assert "1 test so far; asked once more: Broken:" in ended.err
    assert "Dropped: Broken: `Front desk` has no tool `no_such`" in ended.err
    assert [test["name"] for test in read(ended.out)["tests"]] == ["Sound"]


def test_save_adds_them_under_names_of_their_own_and_keeps_comments(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", drafting([a_draft("Is told the hours"), a_draft("Another")]))
    before = path.read_text(encoding="utf-8")
    ended = greenroom.run("generate", "--count", "2", "--save")
    assert "Saved 2 tests to greenroom.yaml" in ended.out
    assert path.read_text(encoding="utf-8").startswith(before)
    assert names_in(path) == ["Is told the hours", "Makes no promise", "Is told the hours (2)", "Another"]
    assert greenroom.run("run", "-k", "hours and not 2").code == 0


def test_out_writes_a_file_for_the_same_agent_and_overwrites_nothing(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", drafting([a_draft("Asks")]))
    assert greenroom.run("generate", "--count", "1", "--out", "more/asks.yaml").code == 0
    written = read((greenroom.folder / "more" / "asks.yaml").read_text(encoding="utf-8"))
    assert written["agent"] == "../greenroom.yaml"
    refused = greenroom.run("generate", "--count", "1", "--out", "more/asks.yaml")
    assert refused.code == 2
    assert "nothing was drafted" in refused.err
    assert "drafted by" not in refused.err
    assert greenroom.run("generate", "--count", "1", "--out", "more/asks.yaml", "--force").code == 0


def test_with_json_everything_comes_as_data(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", drafting([a_draft("Asks"), {"name": "Empty"}], []))
    result = greenroom.run("generate", "--count", "2", "--json").json
    assert [test["name"] for test in result["tests"]] == ["Asks"]
    assert result["used"]["model"] == "scripted:front-desk"
    assert result["used"]["requests"] == 2
    assert result["saved_to"] is None
    saved = greenroom.run("generate", "--count", "1", "--json", "--save").json
    assert saved["saved_to"] == "greenroom.yaml"


def test_a_call_becomes_a_script_or_a_reply_test_without_a_model(greenroom: Greenroom) -> None:
    greenroom.write("call.txt", CALL)
    script = greenroom.run("generate", "--from-call", "call.txt", "--as-script", "--name", "A real call")
    assert read(script.out)["tests"] == [
        {"name": "A real call", "caller": {"messages": ["When do you open?", "Thanks, bye."]}}
    ]
    assert "checks nothing yet" in script.err
    reply = greenroom.feed(CALL, "generate", "--from-call", "-", "--as-reply")
    (test,) = read(reply.out)["tests"]
    assert test["caller"]["history"][-1] == {"role": "caller", "text": "Thanks, bye."}
    greenroom.write("greenroom.yaml", a_file(PASSES))
    assert greenroom.run("generate", "--from-call", "call.txt", "--as-script", "--save").code == 0
    assert names_in(greenroom.folder / "greenroom.yaml")[-1] == "When do you open?"


def test_a_call_reaches_the_author_of_another_model_that_was_named(greenroom: Greenroom) -> None:
    greenroom.write(
        "call.json", json.dumps([{"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Hours?"}])
    )
    answer = Answer(text=json.dumps({"tests": [a_draft("From a call")]}))
    with ModelServer.in_thread(answer) as server:
        llm = f"{{model: 'openai-compatible:m', base_url: '{server.openai_url}', max_tokens: 20}}"
        greenroom.write("greenroom.yaml", f"agent:\n  name: A\n  prompt: p\n  llm: {llm}\n")
        ended = greenroom.run(
            "generate", "--from-call", "call.json", "--count", "1", "--model", "openai-compatible:better",
            "--focus", "opening hours", "--language", "French",
        )  # fmt: skip
    assert ended.code == 0, ended.everything
    request = server.requests[0]
    assert request.model == "better"
    asked = str(request.messages)
    assert all(words in asked for words in ("caller: Hours?", "opening hours", "in French"))
    assert read(ended.out)["tests"][0]["name"] == "From a call"


def test_failed_runs_of_a_report_are_drafted_from_one_by_one(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", drafting([a_draft("Promises again")]))
    greenroom.run("run", "--report-json", "report.json", "--repeat", "2")
    ended = greenroom.run("generate", "--from-run", "report.json", "--count", "1")
    assert ended.code == 0, ended.everything
    assert ended.err.count("Drafting 1 test from the failed run of “Makes no promise”") == 1
    assert [test["name"] for test in read(ended.out)["tests"]] == ["Promises again"]
    none = greenroom.run("generate", "--from-run", "report.json", "--test", "Is told the hours")
    assert none.code == 2
    assert "no run of `Is told the hours` failed" in none.err
    assert (
        "did you mean `Makes no promise`?"
        in greenroom.run("generate", "--from-run", "report.json", "--test", "Makes no promis").err
    )


def test_an_author_that_gives_nothing_usable_ends_with_code_3_and_what_it_cost(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", drafting([]))
    ended = greenroom.run("generate", "--save")
    assert ended.code == 3
    assert "drafted no usable test" in ended.err
    assert "2 requests" in ended.err
    assert names_in(greenroom.folder / "greenroom.yaml") == ["Is told the hours", "Makes no promise"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from-call", "call.txt", "--from-run", "r.json"], "exclude each other"),
        (["--save", "--out", "x.yaml"], "exclude each other"),
        (["--as-script"], "add --from-call"),
        (["--from-call", "call.txt", "--as-script", "--model", "openai:x"], "ask no model"),
        (["--name", "x"], "--name"),
        (["--test", "x"], "add --from-run"),
        (["--from-call", "nowhere.txt"], "there is no file `nowhere.txt`"),
        (["--from-call", "greenroom.yaml"], "does not read as a call"),
        (["--from-run", "greenroom.yaml"], "is not JSON"),
        (["--model", "gpt"], "provider:name"),
        (["--count", "21"], "--count"),
        (["--kind", "poem"], "--kind"),
        (["nowhere.yaml"], "nowhere.yaml:1:1"),
    ],
)
def test_mistakes_are_told_in_a_sentence(greenroom: Greenroom, words: list[str], sentence: str) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    greenroom.write("call.txt", CALL)
    ended = greenroom.run("generate", *words)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.out == ""


def test_an_agent_without_a_model_needs_one_named(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", "agent: {name: A, prompt: p}\n")
    ended = greenroom.run("generate")
    assert ended.code == 2
    assert "add --model PROVIDER:NAME" in ended.err


def test_at_a_terminal_the_tests_to_keep_are_picked(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", drafting([a_draft("One"), a_draft("Two"), a_draft("Three")]))
    terminal = greenroom.on_a_terminal("generate", "--count", "3", columns=110)
    terminal.read_until("Which to keep in greenroom.yaml?")
    terminal.type("9\n")
    terminal.read_until("Which to keep in greenroom.yaml?", 2)
    assert "Says the hours" in terminal.page
    terminal.type("1, 3\n")
    assert terminal.wait() == 0
    assert names_in(path)[2:] == ["One", "Three"]


def test_at_a_terminal_none_may_be_kept(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", drafting([a_draft("One")]))
    before = path.read_text(encoding="utf-8")
    terminal = greenroom.on_a_terminal("generate", "--count", "1", columns=110)
    terminal.read_until("Which to keep")
    terminal.type("0\n")
    assert terminal.wait() == 0
    assert path.read_text(encoding="utf-8") == before
