from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.program import Greenroom
from tests.support.sample_files import FAILS, PASSES, a_file


@pytest.fixture
def stored(greenroom: Greenroom) -> Path:
    """A stored report of one test that passed and one that failed."""
    greenroom.write("tests/greenroom.yaml", a_file(PASSES, FAILS))
    assert greenroom.run("run", "tests", "--report-json", "report.json").code == 1
    return greenroom.folder / "report.json"


def test_a_run_writes_every_form_that_is_asked_for(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES, FAILS))
    words = ("--html", "out/report.html", "--md", "out/report.md", "--junit", "out/junit.xml")
    played = greenroom.run("run", *words)
    assert played.code == 1
    assert "<title>" in (greenroom.folder / "out/report.html").read_text(encoding="utf-8")
    assert "Makes no promise" in (greenroom.folder / "out/report.md").read_text(encoding="utf-8")
    for name in ("out/report.html", "out/report.md", "out/junit.xml"):
        assert f"Written: {name}" in played.out


def test_a_stored_report_is_shown_as_it_was(greenroom: Greenroom, stored: Path) -> None:
    shown = greenroom.run("report", "report.json")
    assert shown.code == 0
    assert "► 1 agent" in " ".join(shown.out.split())
    assert "1 failed, 1 passed" in shown.out


def test_a_stored_report_is_written_in_other_forms(greenroom: Greenroom, stored: Path) -> None:
    words = ("--html", "page.html", "--md", "note.md", "--junit", "junit.xml")
    shown = greenroom.run("report", "report.json", *words)
    assert shown.out.splitlines() == ["Written: junit.xml", "Written: page.html", "Written: note.md"]
    suites = ElementTree.parse(greenroom.folder / "junit.xml").getroot()
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert greenroom.run("report", "report.json", "--json").json == json.loads(stored.read_text(encoding="utf-8"))


def test_a_report_of_before_there_were_summaries_is_still_read(greenroom: Greenroom, stored: Path) -> None:
    old = json.loads(stored.read_text(encoding="utf-8"))
    for name in ("summaries", "gate", "comparison"):
        del old[name]
    stored.write_text(json.dumps(old), encoding="utf-8")
    assert "1 failed, 1 passed" in greenroom.run("report", "report.json").out
    assert [s["passes"] for s in greenroom.run("report", "report.json", "--json").json["summaries"]] == [1, 0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read"),
        ("not json", "is not JSON"),
        ("{}", "is not a report"),
        ('{"schema_version": 99}', "was written by a newer Greenroom"),
        ('{"schema_version": 1}', "is not a whole report"),
    ],
)
def test_what_is_no_report_is_told(greenroom: Greenroom, content: str | None, sentence: str) -> None:
    if content is not None:
        greenroom.write("report.json", content)
    refused = greenroom.run("report", "report.json")
    assert refused.code == 2
    assert sentence in refused.err


def test_annotations_mark_the_failure_in_the_file_of_the_checkout(greenroom: Greenroom) -> None:
    greenroom.write("tests/greenroom.yaml", a_file(PASSES, FAILS))
    environ = {
        "GITHUB_WORKSPACE": str(greenroom.folder.parent),
        "GITHUB_STEP_SUMMARY": str(greenroom.folder / "summary.md"),
    }
    played = greenroom.run("run", "tests", "--annotations", environ=environ)
    assert played.code == 1
    error = next(line for line in played.out.splitlines() if line.startswith("::error "))
    assert "file=work/tests/greenroom.yaml,line=" in error
    assert "Makes no promise" in error
    assert "Makes no promise" in (greenroom.folder / "summary.md").read_text(encoding="utf-8")


def test_without_the_option_nothing_is_written_for_github(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(FAILS))
    environ = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(greenroom.folder / "summary.md")}
    assert "::" not in greenroom.run("run", environ=environ).out
    assert not (greenroom.folder / "summary.md").exists()


def test_a_line_of_a_talk_that_looks_like_a_command_is_none(greenroom: Greenroom) -> None:
    """GitHub reads no commands between `::stop-commands::TOKEN` and `::TOKEN::`."""
    content = a_file(FAILS).replace("I guarantee that it", "I guarantee it.\\n::set-output name=x::y\\nThat it")
    content = content.replace("say: I guarantee", 'say: "I guarantee').replace("not hurt.}", 'not hurt."}')
    greenroom.write("greenroom.yaml", content)
    lines = greenroom.run("run", "--annotations").out.splitlines()
    assert lines[0].startswith("::stop-commands::")
    token = lines[0].removeprefix("::stop-commands::")
    assert len(token) >= 32
    end = lines.index(f"::{token}::")
    talk = next(index for index, line in enumerate(lines) if "set-output" in line)
    assert talk < end
    assert not any(line.startswith("::set-output") for line in lines[end:])
    assert any(line.startswith("::error") for line in lines[end:])


def test_json_stays_json_beside_the_other_forms(greenroom: Greenroom) -> None:
    greenroom.write("greenroom.yaml", a_file(FAILS))
    ended = greenroom.run("run", "--json", "--annotations", "--html", "page.html")
    assert ended.json["summary"]["failed"] == 1
    assert (greenroom.folder / "page.html").exists()


@pytest.mark.parametrize("option", ["--html", "--md", "--junit", "--report-json"])
def test_a_form_that_cannot_be_written_is_found_before_anything_is_played(greenroom: Greenroom, option: str) -> None:
    greenroom.write("greenroom.yaml", a_file(PASSES))
    refused = greenroom.run("run", option, "greenroom.yaml/report")
    assert refused.code == 2
    assert f"{option}: cannot write to" in refused.err
    assert refused.out == ""
