from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.runs import a_failed_run, a_report, a_run, a_talk, a_usage, not_started

from greenroom.model.errors import UserMistake
from greenroom.model.run import AgentLine
from greenroom.report.json_report import read_report, report_json, write_json


def test_a_report_reads_back_as_it_was_written(tmp_path: Path) -> None:
    report = a_report(a_failed_run(), a_run("error", error="No."), not_started=[not_started()], variant="cheap")
    write_json(report, tmp_path / "deep" / "report.json")
    assert read_report(tmp_path / "deep" / "report.json") == report


def test_the_report_carries_its_version_sums_and_whole_runs() -> None:
    data = json.loads(report_json(a_report(a_failed_run())))
    assert data["schema_version"] == 1
    assert data["greenroom_version"]
    assert data["started_at"] == "2026-03-02T09:00:00Z"
    assert data["summary"]["failed"] == 1
    assert data["summary"]["cost_usd"] == 0.0123
    assert data["runs"][0]["transcript"][1] == {
        "turn": 1,
        "at_ms": 0,
        "from_history": False,
        "role": "caller",
        "text": "I need to move my booking.",
        "said": None,
        "truncated": False,
        "caller_slip": False,
    }
    assert (data["runs"][0]["file"], data["runs"][0]["line"]) == ("greenroom.yaml", 12)


def test_a_cost_that_is_not_known_is_null_and_not_zero() -> None:
    data = json.loads(report_json(a_report(a_run(usage=[a_usage(None)]))))
    assert data["runs"][0]["usage"][0]["cost_usd"] is None
    assert data["summary"]["cost_complete"] is False


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_makes_json_that_strict_readers_take(text: str) -> None:
    talk = [AgentLine(turn=0, agent="A", text=text)]
    written = report_json(a_report(a_run(transcript=talk))).encode("utf-8")
    assert json.loads(written)["runs"][0]["transcript"][0]["role"] == "agent"


def test_numbers_that_json_has_no_word_for_become_null() -> None:
    talk = a_talk()
    talk[2] = talk[2].model_copy(update={"result": {"price": float("nan"), "list": [float("inf"), 1.5]}})
    written = report_json(a_report(a_run(transcript=talk)))
    result = json.loads(written, parse_constant=pytest.fail)["runs"][0]["transcript"][2]["result"]
    assert result == {"price": None, "list": [None, 1.5]}


def test_fields_of_a_later_greenroom_with_the_same_schema_are_passed_over(tmp_path: Path) -> None:
    data = json.loads(report_json(a_report(a_run())))
    data["mood"] = data["runs"][0]["mood"] = "good"
    path = tmp_path / "report.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert read_report(path).runs[0].test == "Moves a booking"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("not json", "is not JSON"),
        ("\x00\x01", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "is not a report"),
        ('{"schema_version": "1"}', "is not a report"),
        ('{"schema_version": 99}', "was written by a newer Greenroom (schema version 99"),
        ('{"schema_version": 1}', "is not a whole report: greenroom_version: field required"),
    ],
)
def test_a_file_that_is_no_report_is_told_in_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserMistake, match=r"report\.json") as caught:
        read_report(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_report_that_is_not_there_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="cannot be read: no such file"):
        read_report(tmp_path / "report.json")
