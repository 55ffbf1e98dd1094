from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.model_server import Answer, Broken, ModelServer
from tests.support.program import Greenroom
from tests.support.sample_files import FAILS, PASSES, a_file, a_file_for

WATCHING = "Watching "


class Watching:
    """The program with `--watch`, its output in a file; what was shown is counted by the rounds it waits after."""

    def __init__(self, process: subprocess.Popen[str], shown: Path) -> None:
        self.process = process
        self._shown = shown

    def until_it_waits(self) -> str:
        """Block until a round is over; what was told beside the result meanwhile."""
        assert self.process.stderr is not None
        told: list[str] = []
        while True:
            line = self.process.stderr.readline()
            assert line, f"the program ended: {''.join(told)}"
            told.append(line)
            if line.startswith(WATCHING):
                return "".join(told)

    @property
    def out(self) -> str:
        return self._shown.read_text(encoding="utf-8")

    @property
    def rounds(self) -> list[str]:
        """What each round after the first says has changed."""
        return [line.strip(" ─") for line in self.out.splitlines() if line.startswith("Changed: ")]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


@contextmanager
def watching(greenroom: Greenroom, *words: str) -> Generator[Watching]:
    """The program in `work`, while its output goes elsewhere."""
    shown = greenroom.home / "shown.txt"
    with shown.open("w", encoding="utf-8") as out:
        process = greenroom.start("run", "--watch", *words, stdout=out)
        try:
            yield Watching(process, shown)
        finally:
            process.kill()
            process.wait(60)
            assert process.stderr is not None
            process.stderr.close()


