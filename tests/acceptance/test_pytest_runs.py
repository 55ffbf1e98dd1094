"""Repeats, cassettes and cost under pytest, in a project of a person's own."""

from __future__ import annotations

import json
import re
import signal
from itertools import count
from pathlib import Path

import pytest
from tests.support.model_server import Answer, Broken, Heard, ModelServer, Tokens
from tests.support.model_server_types import Answering
from tests.support.pytest_project import Project
from tests.support.sample_files import FAILS, PASSES, a_file, a_file_for

KEY = "sk-test-4f1d0c9b8a7e6d5c"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path / "work")


def paid_file(url: str, tests: int = 2) -> str:
    """Tests of an agent whose model has a price."""
    return a_file_for(url, tests=tests).replace("openai-compatible:test-model", "openai:gpt-4.1-mini")


# Repeats


def every_other(answer: str, other: str) -> Answering:
    numbers = count()

    def reply(_heard: Heard) -> Answer:
        return Answer(text=answer if next(numbers) % 2 == 0 else other)

    return reply


def test_a_repeated_test_is_one_item_that_passes_at_its_rate(project: Project) -> None:
    content = (
        a_file_for("URL", tests=1).replace("[Hello, And then?]", "[Hello]").replace("text: hello", "text: welcome")
    )
    with ModelServer.in_thread(every_other("You are welcome.", "Go away.")) as server:
        project.write("greenroom.yaml", content.replace("URL", server.openai_url))
        closed = project.test("--greenroom-repeat=4")
        assert closed.counts == {"failed": 1}
        failure = closed.section("Talk 1")
        assert "Talk 1: 2 of 4 runs passed (50%, 95% interval 15% to 85%), flaky" in failure
        assert 'says "welcome": held in 2 of 4' in failure
        assert "►  1 agent  Go away." in failure
        assert "Talk 1: 2 of 4 runs hold (50%); the first that does not: says" in closed.out.splitlines()[-2]

        opened = project.test("--greenroom-repeat=4", "--greenroom-min-pass-rate=50%")
        assert opened.counts == {"passed": 1}
        assert "2 of 4 runs passed (50%, 95% interval 15% to 85%), flaky" in opened.section("Greenroom")


def test_a_file_says_itself_how_often_its_test_is_played(project: Project) -> None:
    project.write("greenroom.yaml", a_file(PASSES + "    repeat: 3\n"))
    assert "3 talks: 3 passed" in project.test().section("Greenroom")


# Cassettes


PYTHON_TESTS = """
import os
import pytest
from greenroom import Persona, Script, says

AGENT = {"name": "Far", "prompt": "You answer.", "llm": {"model": "openai-compatible:test-model", "base_url": "URL"}}


async def test_talks(greenroom):
    first = await greenroom.play(AGENT, caller=Persona("Ravi"), max_turns=2, checks=[says("hello")])
    second = await greenroom.play(AGENT, caller=Persona("Ravi"), max_turns=2, checks=[says("hello")])
    first.assert_passed()
    second.assert_passed()


def answer(messages):
    return os.environ.get("ANSWER", "Hello from here.")


def test_function(greenroom):
    llm = AGENT["llm"]
    greenroom.play_sync(answer, caller=Persona("Ravi"), max_turns=2, checks=[says("hello")], llm=llm).assert_passed()
"""


