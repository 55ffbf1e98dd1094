from __future__ import annotations

import json
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from tests.support.model_server import Answer, ModelServer, Status
from tests.support.program import Greenroom
from tests.support.sample_files import CANNOT_FINISH, FAILS, PASSES, a_file, a_file_for

GOOD, BAD = Answer(text="Hello."), Answer(text="Goodbye.")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer.in_thread(GOOD) as server:
        yield server


def silent_at_first(server: ModelServer) -> str:
    """A test whose agent's greeting does not hold the check by itself."""
    return a_file_for(server.openai_url, tests=1).replace("greeting: Hello there.", "greeting: Far away, yes?")


def flaky(greenroom: Greenroom, server: ModelServer, outcomes: str) -> None:
    """A test whose runs, one after the other, pass (`+`) or fail (`-`). A run asks the agent twice."""
    greenroom.write("greenroom.yaml", silent_at_first(server))
    server.queue(*(answer for outcome in outcomes for answer in [GOOD if outcome == "+" else BAD] * 2))


ONE_BY_ONE = ("--concurrency", "1")


def test_a_repeated_test_has_one_row_with_its_rate_and_how_sure_that_is(
    greenroom: Greenroom, server: ModelServer
) -> None:
    flaky(greenroom, server, "+-+++-++++")
    played = greenroom.run("run", "--repeat", "10", *ONE_BY_ONE)
    assert played.code == 1
    row = next(line for line in played.out.splitlines() if "49% to 94%" in line)
    assert row.split()[:5] == ["✗", "Talk", "1", "8/10", "80%"]
    assert row.split()[-3:] == ["22%", "0%", "flaky"]  # pass^5 and pass^10
    assert "●" in row
    assert "1 test, 10 runs: 2 failed, 8 passed" in played.out
    assert played.out.splitlines()[0].startswith("✗ 8/10 passed   Talk 1  [10/10]")


def test_of_many_failures_one_talk_is_shown_and_the_others_are_counted(
    greenroom: Greenroom, server: ModelServer
) -> None:
    flaky(greenroom, server, "-+--")
    out = greenroom.run("run", "--repeat", "4", *ONE_BY_ONE).out
    assert out.count("► ") == 1
    assert "✗ Talk 1, run 1 of 4" in out
    assert "2 more runs did not pass (3, 4)" in out
    assert '✗ 1/4 25% says "hello"' in out


def test_a_run_that_fails_otherwise_is_shown_too(greenroom: Greenroom, server: ModelServer) -> None:
    content = silent_at_first(server).replace("text: hello}]", "text: hello}, {type: never_says, text: rude}]")
    greenroom.write("greenroom.yaml", content)
    server.queue(*[BAD] * 4, *[Answer(text="Hello, that was rude.")] * 2, *[GOOD] * 2)
    out = greenroom.run("run", "--repeat", "4", *ONE_BY_ONE).out
    assert "✗ Talk 1, run 1 of 4" in out
    assert "✗ Talk 1, run 3 of 4" in out
    assert "1 more run did not pass (2)" in out


def test_a_file_says_how_often_a_test_is_played_and_the_option_wins(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES.replace("caller:", "repeat: 3\n    caller:")))
    assert "1 test, 3 runs: 3 passed" in greenroom.run("run").out
    assert "1 test, 5 runs: 5 passed" in greenroom.run("run", "--repeat", "5").out
    assert "1 passed ·" in greenroom.run("run", "--repeat", "1").out


def test_the_json_has_every_run_and_a_summary_of_each_test(greenroom: Greenroom, server: ModelServer) -> None:
    flaky(greenroom, server, "+-++")
    report = greenroom.run("run", "--repeat", "4", *ONE_BY_ONE, "--json").json
    assert [run["status"] for run in report["runs"]] == ["passed", "failed", "passed", "passed"]
    (summary,) = report["summaries"]
    assert (summary["passes"], summary["finished"], summary["rate"], summary["flaky"]) == (3, 4, 0.75, True)
    assert summary["pass_powers"] == [0.75, 0.5, 0.25, 0.0]
    assert 0 <= summary["low"] < 0.75 < summary["high"] <= 1
    assert summary["checks"][0]["passed"] == 3
    assert (summary["file"], report["gate"]) == ("greenroom.yaml", None)


