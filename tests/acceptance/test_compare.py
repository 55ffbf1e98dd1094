from __future__ import annotations

import json
from itertools import groupby

import pytest
from tests.support.model_server import Answer, ModelServer
from tests.support.model_server_types import Heard
from tests.support.program import Ended, Greenroom
from tests.support.sample_files import PASSES, a_file, a_file_for

TESTS = """
tests:
  - name: Is told the hours
    tags: [hours]
    caller: {messages: [When do you open?]}
    checks: [{type: says, text: from nine}]
  - name: Makes no promise
    tags: [safety]
    caller: {messages: [Does it hurt?]}
    checks: [{type: says, text: hurt}, {type: never_says, text: guarantee}]
"""
CAREFUL = """
  llm:
    model: scripted:careful
    script:
      - {when: open, say: We are open from nine to six.}
      - {when: hurt, say: It may hurt a little.}
"""
HEAD = """
agent:
  name: Front desk
  prompt: You answer the telephone of a dentist.
  greeting: Front desk, hello.
"""
RASH = CAREFUL.replace("careful", "rash").replace("It may hurt a little", "I guarantee that it will not hurt")
SUITE = f"{HEAD}{RASH}\nvariants:\n  careful:\n{CAREFUL.replace(chr(10), chr(10) + '  ')}\n{TESTS}"


def comparison(ended: Ended) -> dict[str, tuple[int, int, int, int]]:
    return {
        test["test"]: (test["both"], test["only_first"], test["only_second"], test["neither"])
        for test in ended.json["comparison"]["tests"]
    }


