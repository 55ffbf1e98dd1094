from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import example, given
from tests.support.big_reports import a_full_report, many_runs, two_variants
from tests.support.hostile import FRAGMENTS, a_hostile_report, texts
from tests.support.runs import a_failed_run, a_report, a_run, not_started

from greenroom.model.errors import UserMistake
from greenroom.report.annotations import (
    append_step_summary,
    command,
    resume_commands,
    step_summary,
    stop_commands,
    workflow_commands,
)
from greenroom.report.markdown import MARKER
from greenroom.report.printable import printable


def as_github_reads_it(line: str) -> tuple[str, dict[str, str], str]:
    """The command, its properties and its message, read in the way of GitHub's runner."""
    assert line.startswith("::")
    assert "\n" not in line
    assert "\r" not in line
    info, data = line[2:].split("::", 1)
    name, _, rest = info.partition(" ")
    properties: dict[str, str] = {}
    for pair in filter(None, rest.strip().split(",")):
        key, value = pair.split("=", 1)
        properties[key] = _unescape(value, {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"})
    return name, properties, _unescape(data, {"%0D": "\r", "%0A": "\n", "%25": "%"})


def _unescape(text: str, table: dict[str, str]) -> str:
    for written, meant in table.items():
        text = text.replace(written, meant)
    return text


def read(report: Any, **places: Any) -> list[tuple[str, dict[str, str], str]]:
    return [as_github_reads_it(line) for line in workflow_commands(report, **places)]


def test_a_failed_run_is_an_error_at_the_place_of_its_test() -> None:
    assert read(a_report(a_failed_run()))[0] == (
        "error",
        {"file": "greenroom.yaml", "line": "12", "title": "Moves a booking failed"},
        'never_says "guarantee": the agent said "I guarantee you"',
    )


def test_a_run_that_could_not_finish_is_an_error_with_its_sentence() -> None:
    assert read(a_report(a_run("error", error="The key is wrong.", line=None)))[0] == (
        "error",
        {"file": "greenroom.yaml", "title": "Moves a booking could not finish"},
        "The key is wrong.",
    )


def test_repeats_of_a_test_share_one_error_that_says_how_many_did_not_pass() -> None:
    runs = [
        a_run(),
        a_run("error", error="x", repeat_index=1),
        a_failed_run(repeat_index=2),
        a_failed_run(repeat_index=3),
    ]
    errors = [found for found in read(a_report(*runs)) if found[0] == "error"]
    assert len(errors) == 1
    assert errors[0][1]["title"] == "Moves a booking failed"
    assert errors[0][2].startswith('3 of 4 runs did not pass. Moves a booking #3: never_says "guarantee"')


def test_failures_that_the_gate_allows_are_warnings_and_those_below_it_errors() -> None:
    found = read(two_variants())
    assert [(name, properties["title"]) for name, properties, _ in found] == [
        ("error", "Moves a booking (today) failed"),
        ("error", "Cancels a booking (new prompt) failed"),
        ("warning", "Moves a booking (new prompt) failed now and then"),
        ("warning", "Cancels a booking (today) failed now and then"),
        ("notice", "Greenroom"),
    ]
    assert found[0][2].startswith(
        "Moves a booking: 2 of 10 runs passed (20%), below the 75% asked for. Moves a booking: "
    )
    assert found[-1][2].splitlines()[1].startswith("new prompt may be better, but 20 runs are too few to be sure")


def test_a_warning_of_several_repeats_is_told_once() -> None:
    runs = [a_run(warnings=["Slow."], repeat_index=index) for index in range(3)]
    assert [found for found in read(a_report(*runs)) if found[0] == "warning"] == [
        ("warning", {"file": "greenroom.yaml", "line": "12", "title": "Moves a booking"}, "Slow. (in 3 runs)")
    ]


def test_runs_that_were_not_started_are_one_warning() -> None:
    found = read(a_report(a_run(), not_started=[not_started(), not_started()], over_budget=True))
    assert found[0] == (
        "warning",
        {"title": "Not all was played"},
        "2 runs were not started. The budget was used up before all was played.",
    )


def test_the_sums_are_a_notice_and_all_there_is_when_all_passed() -> None:
    [(name, properties, message)] = read(a_report(a_run()))
    assert (name, properties) == ("notice", {"title": "Greenroom"})
    assert message == "The run passed: checks held 0 of 0, tokens 0, cost $0, time 2.0 s"


def test_at_most_ten_of_a_level_are_told_and_the_last_says_how_many_more_there_are() -> None:
    found = read(many_runs(1000))
    errors = [message for name, _, message in found if name == "error"]
    assert len(errors) == 10
    assert errors[-1] == "There are 91 more; see the report."
    assert (
        len([1 for name, _, _ in read(a_report(*[a_failed_run(test=f"{n}") for n in range(10)])) if name == "error"])
        == 10
    )


@pytest.mark.parametrize(
    ("file", "folder", "repository", "shown"),
    [
        ("tests/a.yaml", None, None, "tests/a.yaml"),
        ("tests/a.yaml", "/srv/repo/agents", "/srv/repo", "agents/tests/a.yaml"),
        ("../a.yaml", "/srv/repo/agents", "/srv/repo", "a.yaml"),
        ("/srv/repo/x/a.yaml", "/elsewhere", "/srv/repo", "x/a.yaml"),
        ("/tmp/a.yaml", "/srv/repo", "/srv/repo", "/tmp/a.yaml"),
    ],
)
def test_files_are_named_from_the_root_of_the_checkout(
    file: str, folder: str | None, repository: str | None, shown: str
) -> None:
    places = {
        "folder": None if folder is None else PurePosixPath(folder),
        "repository": None if repository is None else PurePosixPath(repository),
    }
    assert read(a_report(a_failed_run(file=file)), **places)[0][1]["file"] == shown


def test_percent_signs_line_ends_colons_and_commas_are_written_as_github_documents_it() -> None:
    written = command("warning", "100%: a,b\r\nnext", title="a: b, 5%", file="c:d,e.yaml", line=3)
    assert written == "::warning file=c%3Ad%2Ce.yaml,line=3,title=a%3A b%2C 5%25::100%25: a,b%0Anext"


@given(texts)
@example("".join(FRAGMENTS))
def test_any_text_comes_out_as_it_went_in_and_starts_no_command_of_its_own(text: str) -> None:
    name, properties, message = as_github_reads_it(command("error", text, title="t", file="f"))
    assert (name, set(properties)) == ("error", {"file", "title"})
    assert message == printable(text)
    for line in workflow_commands(a_hostile_report(text)):
        assert as_github_reads_it(line)[0] in ("error", "warning", "notice")


def test_a_long_message_is_cut() -> None:
    assert len(command("error", "x" * 100_000)) < 2_100


def test_commands_are_stopped_and_resumed_by_the_same_token() -> None:
    assert stop_commands("abc") == "::stop-commands::abc"
    assert resume_commands("abc") == "::abc::"


def test_the_summary_of_a_job_stays_under_a_mebibyte() -> None:
    text = step_summary(many_runs(3000))
    assert text.startswith(MARKER)
    assert 65_536 < len(text.encode()) < 1024 * 1024


def test_the_summary_is_added_to_what_the_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("# Before\n", encoding="utf-8")
    append_step_summary(a_full_report(), path)
    assert path.read_text(encoding="utf-8").startswith(f"# Before\n{MARKER}\n")


def test_a_summary_that_cannot_be_written_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="The summary could not be written"):
        append_step_summary(a_full_report(), tmp_path)
