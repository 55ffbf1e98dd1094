"""Tests in Python with the `greenroom` fixture, in a project of a person's own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.model_server import Answer, ModelServer
from tests.support.pytest_project import Outcome, Project
from tests.support.sample_files import a_file

AGENT = """
from greenroom import Agent, Llm, ScriptRule, Tool

AGENT = Agent(
    name="Northline Dental",
    prompt="You move bookings.",
    greeting="Northline Dental, hello.",
    tools=[Tool(name="book_slot", parameters={"type": "object", "properties": {"day": {"type": "string"}}})],
    llm=Llm(model="scripted:desk", script=[
        ScriptRule(when="monday", call={"tool": "book_slot", "arguments": {"day": "Monday"}}),
        ScriptRule(when={"tool": "book_slot"}, say="It is done: Monday at ten, I guarantee it."),
        ScriptRule(role="caller", when="hello", say="Please move me to Monday."),
        ScriptRule(role="caller", hang_up=True),
        ScriptRule(role="judge", when="read back", answer="yes", quote="Monday at ten"),
    ]),
)
"""
PYTHON_TESTS = """
import pytest
from agents import AGENT
from greenroom.testing import History, Persona, Script, calls_tool, judge, never_says, says

RAVI = Persona("Ravi, a regular. He wants to move his booking to Monday.")


def test_holds(greenroom):
    run = greenroom.play_sync(
        AGENT, caller=RAVI, checks=[calls_tool("book_slot", ["day"]), judge("Was the time read back?")]
    )
    run.assert_passed().assert_called("book_slot", day="Monday").assert_says("monday").assert_ended_by("caller_hung_up")
    assert run.reply(0) == "Northline Dental, hello."
    assert run.reply(-1) == run.replies[-1] == "It is done: Monday at ten, I guarantee it."
    assert [call.name for call in run.tool_calls] == ["book_slot"]
    assert run.cost_usd == 0 and run.tokens and run.pass_rate == 1.0 and run.status == "passed"


def test_breaks_a_check(greenroom):
    greenroom.play_sync(AGENT, caller=RAVI, checks=[never_says("guarantee")]).assert_passed()


def test_breaks_an_assertion(greenroom):
    run = greenroom.play_sync(AGENT, caller=RAVI)
    run.assert_called("book_slot", day="Tuesday")


def test_breaks_elsewhere(greenroom):
    run = greenroom.play_sync(AGENT, caller=RAVI)
    assert run.reply(-1) == "Good bye."


def test_misspells(greenroom):
    greenroom.play_sync(AGENT, caller=RAVI, max_turn=3)


def test_checks_a_tool_that_nobody_has(greenroom):
    greenroom.play_sync(AGENT, caller=RAVI, checks=[calls_tool("book_slots")])


class TestFiles:
    def test_takes_a_file_and_its_variant(self, greenroom):
        plain = greenroom.play_sync("desk/front.yaml", caller=History("Does it hurt?"))
        plain.assert_says("guarantee")
        ravi = {"model": "scripted:ravi", "script": [{"role": "caller", "say": "Does it hurt?"}]}
        honest = greenroom.play_sync(
            "desk/front.yaml", caller="Ravi is afraid.", variant="honest", max_turns=1, llm=ravi
        )
        honest.assert_passed().assert_says("a little").assert_never_says("guarantee")

    def test_takes_data(self, greenroom):
        run = greenroom.play_sync(
            {"name": "Echo", "prompt": "You answer.", "llm": {"model": "scripted:e", "script": [{"say": "Yes."}]}},
            caller=["Hello?", "Are you there?"], checks=[{"type": "says", "text": "yes"}], max_turns=3,
        )
        run.assert_passed()

    def test_is_told_of_a_file_that_is_not_there(self, greenroom):
        greenroom.play_sync("desk/frond.yaml", caller=RAVI)


def answer(messages):
    return f"You said: {messages[-1]['content']}"


class Bot:
    async def __call__(self, messages):
        return {"reply": "Booked.", "tool_calls": [{"name": "book", "arguments": {"day": "Monday"}}]}


def test_takes_functions(greenroom):
    greenroom.play_sync(answer, caller=Script("Ping", "Pong"), checks=[says("You said: Pong")]).assert_passed()
    run = greenroom.play_sync(Bot(), caller=Script("Book Monday"), checks=[calls_tool("book", {"day": "Monday"})])
    run.assert_passed()


