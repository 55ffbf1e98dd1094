from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.model_server import Answer, Broken, ModelServer
from tests.support.model_server_types import Heard
from tests.support.program import Greenroom
from tests.support.sample_files import PASSES, a_file, a_file_for

KEY = "sk-northline-4711-secret"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    numbers = iter(range(1, 1_000))

    def answer(_: Heard) -> Answer:
        return Answer(text=f"Hello number {next(numbers)}. The key is {KEY}.")

    with ModelServer.in_thread(answer) as server:
        yield server


def with_key(url: str, *, tests: int = 2) -> str:
    """A test file whose agent needs a key of the environment."""
    content = a_file_for(url, tests=tests).replace('"openai-compatible:test-model",', '"openai:gpt-4.1-mini",')
    content = content.replace('base_url: "', 'credential: main, base_url: "')
    return content + "credentials: {main: {api_key: '${NORTHLINE_KEY}'}}\n"


def transcripts(path: Path) -> dict[str, list[str]]:
    report = json.loads(path.read_text(encoding="utf-8"))
    return {
        f"{run['test']} #{run['repeat_index']}": [line["text"] for line in run["transcript"]] for run in report["runs"]
    }


def test_a_recording_replays_without_key_network_or_server(greenroom: Greenroom) -> None:
    numbers = iter(range(1, 1_000))
    with ModelServer.in_thread(lambda _: Answer(text=f"Hello number {next(numbers)}.")) as server:
        greenroom.write("greenroom.yaml", with_key(server.openai_url))
        words = ("run", "--repeat", "5", "--record", "tapes/talks.json", "--report-json", "first.json")
        recorded = greenroom.run(*words, environ={"NORTHLINE_KEY": KEY})
        assert recorded.code == 0, recorded.everything
        assert server.count == 20
    replayed = greenroom.run(
        "run", "--repeat", "5", "--concurrency", "10", "--replay", "tapes/talks.json", "--report-json", "second.json"
    )
    assert replayed.code == 0, replayed.everything
    # Every answer is another, so that a run which got another run's would show it.
    first, second = (transcripts(greenroom.folder / name) for name in ("first.json", "second.json"))
    assert first == second
    assert len({text for talk in first.values() for text in talk}) > 20


