from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from tests.support.model_server import Answer, Broken, ModelServer, Tokens
from tests.support.program import Greenroom
from tests.support.sample_files import PASSES, a_file, a_file_for

WAITS = Broken("hang", then=Answer(text="Hello, late."))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer.in_thread(Answer(text="Hello.")) as server:
        yield server


def _report(greenroom: Greenroom) -> dict[str, list[str]]:
    report = json.loads((greenroom.folder / "report.json").read_text(encoding="utf-8"))
    return {
        "runs": [run["status"] for run in report["runs"]],
        "not_started": [entry["reason"] for entry in report["not_started"]],
    }


def test_ctrl_c_stops_before_the_next_request_and_keeps_what_had_finished(
    greenroom: Greenroom, server: ModelServer
) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=4))
    # The first talk plays through; the second waits for its first reply.
    server.queue(Answer(text="Hello."), Answer(text="Hello again."), WAITS)
    words = ["run", "--concurrency", "1", "--junit", "junit.xml", "--report-json", "report.json"]
    process = greenroom.start(*words)
    server.wait_for(3)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert "Stopping" in process.stderr.readline()
    server.release()
    ended = greenroom.ended(process)
    assert ended.code == 130
    assert "1 stopped, 1 passed, 2 not started" in ended.out
    assert "Traceback" not in ended.everything
    assert server.count == 3
    assert _report(greenroom) == {"runs": ["passed", "cancelled"], "not_started": ["stopped", "stopped"]}
    suite = ElementTree.parse(greenroom.folder / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("skipped")) == ("4", "3")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once_and_keeps_what_there_is(
    greenroom: Greenroom, server: ModelServer, number: signal.Signals
) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=3))
    server.queue(Answer(text="Hello."), Answer(text="Hello again."), WAITS)
    process = greenroom.start("run", "--concurrency", "1", "--report-json", "report.json")
    server.wait_for(3)
    process.send_signal(number)
    assert process.stderr is not None
    assert "Stopping" in process.stderr.readline()
    process.send_signal(number)
    ended = greenroom.ended(process)
    assert ended.code == 130
    assert "Traceback" not in ended.everything
    assert _report(greenroom) == {"runs": ["passed", "cancelled"], "not_started": ["stopped"]}
    report = json.loads((greenroom.folder / "report.json").read_text(encoding="utf-8"))
    assert [line["role"] for line in report["runs"][1]["transcript"]] == ["agent", "caller"]
    assert report["interrupted"] is True


def test_once_the_budget_is_spent_nothing_more_is_started(greenroom: Greenroom, server: ModelServer) -> None:
    server.answer = Answer(text="Hello.", usage=Tokens(input=1_000_000, output=1_000_000))
    content = a_file_for(server.openai_url, tests=3)
    content = content.replace("openai-compatible:test-model", "openai:gpt-4.1-mini")
    greenroom.write("greenroom.yaml", content)
    key = {"OPENAI_API_KEY": "sk-test"}
    played = greenroom.run("run", "--concurrency", "1", "--max-cost", "0.01", "--report-json", "r.json", environ=key)
    assert played.code == 4, played.everything
    assert "the budget was used up before its turn came" in played.out
    report = json.loads((greenroom.folder / "r.json").read_text(encoding="utf-8"))
    assert report["over_budget"] is True
    assert report["summary"]["cost_usd"] > 0.01


def test_a_budget_says_so_when_it_cannot_hold_for_all(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
    played = greenroom.run("run", "--max-cost", "5")
    assert played.code == 0, played.everything
    assert "holds only for what is known" in played.out
    assert "unknown" in played.out


def test_live_progress_draws_each_run_and_leaves_the_terminal_as_it_was(
    greenroom: Greenroom, server: ModelServer
) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=2))
    server.queue(WAITS, WAITS)
    terminal = greenroom.on_a_terminal("run")
    page = terminal.read_until("agent is asked")
    assert "Talk 1" in page
    assert "0/2" in page
    server.release()
    assert terminal.wait() == 0
    assert terminal.page.rindex("\x1b[?25h") > terminal.page.rindex("\x1b[?25l")
    assert "2 passed" in terminal.page.split("\x1b[?25h")[-1]


def test_ctrl_c_on_a_terminal_says_what_it_waits_for(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=2))
    server.queue(WAITS, WAITS)
    terminal = greenroom.on_a_terminal("run", columns=100)
    terminal.read_until("agent is asked")
    terminal.interrupt()
    terminal.read_until("Stopping")
    server.release()
    assert terminal.wait() == 130
    assert "Traceback" not in terminal.page
    assert "2 stopped" in terminal.page


def test_no_color_is_honoured_on_a_terminal(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    plain = greenroom.on_a_terminal("run", environ={"NO_COLOR": "1"})
    assert plain.wait() == 0
    assert "\x1b[32m" not in plain.page
    coloured = greenroom.on_a_terminal("run")
    assert coloured.wait() == 0
    assert "\x1b[32m" in coloured.page