def test_a_recorded_project_replays_without_the_server_also_side_by_side(project: Project) -> None:
    with ModelServer.in_thread(Answer(text="Hello, it is me.")) as server:
        credentials = "credentials: {far: {api_key: '${FAR_KEY}'}}\n"
        content = a_file_for(server.openai_url, tests=3).replace("base_url:", "credential: far, base_url:")
        project.write("greenroom.yaml", credentials + content)
        project.write("test_far.py", PYTHON_TESTS.replace("URL", server.openai_url))
        options = ("--asyncio-mode=auto", "-n", "2")
        recorded = project.test("--greenroom-cassettes=record", *options, environ={"FAR_KEY": KEY})
        assert recorded.counts == {"passed": 5}, recorded.out
        asked = server.count
    files = sorted(str(path.relative_to(project.folder)) for path in project.folder.rglob("*.json"))
    assert files == [
        "cassettes/greenroom.yaml/Talk-1.json",
        "cassettes/greenroom.yaml/Talk-2.json",
        "cassettes/greenroom.yaml/Talk-3.json",
        "cassettes/test_far.py/test_function.json",
        "cassettes/test_far.py/test_talks.json",
    ]
    assert not any(KEY in project.folder.joinpath(file).read_text(encoding="utf-8") for file in files)
    assert len(json.loads(project.folder.joinpath(files[0]).read_text(encoding="utf-8"))["entries"]) == 2

    replayed = project.test("--greenroom-cassettes=replay", *options)
    assert replayed.counts == {"passed": 5}, replayed.out
    assert server.count == asked

    changed = project.test("--greenroom-cassettes=replay", "--asyncio-mode=auto", environ={"ANSWER": "Hello again."})
    assert changed.counts == {"passed": 4, "failed": 1}
    assert "What changed: messages" in changed.out
    told = " ".join(word for word in changed.out.split() if word != "E")
    assert "Record again with --greenroom-cassettes=record, or undo the change." in told


def test_a_cassette_that_is_missing_is_told_in_a_sentence(project: Project) -> None:
    project.write("greenroom.yaml", a_file_for("http://127.0.0.1:9/v1", tests=1))
    missing = project.test("--greenroom-cassettes=replay")
    assert missing.section("Talk 1").strip() == (
        "There is no cassette at cassettes/greenroom.yaml/Talk-1.json: record this test once with "
        "--greenroom-cassettes=record."
    )


def test_a_mark_and_a_setting_say_how_cassettes_are_used_and_the_command_line_overrules_both(project: Project) -> None:
    project.write(
        "test_far.py",
        """
import os, pytest
from greenroom import Script

AGENT = {"name": "Far", "prompt": "You answer.", "greeting": "Hi.",
         "llm": {"model": "openai-compatible:m", "base_url": os.environ["URL"]}}

@pytest.mark.greenroom(cassette="auto")
def test_marked(greenroom):
    greenroom.play_sync(AGENT, caller=Script("Hello")).assert_passed()

def test_unmarked(greenroom):
    greenroom.play_sync(AGENT, caller=Script("Hello")).assert_passed()

@pytest.mark.greenroom(cassete="auto")
def test_misspelled(greenroom):
    greenroom.play_sync(AGENT, caller=Script("Hello")).assert_passed()
""",
    )
    with ModelServer.in_thread() as server:
        environ = {"URL": server.openai_url}
        first = project.test(environ=environ)
        assert first.counts == {"passed": 2, "failed": 1}
        assert "takes `cassette`, `repeat` and `min_pass_rate`, not `cassete`" in first.out
        assert server.count == 2
        project.test("-k", "marked", environ=environ)
        assert server.count == 3
        project.test("-k", "marked", "-o", "greenroom_cassettes=auto", environ=environ)
        project.test("-k", "marked", "-o", "greenroom_cassettes=auto", environ=environ)
        assert server.count == 4
        project.test("-k", "marked", "--greenroom-cassettes=off", environ=environ)
        assert server.count == 6
    wrong = project.test("-o", "greenroom_cassettes=on", environ=environ)
    assert wrong.code == 4
    assert "The setting `greenroom_cassettes` is record, replay, auto or off, not `on`." in wrong.err


# Cost