def test_junit_has_a_case_for_each_run(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    greenroom.run("run", "--repeat", "3", "--junit", "junit.xml")
    cases = ElementTree.parse(greenroom.folder / "junit.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases] == ["Is told the hours", "Is told the hours #2", "Is told the hours #3"]


@pytest.mark.parametrize(
    ("gate", "code", "sentence"),
    [
        (("--min-pass-rate", "0.75"), 0, "The gate is open: every test has a pass rate of 75% or more."),
        (("--min-pass-rate", "75%"), 0, "The gate is open"),
        (("--min-pass-rate", "80%"), 1, "Talk 1: 3 of 4 runs passed (75%), below the 80% asked for."),
        (("--min-pass-power", "2:0.5"), 0, "every test has pass^2 of 50% or more"),
        (("--min-pass-power", "2:51%"), 1, "Talk 1: pass^2 is 50%, below the 51% asked for."),
        (("--min-pass-rate", "0.7", "--min-pass-power", "3:0.5"), 1, "pass^3 is 25%"),
    ],
)
def test_a_gate_decides_each_test_by_its_rate(
    greenroom: Greenroom, server: ModelServer, gate: tuple[str, ...], code: int, sentence: str
) -> None:
    flaky(greenroom, server, "+-++")
    played = greenroom.run("run", "--repeat", "4", *ONE_BY_ONE, *gate)
    assert played.code == code
    assert sentence in played.out


def test_an_open_gate_does_not_hide_a_run_that_could_not_finish(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
    server.queue(Status(401))
    played = greenroom.run("run", "--repeat", "3", "--min-pass-rate", "50%")
    assert played.code == 3
    assert "1 could not finish" in played.out
    assert "2/2" in played.out


def test_the_closed_gate_is_in_the_json(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    ended = greenroom.run("run", "--repeat", "2", "--min-pass-rate", "0.5", "--json")
    assert ended.code == 1
    assert ended.json["gate"]["min_pass_rate"] == 0.5
    (closed,) = ended.json["gate"]["closed"]
    assert closed.startswith("Makes no promise: 0 of 2 runs passed")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--min-pass-rate", "1.5"), "--min-pass-rate: `1.5` is not a rate up to 100%; write for example 90% or 0.9"),
        (("--min-pass-rate", "0"), "--min-pass-rate"),
        (("--min-pass-rate", "nan"), "--min-pass-rate"),
        (("--min-pass-rate", "90"), "write for example 90%"),
        (("--min-pass-power", "0.8"), "write for example 3:0.8"),
        (("--min-pass-power", "0:0.8"), "write for example 3:0.8"),
        (("--min-pass-power", "3:0.8"), "`Is told the hours` is played once: add for example --repeat 10"),
        (("--min-pass-power", "3:0.8", "--repeat", "2"), "is played 2 times"),
        (("--min-pass-rate", "90%", "--fail-fast"), "leave one of them out"),
        (("--repeat", "0"), "--repeat"),
    ],
)
def test_a_gate_that_cannot_be_is_told_before_anything_is_played(
    greenroom: Greenroom, words: tuple[str, ...], sentence: str
) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    refused = greenroom.run("run", *words)
    assert refused.code == 2
    assert sentence in refused.err
    assert refused.out == ""


def test_tests_of_the_same_name_in_two_files_are_not_counted_together(greenroom: Greenroom) -> None:
    greenroom.write("a.greenroom.yaml", a_file(PASSES))
    greenroom.write("b.greenroom.yaml", a_file(PASSES.replace("from nine", "until midnight")))
    report = greenroom.run("run", "--repeat", "2", "--json").json
    assert [(s["file"], s["passes"]) for s in report["summaries"]] == [("a.greenroom.yaml", 2), ("b.greenroom.yaml", 0)]


def test_errors_and_single_tests_stand_beside_repeated_ones(greenroom: Greenroom) -> None:
    repeated = PASSES.replace("caller:", "repeat: 2\n    caller:")
    greenroom.write("greenroom.yaml", a_file(repeated, FAILS, CANNOT_FINISH))
    played = greenroom.run("run", "--report-json", "report.json")
    assert played.code == 3
    assert "3 tests, 4 runs: 1 failed, 1 could not finish, 2 passed" in played.out
    assert "“Qwertyuiop”" in played.out
    again = greenroom.run("report", "report.json")
    assert again.code == 0
    assert again.out.strip() == played.out.partition("\n\n")[2].replace("Written: report.json\n", "").strip()
    assert json.loads((greenroom.folder / "report.json").read_text(encoding="utf-8"))["schema_version"] == 1
