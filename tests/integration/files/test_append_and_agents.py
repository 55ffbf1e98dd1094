"""Tests added to files on disk, and agents read from files without tests."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from greenroom.files.agents import find_file, load_agents
from greenroom.files.append import CannotAppend, append_tests
from greenroom.files.load import load_files
from greenroom.files.mistakes import FileMistakes
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake

NEW = Test.model_validate({"name": "New", "caller": {"messages": ["Hi"]}})
AGENT = "name: Desk\nprompt: You help.\n"
TESTS = "agent: desk.yaml\ntests:\n  - {name: Old, caller: {messages: [Hi]}}  # kept\n"


def put(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_test_is_added_and_the_file_loads_with_it(tmp_path: Path) -> None:
    file = put(tmp_path, desk=AGENT, greenroom=TESTS) / "greenroom.yaml"
    file.chmod(0o640)
    append_tests(file, [NEW])
    assert [case.test.name for case in load_files([file]).cases] == ["Old", "New"]
    assert "# kept" in file.read_text(encoding="utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["desk.yaml", "greenroom.yaml"]


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    put(tmp_path, desk=AGENT, real=TESTS)
    link = tmp_path / "greenroom.yaml"
    link.symlink_to(tmp_path / "real.yaml")
    append_tests(link, [NEW])
    assert link.is_symlink()
    assert "name: New" in (tmp_path / "real.yaml").read_text(encoding="utf-8")


def test_a_file_that_is_an_agent_takes_no_tests_and_stays_as_it_is(tmp_path: Path) -> None:
    file = put(tmp_path, desk=AGENT) / "desk.yaml"
    with pytest.raises(CannotAppend):
        append_tests(file, [NEW])
    assert file.read_text(encoding="utf-8") == AGENT


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="there is no file"):
        append_tests(tmp_path / "greenroom.yaml", [NEW])


def test_an_agent_is_read_from_a_file_without_tests_and_from_one_that_is_an_agent(tmp_path: Path) -> None:
    put(tmp_path, desk=AGENT, alone="agent: {name: Alone, prompt: p}\nvariants: {kind: {prompt: Be kind.}}\n")
    assert load_agents(tmp_path / "desk.yaml").cases[0].agent.name == "Desk"
    suite = load_agents(tmp_path / "alone.yaml")
    assert suite.with_variant("kind").cases[0].agent.prompt == "Be kind."


def test_mistakes_in_tests_do_not_keep_anybody_from_their_agents(tmp_path: Path) -> None:
    put(tmp_path, greenroom="agents: [{name: A, prompt: p}, {name: B, prompt: p}]\ntests: [{nme: x}]\n")
    suite = load_agents(tmp_path / "greenroom.yaml")
    assert [(case.agent.name, list(case.others)) for case in suite.cases] == [("A", ["B"]), ("B", ["A"])]


def test_mistakes_in_agents_are_told_with_their_place(tmp_path: Path) -> None:
    put(tmp_path, greenroom="agent: {name: A, promt: p}\n")
    with pytest.raises(FileMistakes, match=r"greenroom\.yaml:1:18: unknown field `promt`; did you mean `prompt`\?"):
        load_agents(tmp_path / "greenroom.yaml")
    with pytest.raises(FileMistakes, match="there is no file"):
        load_agents(tmp_path / "nowhere.yaml")
    put(tmp_path, none="tests: []\n")
    with pytest.raises(FileMistakes, match="there is no agent"):
        load_agents(tmp_path / "none.yaml")


def test_of_several_files_the_one_with_the_usual_name_is_meant(tmp_path: Path) -> None:
    put(tmp_path, desk=AGENT, one=TESTS, two=TESTS)
    with pytest.raises(UserMistake, match="several test files"):
        find_file(tmp_path)
    assert find_file(tmp_path / "two.yaml") == tmp_path / "two.yaml"
    put(tmp_path, greenroom=TESTS)
    assert find_file(tmp_path) == tmp_path / "greenroom.yaml"