def test_tests_of_models_that_cost_are_marked(project: Project) -> None:
    project.write("greenroom.yaml", paid_file("https://example.com/v1", tests=1))
    project.write("free.greenroom.yaml", a_file(PASSES))
    project.write("here.greenroom.yaml", a_file_for("http://localhost:9/v1", tests=1))
    assert project.collected("-m", "greenroom_paid") == ["greenroom.yaml::Talk 1"]
    assert project.collected("-m", "not greenroom_paid") == [
        "free.greenroom.yaml::Is told the hours",
        "here.greenroom.yaml::Talk 1",
    ]
    assert project.collected("-m", "greenroom_paid", "--greenroom-cassettes=replay") == []


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_the_budget_holds_for_the_session_and_the_rest_is_skipped_with_a_reason(
    project: Project, options: tuple[str, ...]
) -> None:
    # A million tokens of input cost 40 cents.
    with ModelServer.in_thread(Answer(text="Hello.", usage=Tokens(input=1_000_000, output=1))) as server:
        project.write("greenroom.yaml", paid_file(server.openai_url, tests=8))
        played = project.test("--greenroom-max-cost=1.00", "-rs", *options, environ={"OPENAI_API_KEY": KEY})
        assert played.code == 0, played.out
        assert 1 <= played.counts["passed"] <= 2, played.out
        assert played.counts["passed"] + played.counts["skipped"] == 8
        assert server.count <= 5
    assert "The budget of --greenroom-max-cost (1.00 US dollars) is used up." in played.out
    told = played.section("Greenroom")
    assert re.search(r"^[67] tests were skipped, since the budget of --greenroom-max-cost is used up\.$", told, re.M)
    assert re.search(r"cost \$[12]\.\d\d$", told, re.M)
    assert KEY not in played.out + played.err


def test_a_secret_that_is_not_set_fails_the_test_that_needs_it_and_no_other(project: Project) -> None:
    content = "credentials: {far: {api_key: '${FAR_KEY}'}}\n" + a_file_for("http://127.0.0.1:9/v1", tests=1)
    project.write("greenroom.yaml", content.replace("base_url:", "credential: far, base_url:"))
    project.write("fine.greenroom.yaml", a_file(PASSES, FAILS))
    played = project.test()
    assert played.counts == {"passed": 1, "failed": 2}
    assert played.section("Talk 1").strip() == (
        "greenroom.yaml:1:30: the environment variable `FAR_KEY` is not set: set it, or take this out"
    )


# Ctrl-C


def test_ctrl_c_in_a_talk_ends_pytest_as_ever(project: Project) -> None:
    with ModelServer.in_thread(Broken("hang")) as server:
        project.write("greenroom.yaml", a_file_for(server.openai_url, tests=2))
        process = project.start()
        server.wait_for(1)
        process.send_signal(signal.SIGINT)
        ended = project.ended(process)
    assert ended.code == 2
    assert "KeyboardInterrupt" in ended.out
    assert "Task was destroyed" not in ended.out + ended.err


# Other people's projects


def test_a_project_without_greenroom_files_loads_nothing_of_it(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    project.write("greenroom.yaml", a_file("callr: wrong"))
    project.write(
        "plain/test_plain.py",
        """
import asyncio, sys

def test_plain():
    assert [name for name in sys.modules if name.partition(".")[0] in ("greenroom", "pydantic", "rich")] == [
        "greenroom", "greenroom.pytest_plugin"
    ]
    assert asyncio.get_event_loop_policy().__class__.__module__.startswith("asyncio")
""",
    )
    played = project.test("plain", "-p", "no:anyio", "-p", "no:asyncio", "-p", "no:hypothesispytest", is_cold=True)
    assert played.counts == {"passed": 1}, played.out
    assert "Greenroom" not in played.out


def test_collecting_imports_no_library_of_models_and_starts_no_event_loop(project: Project) -> None:
    project.write("greenroom.yaml", paid_file("https://example.com/v1"))
    project.write(
        "conftest.py",
        """
import asyncio, sys

def pytest_collection_finish(session):
    assert len(session.items) == 2
    heavy = {"pydantic_ai", "openai", "httpx", "aiohttp", "mcp", "rich", "greenroom.engine", "greenroom.local"}
    assert not heavy & set(sys.modules)
    assert asyncio._get_running_loop() is None
""",
    )
    assert project.test("--collect-only", is_cold=True).code == 0
