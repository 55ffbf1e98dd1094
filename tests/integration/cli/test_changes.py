"""Which files have changed since they were read."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.sample_files import FAILS, PASSES, a_file

from greenroom.cli.changes import Known, wait_for_change
from greenroom.files.load import load_files
from greenroom.files.text_files import noted_reads
from greenroom.model.errors import UserMistake


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("greenroom.yaml").write_text(a_file(PASSES).replace("a dentist.", "a dentist.\n"), encoding="utf-8")
    return tmp_path


def known(*paths: str) -> Known:
    """What is known after the paths were loaded, however that went."""
    with noted_reads() as contents, suppress(UserMistake):
        load_files([Path(path) for path in paths])
    return Known(contents, [Path(path) for path in paths])


def rewrite(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_nothing_changed_says_nothing(folder: Path) -> None:
    assert known().changed() == []


def test_the_same_content_written_again_is_no_change(folder: Path) -> None:
    before = known()
    path = Path("greenroom.yaml")
    path.write_bytes(path.read_bytes())
    os.utime(path, (1, 1))
    assert before.changed() == []
    assert not before.looks_changed()


def test_what_an_editor_leaves_beside_the_files_is_no_change(folder: Path) -> None:
    before = known()
    for name in (".greenroom.yaml.swp", "greenroom.yaml~", "4913", "#greenroom.yaml#"):
        Path(name).write_text(a_file(FAILS), encoding="utf-8")
    assert before.changed() == []


def test_a_file_that_holds_something_else_is_gone_or_is_new_has_changed(folder: Path) -> None:
    before = known()
    rewrite(Path("greenroom.yaml"), "from nine", "from ten")
    assert before.changed() == [Path("greenroom.yaml")]
    Path("greenroom.yaml").unlink()
    Path("sub").mkdir()
    Path("sub/more.greenroom.yaml").write_text(a_file(FAILS), encoding="utf-8")
    assert before.changed() == [Path("greenroom.yaml"), Path("sub/more.greenroom.yaml")]


def test_a_file_with_mistakes_is_known_too(folder: Path) -> None:
    rewrite(Path("greenroom.yaml"), "caller:", "callr:")
    before = known()
    assert before.changed() == []
    rewrite(Path("greenroom.yaml"), "callr:", "caller:")
    assert before.changed() == [Path("greenroom.yaml")]


def test_a_text_that_was_missing_has_changed_once_it_is_there(folder: Path) -> None:
    rewrite(Path("greenroom.yaml"), "You answer the telephone of a dentist.", "texts/prompt.md")
    before = known()
    assert before.changed() == []
    assert folder in before.folders()  # the nearest folder that is there
    Path("texts").mkdir()
    Path("texts/prompt.md").write_text("You answer.", encoding="utf-8")
    assert before.changed() == [Path("texts/prompt.md")]


def test_hidden_folders_and_environments_are_not_watched(folder: Path) -> None:
    for name in (".git/objects", "node_modules/x", "venv/lib", "tests/deep"):
        Path(name).mkdir(parents=True)
    assert known().folders() == [folder, folder / "tests", folder / "tests" / "deep"]


def test_the_folder_of_a_file_is_watched_and_not_the_file(folder: Path) -> None:
    assert known("greenroom.yaml").folders() == [folder]


def test_a_change_between_reading_and_waiting_is_not_missed(folder: Path) -> None:
    before = known()
    rewrite(Path("greenroom.yaml"), "from nine", "from ten")
    assert wait_for_change(before) == [Path("greenroom.yaml")]


def test_a_file_that_is_emptied_first_is_waited_for_until_it_is_whole(folder: Path) -> None:
    before = known()
    path = Path("greenroom.yaml")
    content = path.read_text(encoding="utf-8").replace("from nine", "from ten")
    path.write_text("", encoding="utf-8")
    looked = threading.Event()

    class Watched(Known):
        def changed(self) -> list[Path]:
            found = super().changed()
            looked.set()
            return found

    def write_at_last() -> None:
        looked.wait()
        path.write_text(content, encoding="utf-8")

    writer = threading.Thread(target=write_at_last)
    writer.start()
    changed = wait_for_change(Watched(before.contents, before.paths))
    writer.join()
    assert changed == [path]
    assert path.read_text(encoding="utf-8") == content


def test_a_file_that_stays_empty_counts_as_it_is(folder: Path) -> None:
    before = known()
    Path("greenroom.yaml").write_text("", encoding="utf-8")
    assert wait_for_change(before) == [Path("greenroom.yaml")]