def test_a_function_that_raises_is_told_in_a_sentence(greenroom):
    def broken(messages):
        raise KeyError("day")

    greenroom.play_sync(broken, caller=Script("Ping")).assert_passed()


def test_nobody_plays_the_caller(greenroom):
    greenroom.play_sync(answer, caller=RAVI)


@pytest.mark.greenroom(repeat=4)
@pytest.mark.parametrize("days", ["Monday"])
def test_repeats(greenroom, days):
    run = greenroom.play_sync(AGENT, caller=RAVI, variations=[{"name": "calm"}, {"name": "hurried"}])
    assert len(run.assert_passed().runs) == 8
    assert [summary.rate for summary in run.summaries] == [1.0, 1.0]
"""
FRONT = (
    a_file()
    + """
variants:
  honest: {llm: {model: "scripted:honest", script: [{say: It may hurt a little.}]}}
"""
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    return Project(tmp_path / "work")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with tests in Python and nothing else."""
    project = Project(tmp_path_factory.mktemp("python"))
    project.write("agents.py", AGENT)
    project.write("desk/front.yaml", FRONT)
    project.write("test_booking.py", PYTHON_TESTS)
    return project


@pytest.fixture(scope="module")
def played(place: Project) -> Outcome:
    """Its tests, played once."""
    return place.test("--junit-xml=junit.xml", "-o", "pythonpath=.")


def test_sync_tests_play_agents_of_every_kind(played: Outcome) -> None:
    assert played.counts == {"failed": 8, "passed": 5}, played.out


def test_the_failure_of_assert_passed_is_the_talk_at_the_test_s_own_line(played: Outcome) -> None:
    failure = played.section("test_breaks_a_check")
    assert ">       greenroom.play_sync(AGENT, caller=RAVI, checks=[never_says" in failure
    assert "E       ►  1 agent  It is done: Monday at ten, I guarantee it." in failure
    assert "test_booking.py:" in failure
    assert "src/greenroom" not in played.out


def test_the_failure_of_a_fluent_assertion_marks_the_line_that_it_rests_on(played: Outcome) -> None:
    failure = played.section("test_breaks_an_assertion")
    assert "`book_slot` ran 1 time, but with `day` “Monday”, not “Tuesday”." in failure
    assert 'E       ►  1 tool   book_slot(day: "Monday")' in failure


def test_any_other_failure_shows_the_talk_below_it(played: Outcome) -> None:
    assert "assert 'It is done: ...guarantee it.' == 'Good bye.'" in played.section("test_breaks_elsewhere")
    assert "   1 caller       Please move me to Monday." in played.section("Greenroom: test_breaks_elsewhere")


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ("test_misspells", "the test: unknown field `max_turn`; did you mean `max_turns`?"),
        ("test_checks_a_tool_that_nobody_has", "has no tool `book_slots`; did you mean `book_slot`?"),
        ("TestFiles.test_is_told_of_a_file_that_is_not_there", "no file `desk/frond.yaml`; did you mean `desk/front"),
        (
            "test_nobody_plays_the_caller",
            'Nobody plays the caller of `test_nobody_plays_the_caller`: give `llm="openai',
        ),
    ],
)
def test_a_mistake_is_one_sentence_at_the_line_that_made_it(played: Outcome, test: str, sentence: str) -> None:
    failure = played.section(test)
    assert sentence in failure
    assert failure.count("test_booking.py:") == 1


def test_a_function_that_raises_is_told_with_the_line_that_raised(played: Outcome, place: Project) -> None:
    lines = place.folder.joinpath("test_booking.py").read_text(encoding="utf-8").splitlines()
    raising = 1 + lines.index('        raise KeyError("day")')
    failure = played.section("test_a_function_that_raises_is_told_in_a_sentence")
    assert f"KeyError: 'day' (test_booking.py:{raising})" in failure


def test_repeats_and_variations_are_summed_up_at_the_end(played: Outcome) -> None:
    rates = [line for line in played.section("Greenroom").splitlines() if "95% interval" in line]
    assert [line.partition(":")[0] for line in rates] == [
        "test_repeats[Monday] [calm]",
        "test_repeats[Monday] [hurried]",
    ]
    assert all("4 of 4 runs passed (100%, 95% interval" in line for line in rates)


