"""Which files are taken for test files."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.files import find_files
from greenroom.model.errors import UserMistake

TESTS = "agent: {name: Desk, prompt: Book.}\ntests:\n  - {name: A, caller: {persona: Ravi}}\n"


def write(folder: Path, *names: str, text: str = TESTS) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def found(folder: Path, *paths: str) -> list[str]:
    return [str(file.relative_to(folder)) for file in find_files([folder / path for path in paths] or [folder])]


def test_a_folder_is_searched_for_test_files_in_sorted_order(tmp_path: Path) -> None:
    write(tmp_path, "z.yaml", "a/b.yml", "a/a.yaml", "README.md")
    write(tmp_path, "greenroom.yaml", "pay.greenroom.yaml", text="agent: desk.yaml\n")
    write(tmp_path, "compose.yaml", text="services: {}\ntests: []\n")
    write(tmp_path, "nested.yaml", text="x:\n  agent: 1\n  tests: []\n")
    assert found(tmp_path) == ["a/a.yaml", "a/b.yml", "greenroom.yaml", "pay.greenroom.yaml", "z.yaml"]


def test_hidden_folders_and_those_of_others_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", ".git/a.yaml", "node_modules/x/a.yaml", ".venv/a.yaml", "env/a.yaml", ".hidden.yaml")
    write(tmp_path, "env/pyvenv.cfg")
    assert found(tmp_path) == ["a.yaml"]


def test_a_file_that_is_named_is_taken_as_it_is_and_once(tmp_path: Path) -> None:
    write(tmp_path, "b.yaml", "a.yaml")
    write(tmp_path, "odd.txt", text="x")
    assert found(tmp_path, "odd.txt", "b.yaml", "", "a.yaml") == ["odd.txt", "b.yaml", "a.yaml"]


def test_without_paths_the_current_folder_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/b.yaml")
    monkeypatch.chdir(tmp_path)
    assert find_files([]) == [Path("a/b.yaml")]


def test_links_that_lead_in_a_circle_do_no_harm(tmp_path: Path) -> None:
    write(tmp_path, "a/b.yaml")
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere.yaml")
    assert found(tmp_path) == ["a/b.yaml"]


def test_where_there_are_no_tests_the_next_step_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserMistake, match=r"There are no tests in `.*`: run `greenroom init` to write a first one\."):
        find_files([tmp_path])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserMistake, match=r"There are no tests in this folder: run `greenroom init`"):
        find_files([])


def test_a_path_that_does_not_exist_is_told_with_what_was_meant(tmp_path: Path) -> None:
    write(tmp_path, "booking.yaml")
    with pytest.raises(
        UserMistake, match=r"There is no file or folder `.*/boking\.yaml`; did you mean `.*/booking\.yaml`\?"
    ):
        find_files([tmp_path / "boking.yaml"])
    with pytest.raises(UserMistake, match=r"There is no file or folder `.*/x/y`: check its spelling\."):
        find_files([tmp_path / "x" / "y"])