def test_no_secret_reaches_the_recording_or_the_screen(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", with_key(server.openai_url, tests=1))
    token = "tok-31337-aaaabbbbccccdddd"
    content = (greenroom.folder / "greenroom.yaml").read_text(encoding="utf-8")
    greenroom.write("greenroom.yaml", content.replace("You answer.", f"You answer. Use {token}."))
    environ = {"NORTHLINE_KEY": KEY, "CRM_TOKEN": token}
    recorded = greenroom.run("run", "--record", "tape.json", environ=environ)
    assert recorded.code == 0, recorded.everything
    tape = (greenroom.folder / "tape.json").read_text(encoding="utf-8")
    assert "Hello number 1" in tape
    assert KEY not in tape
    assert token not in tape
    assert greenroom.run("run", "--replay", "tape.json", environ=environ).code == 0


def test_a_miss_shows_what_changed(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
    greenroom.run("run", "--record", "tape.json")
    asked = server.count
    missed = greenroom.run("run", "--replay", "tape.json", "--set", "prompt=You answer in rhymes.")
    assert missed.code == 3
    shown = " ".join(missed.out.split())
    assert "What changed: system" in shown
    assert "in rhymes" in shown
    assert "Record again with --record" in shown
    assert server.count == asked


def test_auto_records_only_what_is_not_there_yet(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
    assert greenroom.run("run", "--cassette", "tape.json").code == 0
    assert server.count == 2
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=2))
    assert greenroom.run("run", "--cassette", "tape.json").code == 0
    assert server.count == 4
    assert greenroom.run("run", "--cassette", "tape.json", "--cassette-mode", "replay").code == 0
    assert server.count == 4


def test_a_key_that_was_missing_once_is_no_answer_for_ever(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", with_key(server.openai_url, tests=1))
    (greenroom.folder / "tape.json").write_text('{"greenroom_cassette": 1, "texts": {}, "entries": []}')
    refused = greenroom.run("run", "--cassette", "tape.json")
    assert refused.code == 3, refused.everything
    assert server.count == 0
    played = greenroom.run("run", "--cassette", "tape.json", environ={"NORTHLINE_KEY": KEY})
    assert played.code == 0, played.everything


def test_ctrl_c_keeps_the_answers_that_came(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(Answer(text="Hello.")) as server:
        server.queue(Answer(text="Hello."), Answer(text="Hello again."), Broken("hang"))
        greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=3))
        process = greenroom.start("run", "--concurrency", "1", "--record", "tape.json")
        server.wait_for(3)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Stopping" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert greenroom.ended(process).code == 130
    replayed = greenroom.run("run", "-k", "Talk 1", "--replay", "tape.json")
    assert replayed.code == 0, replayed.everything


def test_what_is_stopped_before_its_first_answer_leaves_the_recording_of_before(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(Answer(text="Hello.")) as server:
        greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
        assert greenroom.run("run", "--record", "tape.json").code == 0
        before = (greenroom.folder / "tape.json").read_bytes()
        server.queue(Broken("hang"))
        process = greenroom.start("run", "--record", "tape.json")
        server.wait_for(3)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Stopping" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert greenroom.ended(process).code == 130
    assert (greenroom.folder / "tape.json").read_bytes() == before


def test_failing_runs_are_recorded_and_replay_as_failures(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(Answer(text="Goodbye.")) as server:
        greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1).replace("Hello there.", "Yes?"))
        assert greenroom.run("run", "--record", "tape.json").code == 1
    assert greenroom.run("run", "--replay", "tape.json").code == 1


def test_tests_of_the_same_names_in_two_files_keep_their_own_answers(greenroom: Greenroom, server: ModelServer) -> None:
    for name in ("a", "b"):
        greenroom.write(f"{name}.greenroom.yaml", a_file_for(server.openai_url, tests=1))
    greenroom.run("run", "--record", "tape.json", "--report-json", "first.json")
    greenroom.run("run", "--concurrency", "1", "--replay", "tape.json", "--report-json", "second.json")
    reports = [
        json.loads((greenroom.folder / name).read_text(encoding="utf-8")) for name in ("first.json", "second.json")
    ]
    first, second = (
        [(run["file"], [line["text"] for line in run["transcript"]]) for run in report["runs"]] for report in reports
    )
    assert [(file, [text.replace(KEY, "[secret]") for text in talk]) for file, talk in first] == [
        (file, [text.replace(KEY, "[secret]") for text in talk]) for file, talk in second
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--record", "a.json", "--replay", "a.json"), "--record and --replay exclude each other"),
        (("--replay", "a.json", "--cassette", "a.json"), "exclude each other"),
        (("--replay", "none.json"), "There is no cassette at none.json: record it first with --record none.json"),
        (("--replay", "greenroom.yaml"), "is no cassette of this version"),
        (("--cassette-mode", "auto"), "--cassette-mode goes with --cassette"),
        (("--cassette", "a.json", "--cassette-mode", "sometimes"), "sometimes"),
        (("--record", "greenroom.yaml/tape.json"), "--record: cannot write"),
    ],
)
def test_a_recording_that_cannot_be_is_told(greenroom: Greenroom, words: tuple[str, ...], sentence: str) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    refused = greenroom.run("run", *words)
    assert refused.code == 2
    assert sentence in refused.err


def test_a_comparison_replays_too(greenroom: Greenroom, server: ModelServer) -> None:
    greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
    greenroom.write("new.md", "You answer in rhymes.")
    sides = ("compare", "as-written", "prompt:new.md", "--repeat", "3")
    recorded = greenroom.run(*sides, "--record", "tape.json", "--report-json", "first.json")
    assert recorded.code == 0, recorded.everything
    asked = server.count
    assert asked == 12
    assert greenroom.run(*sides, "--replay", "tape.json").code == 0
    assert server.count == asked
