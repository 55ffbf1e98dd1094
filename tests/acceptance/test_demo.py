from __future__ import annotations

from tests.support.program import Greenroom


def test_the_demo_plays_without_a_key_and_ends_well_though_one_test_fails_on_purpose(greenroom: Greenroom) -> None:
    demo = greenroom.run("demo")
    assert demo.code == 0
    assert demo.err == ""
    assert "1 failed, 5 passed" in demo.out
    assert "One test fails on purpose" in demo.out
    assert "greenroom init" in demo.out


def test_the_demo_shows_the_line_that_broke_the_check(greenroom: Greenroom) -> None:
    lines = greenroom.run("demo").out.splitlines()
    marked = next(index for index, line in enumerate(lines) if line.startswith("►"))
    assert "I guarantee you that it will not hurt" in lines[marked]
    assert any('✗ never_says "guarantee"' in line for line in lines[marked + 1 : marked + 3])


def test_the_demo_leaves_nothing_behind(greenroom: Greenroom) -> None:
    greenroom.run("demo")
    assert list(greenroom.folder.iterdir()) == []
    assert list(greenroom.home.rglob("*.log")) == []


def test_the_demo_as_json_is_a_report_and_nothing_else(greenroom: Greenroom) -> None:
    demo = greenroom.run("demo", "--json")
    assert demo.code == 0
    assert demo.err == ""
    assert demo.json["summary"]["failed"] == 1
    assert demo.json["summary"]["passed"] == 5
    assert {run["file"] for run in demo.json["runs"]} == {"demo.yaml"}


def test_the_demo_shows_hand_offs_dry_runs_tools_and_a_judge(greenroom: Greenroom) -> None:
    runs = greenroom.run("demo", "--json").json["runs"]
    sources = {line["source"] for run in runs for line in run["transcript"] if line["role"] == "tool"}
    assert {"canned", "handoff", "planned", "engine"} <= sources
    assert {usage["role"] for run in runs for usage in run["usage"]} == {"agent", "caller", "judge"}


def test_a_saved_demo_is_a_test_file_that_runs(greenroom: Greenroom) -> None:
    saved = greenroom.run("demo", "--save", "look")
    assert saved.code == 0
    assert "greenroom run look" in saved.out
    played = greenroom.run("run", "look", "-k", "visit")
    assert played.code == 0
    assert "1 passed" in played.out


def test_a_saved_demo_is_not_overwritten_unless_asked(greenroom: Greenroom) -> None:
    greenroom.run("demo", "--save", "look")
    again = greenroom.run("demo", "--save", "look")
    assert again.code == 2
    assert "--force" in again.err
    forced = greenroom.run("demo", "--save", "look", "--force", "--json")
    assert forced.code == 0
    assert forced.json == {"files": ["look/greenroom.yaml"]}