def write_twice(path: Path, content: str) -> None:
    """As editors do that empty a file before they write it, and touch it afterwards."""
    path.write_text("", encoding="utf-8")
    path.write_text(content[: len(content) // 2], encoding="utf-8")
    path.write_text(content, encoding="utf-8")
    path.touch()


def write_and_rename(path: Path, content: str) -> None:
    """As editors do that put another file in the place of the old one."""
    swap, other, backup = path.with_name(f".{path.name}.swp"), path.with_name("4913"), path.with_name(f"{path.name}~")
    swap.write_text("swap", encoding="utf-8")
    other.write_text(content, encoding="utf-8")
    path.rename(backup)
    other.rename(path)
    backup.unlink()
    swap.unlink()


def write_beside_and_replace(path: Path, content: str) -> None:
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_text(content, encoding="utf-8")
    os.replace(beside, path)


def just_write(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


@pytest.mark.parametrize("save", [just_write, write_twice, write_and_rename, write_beside_and_replace])
def test_a_save_plays_once_however_the_editor_saves(greenroom: Greenroom, save: object) -> None:
    assert callable(save)
    path = greenroom.write("greenroom.yaml", a_file(PASSES))
    with watching(greenroom) as program:
        program.until_it_waits()
        assert "1 passed" in program.out
        for round_number in (1, 2, 3):
            save(path, a_file(PASSES, FAILS) + f"# save {round_number}\n")
            program.until_it_waits()
            assert program.rounds == ["Changed: greenroom.yaml"] * round_number
        assert program.out.count("1 failed, 1 passed") == 3
        assert program.stop() == 0
    # Had a save been played twice, there would be a round more by now.
    assert program.rounds == ["Changed: greenroom.yaml"] * 3


def test_every_file_that_the_tests_are_made_of_is_watched(greenroom: Greenroom) -> None:
    content = a_file(PASSES).replace("prompt: You answer the telephone of a dentist.", "prompt: texts/prompt.md")
    content = content.replace("  llm:\n", "  knowledge: {documents: [texts/hours.txt]}\n  llm:\n", 1).replace(
        "script:\n", "script: rules/script.yaml\n", 1
    )
    lines = content.splitlines(keepends=True)
    rules = [line for line in lines if line.startswith("      - {when")]
    greenroom.write("greenroom.yaml", "".join(line for line in lines if line not in rules))
    greenroom.write("rules/script.yaml", "".join(rule.lstrip() for rule in rules))
    greenroom.write("texts/prompt.md", "You answer the telephone.")
    greenroom.write("texts/hours.txt", "Open from nine.")
    with watching(greenroom) as program:
        program.until_it_waits()
        changes = {
            "texts/prompt.md": "You answer the telephone well.",
            "texts/hours.txt": "Open from nine to six.",
            "rules/script.yaml": "- {say: We are open from nine.}\n",
        }
        for name, text in changes.items():
            greenroom.write(name, text)
            told = program.until_it_waits()
            assert "Watching 4 files" in told
        assert program.rounds == [f"Changed: {name}" for name in changes]
        assert program.stop() == 0


def test_a_mistake_is_shown_and_watching_goes_on(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", a_file(PASSES))
    with watching(greenroom) as program:
        program.until_it_waits()
        just_write(path, a_file(PASSES.replace("caller:", "callr:")))
        assert "did you mean `caller`?" in program.until_it_waits()
        just_write(path, "")
        assert "Watching" in program.until_it_waits()
        just_write(path, a_file(FAILS))
        program.until_it_waits()
        assert "1 failed" in program.out
        assert program.stop() == 0


def test_new_test_files_are_found_also_in_new_folders_and_others_are_none_of_its_business(
    greenroom: Greenroom,
) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    with watching(greenroom, "--report-json", "report.json") as program:
        program.until_it_waits()
        greenroom.write("notes.txt", "nothing")
        greenroom.write("other.yaml", "a: 1")
        greenroom.write("more/deep/new.greenroom.yaml", a_file(FAILS))
        program.until_it_waits()
        assert program.rounds == ["Changed: more/deep/new.greenroom.yaml"]
        assert "1 failed, 1 passed" in program.out
        (greenroom.folder / "more/deep/new.greenroom.yaml").unlink()
        program.until_it_waits()
        assert program.rounds[1:] == ["Changed: more/deep/new.greenroom.yaml"]
        assert program.stop() == 0


def test_a_file_that_is_missing_is_waited_for(greenroom: Greenroom) -> None:
    content = a_file(PASSES).replace("prompt: You answer the telephone of a dentist.", "prompt: texts/prompt.md")
    greenroom.write("greenroom.yaml", content)
    with watching(greenroom) as program:
        assert "texts/prompt.md" in program.until_it_waits()
        greenroom.write("texts/prompt.md", "You answer the telephone.")
        program.until_it_waits()
        assert "1 passed" in program.out
        assert program.stop() == 0


def test_ctrl_c_while_runs_play_stops_them_and_ends(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(Broken("hang", then=Answer(text="Hello."))) as server:
        greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
        process = greenroom.start("run", "--watch")
        server.wait_for(1)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert "Stopping" in process.stderr.readline()
        server.release()
        ended = greenroom.ended(process)
    assert ended.code == 130
    assert "1 stopped" in ended.out
    assert "Watching" not in ended.err


def test_a_change_while_runs_play_is_played_right_after(greenroom: Greenroom) -> None:
    with ModelServer.in_thread(Answer(text="Hello.")) as server:
        server.queue(Broken("hang", then=Answer(text="Hello.")))
        greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=1))
        with watching(greenroom) as program:
            server.wait_for(1)
            greenroom.write("greenroom.yaml", a_file_for(server.openai_url, tests=2))
            server.release()
            program.until_it_waits()
            program.until_it_waits()
            assert program.rounds == ["Changed: greenroom.yaml"]
            assert "2 passed" in program.out
            assert program.stop() == 0


def test_on_a_terminal_the_screen_starts_anew_with_what_changed(greenroom: Greenroom) -> None:
    path = greenroom.write("greenroom.yaml", a_file(PASSES))
    terminal = greenroom.on_a_terminal("run", "--watch")
    terminal.read_until("Watching 1 file")
    greenroom.write("prompt.md", "You answer the telephone.")
    just_write(path, a_file(FAILS).replace("You answer the telephone of a dentist.", "prompt.md"))
    page = terminal.read_until("Watching 2 files")
    assert "\x1b[2J" in page
    assert page.index("\x1b[2J") < page.index("Changed: greenroom.yaml") < page.index("1 failed")
    terminal.interrupt()
    assert terminal.wait() == 0
    assert "Traceback" not in terminal.page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--json",), "--watch shows results as they come"),
        (("--max-cost", "much"), "--max-cost"),
        (("--set", "prompt"), "write FIELD=VALUE"),
        (("-k", "and"), "a word is missing"),
    ],
)
def test_what_no_change_of_a_file_can_mend_ends_the_program(
    greenroom: Greenroom, words: tuple[str, ...], sentence: str
) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    refused = greenroom.run("run", "--watch", *words)
    assert refused.code == 2
    assert sentence in refused.err