def test_junit_has_the_figures_of_a_python_test(played: Outcome, place: Project) -> None:
    cases = ElementTree.parse(place.folder / "junit.xml").getroot().iter("testcase")
    case = next(case for case in cases if case.get("name") == "test_repeats[Monday]")
    properties = {entry.get("name"): entry.get("value") for entry in case.iter("property")}
    assert (properties["greenroom_runs"], properties["greenroom_passed"]) == ("8", "8")


ASYNC_TESTS = """
import asyncio
import pytest
from agents import AGENT
from greenroom import Script, says

MARK


async def test_async(greenroom):
    loop = asyncio.get_running_loop()
    heard = asyncio.Queue()

    async def answer(messages):
        assert asyncio.get_running_loop() is loop
        await heard.put(messages)
        return "Certainly."

    first, second = await asyncio.gather(
        greenroom.play(answer, caller=Script("Ping", "Pong"), checks=[says("certainly")]),
        greenroom.play(AGENT, caller=Script("Move me to Monday"), checks=[says("monday")]),
    )
    first.assert_passed()
    second.assert_passed().assert_called("book_slot")
    assert [message["role"] for message in heard.get_nowait()] == ["user"]
    assert [message["content"] for message in heard.get_nowait()] == ["Ping", "Certainly.", "Pong"]
    greenroom.play_sync(AGENT, caller=Script("Move me to Monday")).assert_passed()


async def test_async_failure(greenroom):
    (await greenroom.play(AGENT, caller=Script("Move me to Monday"), checks=[says("tuesday")])).assert_passed()
"""


@pytest.mark.parametrize(
    ("mark", "options"),
    [
        ("pytestmark = pytest.mark.asyncio", ("-p", "no:anyio")),
        ("", ("--asyncio-mode=auto",)),
        ("pytestmark = pytest.mark.anyio", ("-k", "not trio")),
        ("pytestmark = pytest.mark.asyncio", ("-n", "2")),
    ],
    ids=["asyncio", "asyncio-auto", "anyio", "xdist"],
)
def test_async_tests_play_in_their_own_event_loop(project: Project, mark: str, options: tuple[str, ...]) -> None:
    project.write("agents.py", AGENT)
    project.write("test_async.py", ASYNC_TESTS.replace("MARK", mark))
    played = project.test("-o", "pythonpath=.", *options)
    assert (played.counts["failed"], played.counts["passed"]) == (1, 1), played.out
    assert "E       ►  1 agent  It is done: Monday at ten, I guarantee it." in played.out


def test_without_any_async_plugin_play_sync_is_enough(project: Project) -> None:
    project.write("pytest.ini", "[pytest]\nfilterwarnings = error\n")
    project.write("agents.py", AGENT)
    project.write(
        "test_sync.py",
        "from agents import AGENT\n"
        "def test_it(greenroom):\n"
        "    greenroom.play_sync(AGENT, caller=['Monday']).assert_passed()\n",
    )
    played = project.test("-o", "pythonpath=.", "-p", "no:asyncio", "-p", "no:anyio", "-p", "no:xdist")
    assert played.counts == {"passed": 1}


URL_TESTS = """
import os
from greenroom import Persona, Script, says


def test_url(greenroom):
    run = greenroom.play_sync(os.environ["AGENT"], caller=Script("Hello", "Bye"), checks=[says("far away")])
    run.assert_passed()


def test_url_with_a_model_for_the_caller(greenroom):
    caller_llm = {"model": "openai-compatible:caller", "base_url": os.environ["AGENT"]}
    run = greenroom.play_sync(os.environ["AGENT"], caller=Persona("Ravi"), llm=caller_llm, max_turns=1)
    run.assert_passed()
"""


def test_an_agent_at_a_url_is_asked_over_http(project: Project) -> None:
    project.write("test_url.py", URL_TESTS)
    with ModelServer.in_thread(Answer(text="Hello from far away.")) as server:
        played = project.test(environ={"AGENT": server.openai_url})
        assert played.counts == {"passed": 2}, played.out
        assert [message.text for message in server.requests[1].messages] == ["Hello", "Hello from far away.", "Bye"]
    gone = project.test("-k", "not caller", environ={"AGENT": server.openai_url})
    assert gone.counts == {"failed": 1, "deselected": 1}
    assert "could not be reached" in gone.out or "did not answer" in gone.out, gone.out
