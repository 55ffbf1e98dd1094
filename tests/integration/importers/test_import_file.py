"""Files are imported, and what is written of them loads and plays."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.import_samples import SAMPLES
from tests.support.import_samples_of_platforms import ELEVENLABS
from tests.support.import_samples_of_tools import CHATS

from greenroom.batch import plan_runs
from greenroom.engine import play_test
from greenroom.files import FileMistakes, load_files
from greenroom.importers import Imported, ImportOptions, detect, import_file, importers, to_yaml
from greenroom.local import open_ports
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm
from greenroom.model.run import Run

AGENT = """\
name: Kaj's
prompt: You book tables at Kaj's.
can_end_call: true
tools:
  - {name: find_table, parameters: {type: object, properties: {day: {type: string}}}}
"""


def _put(folder: Path, sample: str) -> Path:
    name, text = SAMPLES[sample]
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def _written(result: Imported, folder: Path) -> Path:
    file = folder / "greenroom.yaml"
    file.write_text(to_yaml(result, folder=folder), encoding="utf-8")
    return file


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_format_of_a_file_is_told_from_what_it_holds(sample: str, tmp_path: Path) -> None:
    name, text = SAMPLES[sample]

    assert detect(text.encode(), name) == sample.split()[0]
    assert detect(text.encode(), "download") == sample.split()[0]
    assert import_file(None, _put(tmp_path, sample)).tests


@pytest.mark.parametrize("text", ["", "hello", "{}", "[]", "[1]", "agent: {}\ntests: []\n", "\x00", "{broken"])
def test_a_file_of_no_known_format_is_not_guessed_at(text: str, tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)

    assert detect(text.encode(), "other.json") is None
    with pytest.raises(UserMistake, match=r"other\.json: it is not clear what made this file: name the format"):
        import_file(None, file)


@pytest.mark.parametrize("sample", SAMPLES)
def test_what_was_imported_loads_from_its_yaml_as_it_was(sample: str, tmp_path: Path) -> None:
    result = import_file(sample.split()[0], _put(tmp_path, sample))

    suite = load_files([_written(result, tmp_path)])

    assert [case.test for case in suite.cases] == result.tests
    assert {case.agent.name: case.agent for case in suite.cases} == {agent.name: agent for agent in result.agents}


_SAID = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60).filter(lambda text: text.strip() != "")
_LINES = st.lists(st.sampled_from(["one", "  two", "- three: 3", "# four", "", "'", '"', "{{x}}", "a.md"]), max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.lists(_SAID | _LINES.map("\n".join).filter(lambda text: text.strip() != ""), min_size=1, max_size=4))
def test_any_words_survive_the_way_through_yaml(said: list[str]) -> None:
    lines = [{"messages": [{"role": "system", "content": text}, {"role": "user", "content": text}]} for text in said]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "chats.jsonl"
        file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        result = import_file("chat", file)

        suite = load_files([_written(result, folder)])

    assert [case.test for case in suite.cases] == result.tests
    assert [case.agent for case in suite.cases] == [
        next(agent for agent in result.agents if agent.name == (test.agent or result.agents[0].name))
        for test in result.tests
    ]


def test_the_top_of_the_yaml_says_what_was_not_carried(tmp_path: Path) -> None:
    text = to_yaml(import_file("livekit", _put(tmp_path, "livekit")), schema="schema.json")

    first, second, *rest = text.splitlines()
    assert first == "# yaml-language-server: $schema=schema.json"
    assert second == "# Not carried over, or carried with another meaning:"
    assert any(line.startswith("# - line 16, scenarios[0].userdata.expected_state: ") for line in rest)


def test_remarks_can_be_left_out(tmp_path: Path) -> None:
    assert "#" not in to_yaml(import_file("livekit", _put(tmp_path, "livekit")), remarks=False).splitlines()[0]


# The agent of another file


def test_tests_are_made_for_the_agent_of_a_file(tmp_path: Path) -> None:
    agent_file = tmp_path / "agents" / "kaj.yaml"
    agent_file.parent.mkdir()
    agent_file.write_text(AGENT)
    out = tmp_path / "tests"
    out.mkdir()
    result = import_file(
        "elevenlabs", _put(tmp_path, "elevenlabs"), ImportOptions(agent=agent_file, tools={"tool_9x": "find_table"})
    )

    suite = load_files([_written(result, out)])

    assert "agent: '../agents/kaj.yaml'" in (out / "greenroom.yaml").read_text()
    assert [case.test for case in suite.cases] == result.tests
    assert {case.agent.name for case in suite.cases} == {"Kaj's"}


def test_what_the_agent_of_a_file_cannot_do_is_listed(tmp_path: Path) -> None:
    agent_file = tmp_path / "kaj.yaml"
    agent_file.write_text(AGENT)
    result = import_file("elevenlabs", _put(tmp_path, "elevenlabs"), ImportOptions(agent=agent_file))

    said = "\n".join(map(str, result.not_carried))
    assert "a prepared answer of `tool_9x`: `Kaj's` has no tool `tool_9x`" in said
    assert "a prepared answer of `get_hours`" in said
    assert not result.tests[0].tool_mocks


def test_mistakes_in_the_agents_file_are_told_with_their_places(tmp_path: Path) -> None:
    agent_file = tmp_path / "kaj.yaml"
    agent_file.write_text("name: Kaj's\nprompt: Hi\ntoolz: []\n")

    with pytest.raises(FileMistakes, match=r"kaj\.yaml:3:1: .*did you mean `tools`"):
        import_file("elevenlabs", _put(tmp_path, "elevenlabs"), ImportOptions(agent=agent_file))


# Files that cannot be imported


def test_a_format_that_does_not_exist_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"There is no format `promptfo`; did you mean `promptfoo`\?"):
        import_file("promptfo", tmp_path / "x.yaml")


@pytest.mark.parametrize(("name", "said"), [("gone.json", "there is no file"), (".", "is a folder")])
def test_a_file_that_cannot_be_read_is_told(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=said):
        import_file("vapi", tmp_path / name)


def test_mistakes_name_the_file_and_the_place(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{\n  "tests": [,]\n}')

    with pytest.raises(UserMistake, match=r"broken\.json: line 2, column 13: this is not JSON"):
        import_file("elevenlabs", file)


def test_a_file_of_another_tool_is_refused_with_the_question_whether_it_is_one(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"scenarios\.yaml: line 1, column 1: this is not JSON"):
        import_file("elevenlabs", _put(tmp_path, "livekit"))
    with pytest.raises(
        UserMistake, match=r"tests\.json: there is no test for Greenroom in it: is it an export of Vapi"
    ):
        import_file("vapi", _put(tmp_path, "elevenlabs"))


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + CHATS.replace("\n", "\r\n").encode())

    assert len(import_file("chat", file).tests) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_in_another_encoding_is_told_to_be_saved_anew(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "tests.json"
    file.write_bytes(ELEVENLABS.replace("Tove", "Töve").encode(encoding))

    with pytest.raises(UserMistake, match=r"save (it|the file) as UTF-8"):
        import_file("elevenlabs", file)


# Plug-ins


def _package(folder: Path, name: str, body: str, entry: str) -> None:
    (folder / f"{name}.py").write_text(body)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[greenroom.importers]\n{entry}\n")


PLUG_IN = """\
from greenroom.importers import Imported, Importer
from greenroom.model.agent import Agent
from greenroom.model.case import Caller, Test