def test_a_difference_is_told_test_by_test_with_what_makes_it(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    ended = greenroom.run("compare", "as-written", "careful", "--repeat", "10", environ={"COLUMNS": "100"})
    assert ended.code == 0
    out = ended.out
    assert "careful is 50 points better (95% interval " in out
    assert "Test by test, B against A: 1 better, 1 no difference seen." in out
    rows = {line[:16]: line for line in out.splitlines() if "10/10" in line and "to" in line}
    assert "not seen" in rows["Is told the hour"]
    assert rows["Makes no promise"].split()[3:6] == ["0/10", "10/10", "+100"]
    assert rows["Makes no promise"].endswith("better")
    assert "10 of 10 pairs passed with B alone." in out
    assert '0/10   0%  10/10 100%  never_says "guarantee"' in out
    assert "✗ Run 1 failed with A: never_says" in out
    assert "2 tests, 40 runs: 10 failed, 30 passed" in out


def test_no_difference_is_said_as_such(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    greenroom.write("same.md", "You answer the telephone of a dentist, kindly.")
    ended = greenroom.run("compare", "as-written", "prompt:same.md", "--repeat", "2")
    assert "No difference seen with 4 runs; " in ended.out
    assert "would show one of 15 points" in ended.out


@pytest.mark.parametrize(
    ("first", "second", "code"), [("as-written", "careful", 0), ("careful", "as-written", 1), ("careful", "missing", 2)]
)
def test_only_what_is_seen_to_be_worse_can_fail(greenroom: Greenroom, first: str, second: str, code: int) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    assert greenroom.run("compare", first, second, "--repeat", "8", "--fail-on-worse").code == code
    # One run of each could be chance.
    assert greenroom.run("compare", first, second, "--fail-on-worse").code == (2 if code == 2 else 0)


def test_two_files_play_the_tests_of_the_first_with_the_agents_of_each(greenroom: Greenroom) -> None:
    greenroom.write("rash.yaml", HEAD + RASH + TESTS)
    greenroom.write("careful.yaml", HEAD.replace("Front desk", "The new desk") + CAREFUL)
    ended = greenroom.run("compare", "rash.yaml", "careful.yaml", "--json")
    assert ended.code == 0
    assert comparison(ended) == {"Is told the hours": (1, 0, 0, 0), "Makes no promise": (0, 0, 1, 0)}
    assert {(run["variant"], run["agent"]) for run in ended.json["runs"]} == {
        ("rash.yaml", "Front desk"),
        ("careful.yaml", "The new desk"),
    }


def test_paths_give_the_tests_where_the_sides_are_agents_alone(greenroom: Greenroom) -> None:
    greenroom.write("tests/greenroom.yaml", SUITE)
    greenroom.write("careful.yaml", HEAD + CAREFUL)
    ended = greenroom.run("compare", "as-written", "careful.yaml", "tests", "-k", "promise", "--json")
    assert comparison(ended) == {"Makes no promise": (0, 0, 1, 0)}


def test_models_are_compared_with_the_same_caller_and_judge_on_both_sides(greenroom: Greenroom) -> None:
    asked: list[tuple[str, str]] = []

    def answer(heard: Heard) -> Answer:
        asked.append((heard.model, heard.system))
        return Answer(text="Hello." if heard.model == "new-model" else "Goodbye.")

    with ModelServer.in_thread(answer) as server:
        content = a_file_for(server.openai_url, tests=1).replace("Hello there.", "Yes?")
        content = content.replace(
            "caller: {messages: [Hello, And then?]}", "max_turns: 2, caller: {persona: Ravi is in a hurry.}"
        )
        greenroom.write("greenroom.yaml", content)
        sides = ("compare", "as-written", "model:openai-compatible:new-model")
        ended = greenroom.run(*sides, "--repeat", "2", "--concurrency", "1", "--json")
    assert ended.code == 0, ended.everything
    assert comparison(ended) == {"Talk 1": (0, 0, 2, 0)}
    callers = {model for model, system in asked if "Ravi" in system}
    agents = [model for model, system in asked if "Ravi" not in system]
    assert callers == {"test-model"}
    # The sides take turns, run by run.
    assert [model for model, _ in groupby(agents)] == ["test-model", "new-model"] * 2


def test_both_sides_have_the_same_seeds(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    report = greenroom.run("compare", "as-written", "careful", "--repeat", "3", "--seed", "7", "--json").json
    seeds = {
        side: [run["seed"] for run in report["runs"] if run["variant"] == side and "hours" in run["test"]]
        for side in ("as-written", "careful")
    }
    assert seeds == {"as-written": [7, 8, 9], "careful": [7, 8, 9]}


def test_stored_reports_are_compared_without_playing(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    greenroom.run("run", "--repeat", "6", "--report-json", "old.json")
    greenroom.run("run", "--repeat", "6", "--variant", "careful", "--report-json", "new.json")
    (greenroom.folder / "greenroom.yaml").unlink()
    ended = greenroom.run("compare", "old.json", "new.json", "--report-json", "both.json")
    assert ended.code == 0, ended.everything
    assert "new is 50 points better" in ended.out
    assert greenroom.run("compare", "new.json", "old.json", "--fail-on-worse").code == 1
    shown = greenroom.run("report", "both.json")
    assert shown.out.strip() == ended.out.replace("Written: both.json\n", "").strip()


def test_a_stored_report_of_other_seeds_says_so(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    greenroom.run("run", "--report-json", "old.json")
    greenroom.run("run", "--seed", "5", "--report-json", "new.json")
    assert "different seeds" in greenroom.run("compare", "old.json", "new.json").err


def test_a_run_that_could_not_finish_is_told_and_its_pair_left_out(greenroom: Greenroom) -> None:
    broken = SUITE.replace("- {when: hurt, say: It may hurt a little.}", "- {when: pain, say: No.}")
    greenroom.write("greenroom.yaml", broken)
    ended = greenroom.run("compare", "as-written", "careful")
    assert ended.code == 3
    assert "1 pair left out: a run did not finish." in ended.out
    assert "! 1 run of B could not finish: " in ended.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("as-written", "carefull"), "`carefull` is nothing to compare; did you mean `careful`?"),
        (("as-written", "openai:gpt-4.1"), "did you mean `model:openai:gpt-4.1`?"),
        (("as-written", "xyz"), "name a variant of the files (`careful`)"),
        (("careful", "careful"), "Both sides are `careful`: name two that differ"),
        (("as-written", "none.yaml"), "There is no file `none.yaml`"),
        (("as-written", "prompt:none.md"), "There is no file `none.md` to compare"),
        (("as-written", "model:gpt"), "provider:name"),
        (("as-written", "old.json"), "A stored report is compared with another"),
        (("none.json", "old.json"), "none.json: cannot be read"),
        (("as-written", "two.yaml"), "there is no agent `Front desk`"),
    ],
)
def test_sides_that_cannot_be_are_told(greenroom: Greenroom, words: tuple[str, ...], sentence: str) -> None:
    greenroom.write("greenroom.yaml", SUITE)
    agents = "".join(f"  - {{name: {name}, prompt: x, llm: {{model: 'openai:m'}}}}\n" for name in ("One", "Two"))
    greenroom.write("two.yaml", f"agents:\n{agents}")
    refused = greenroom.run("compare", *words)
    assert refused.code == 2, refused.everything
    assert sentence in refused.err
    assert refused.out == ""


def test_tests_of_the_same_name_in_two_files_are_paired_each_for_itself(greenroom: Greenroom) -> None:
    greenroom.write("a.greenroom.yaml", a_file(PASSES))
    greenroom.write("b.greenroom.yaml", a_file(PASSES.replace("from nine", "until midnight")))
    greenroom.write("new.md", "You answer.")
    report = greenroom.run("compare", "as-written", "prompt:new.md", "--json").json
    assert [(test["both"], test["neither"]) for test in report["comparison"]["tests"]] == [(1, 0), (0, 1)]
    assert json.dumps(report["comparison"]["overall"]["unpaired"]) == "0"
