from __future__ import annotations

from pathlib import Path

import pytest

from greenroom.model.errors import UserMistake
from greenroom.report.files import make_writable, write_file


def test_folders_above_a_report_are_made_and_no_empty_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "junit.xml"
    make_writable(path, "--junit")
    assert path.parent.is_dir()
    assert not path.exists()


def test_a_file_that_is_there_keeps_its_content_until_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text("old", encoding="utf-8")
    make_writable(path, "--junit")
    assert path.read_text(encoding="utf-8") == "old"
    write_file(path, "new")
    assert path.read_text(encoding="utf-8") == "new"


def test_a_folder_in_the_place_of_the_file_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"--junit: cannot write to .*: is a directory"):
        make_writable(tmp_path, "--junit")


def test_a_file_in_the_place_of_a_folder_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserMistake, match="--report-json: cannot write to"):
        make_writable(tmp_path / "file" / "report.json", "--report-json")
    with pytest.raises(UserMistake, match="could not be written"):
        write_file(tmp_path / "file" / "report.json", "{}")