def read(data, options):
    test = Test(name="From a plug-in", caller=Caller(persona=data.decode()))
    return Imported([Agent(name="A", prompt="P")], [test])

importer = Importer("talkbook", "Talkbook", (".talk",), "talks", read, lambda root: root == "a talk")
"""


def test_another_package_can_bring_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, "a_talkbook_plug_in", PLUG_IN, "talkbook = a_talkbook_plug_in:importer")
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "one.talk"
    file.write_text("a talk")

    result = import_file(None, file)

    assert "talkbook" in importers()
    assert result.tests[0].name == "From a plug-in"


@pytest.mark.parametrize(
    ("body", "said"), [("raise RuntimeError('secret')", "could not be loaded"), ("importer = 3", "is no importer")]
)
def test_a_broken_plug_in_is_told_when_it_is_used_and_harms_no_other(
    body: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"a_broken_plug_in_{len(body)}"
    _package(tmp_path, module, body, f"broken = {module}:importer")
    monkeypatch.syspath_prepend(str(tmp_path))
    file = _put(tmp_path, "livekit")

    assert import_file("livekit", file).tests
    with pytest.raises(UserMistake, match=said) as refused:
        import_file("broken", file)
    assert "secret" not in str(refused.value)


def test_a_plug_in_cannot_take_the_name_of_greenrooms_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, "a_vapi_plug_in", PLUG_IN, "vapi = a_vapi_plug_in:importer")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert importers()["vapi"].title == "Vapi evals and simulations"


# Played

_RULES: list[dict[str, Any]] = [
    {"role": "caller", "say": "That is all, bye.", "hang_up": True},
    {"role": "judge", "answer": "yes", "reason": "It does.", "score": 90, "summary": "Good."},
]


async def _play(file: Path, rules: list[dict[str, Any]]) -> list[Run]:
    runs: list[Run] = []
    llm = Llm.model_validate({"model": "scripted:agent", "script": [*rules, *_RULES]})
    async with open_ports({}, os.environ) as ports:
        for case in load_files([file]).cases:
            agent = case.agent.model_copy(update={"llm": llm})
            plans = plan_runs(case.test, agent, case.others, new_id=iter(map(str, range(99))).__next__)
            runs.extend([await play_test(plan, ports) for plan in plans])
    return runs


@pytest.mark.parametrize("sample", SAMPLES)
async def test_what_was_imported_plays_to_a_verdict(sample: str, tmp_path: Path) -> None:
    result = import_file(sample.split()[0], _put(tmp_path, sample))

    runs = await _play(_written(result, tmp_path), [{"say": "I am not sure."}])

    assert len(runs) >= len(result.tests)
    assert {run.status for run in runs} <= {"passed", "failed"}, [run.error for run in runs]


async def test_a_recorded_chat_passes_with_an_agent_that_does_what_was_recorded(tmp_path: Path) -> None:
    result = import_file("chat", _put(tmp_path, "chat"))
    rules = [
        {"when": {"tool": "next_ferry"}, "say": "It leaves at 14:20."},
        {"when": {"tool": "price_of"}, "say": "Four euro."},
        {"when": "ferry", "call": {"tool": "next_ferry", "arguments": {"to": "Ven"}}},
        {"when": "bicycle", "call": {"tool": "price_of", "arguments": {"what": "bicycle"}}},
    ]

    runs = await _play(_written(result, tmp_path), rules)

    assert [run.status for run in runs] == ["passed", "passed"]
    answers = [line.result for run in runs for line in run.transcript if line.role == "tool"]
    assert answers == [{"at": "14:20"}, "4 euro"]


async def test_an_imported_eval_tells_a_wrong_call_from_the_right_one(tmp_path: Path) -> None:
    result = import_file("vapi", _put(tmp_path, "vapi"))
    file = _written(result, tmp_path)

    def rules(day: str) -> list[dict[str, Any]]:
        return [
            {"when": {"tool": "bookDemo"}, "say": "It is booked as D-7."},
            {"when": {"tool": "sendPrices"}, "say": "On its way."},
            {"when": "tuesday", "call": {"tool": "bookDemo", "arguments": {"day": day, "time": "15:00"}}},
            {"when": "price", "call": {"tool": "sendPrices"}},
            {"when": "bye", "say": "Bye!", "hang_up": True},
            {"say": "Hello, this is Ada (AI)."},
        ]

    assert [run.status for run in await _play(file, rules("Tuesday"))] == ["passed", "passed"]
    assert [run.status for run in await _play(file, rules("Friday"))] == ["failed", "passed"]


async def test_an_imported_tool_test_is_decided_by_the_call_that_the_agent_picks(tmp_path: Path) -> None:
    file = _written(import_file("elevenlabs", _put(tmp_path, "elevenlabs")), tmp_path)
    good = {"guests": "2", "day": "Sunday", "wish": "a table for two", "language": "en"}
    rules: list[dict[str, Any]] = [
        {"when": "free on sunday", "call": {"tool": "find_table", "arguments": good}},
        {"when": "goodbye", "say": "Goodbye!", "hang_up": True},
        {"when": {"tool": "cancel_table"}, "say": "It is cancelled."},
        {"say": "Half past ten."},
    ]

    runs = {run.test: run.status for run in await _play(file, rules)}
    assert set(runs.values()) == {"passed"}

    wrong = [{"when": "checking", "call": {"tool": "cancel_table"}}, *rules]
    runs = {run.test: run.status for run in await _play(file, wrong)}
    assert runs["Never cancels unasked"] == "failed"
