"""Which answers of the judge's are looked at first, and how labels are found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.runs import a_run

from greenroom.cli.labelling import judged_of, read_sets
from greenroom.grade.calibration import Label, agreement, agreement_for, doubt, latest
from greenroom.model.checks import JudgeCheck, Says
from greenroom.model.errors import UserMistake
from greenroom.model.run import CheckResult
from greenroom.report.labels import add_label, describe_agreement, find_labels, read_labels

REPORT = Path("report.json")


def judged(passed: bool | None, question: str = "Polite?", **fields: Any) -> CheckResult:
    return CheckResult(check=JudgeCheck(question=question), passed=passed, **fields)


def test_the_most_doubtful_come_first_and_what_no_judge_decided_not_at_all() -> None:
    results = [
        judged(True, "plain yes"),
        judged(True, "yes, quote unknown", quote_verified=False),
        judged(False, "plain no", quote_verified=True),
        judged(True, "split", votes="2 of 3"),
        judged(False, "no, quote unknown", quote_verified=False, votes="3 of 3"),
        judged(None, "not graded"),
        CheckResult(check=Says(text="x"), passed=False),
        judged(True, "all agree", votes="3 of 3"),
    ]
    found = judged_of([a_run(checks=results)])
    assert [one.question for one in found] == [
        "no, quote unknown",
        "split",
        "plain no",
        "yes, quote unknown",
        "plain yes",
        "all agree",
    ]
    assert doubt(results[4]) < doubt(results[3])


def test_of_labels_of_the_same_check_the_last_counts() -> None:
    def label(right: bool, **fields: Any) -> Label:
        return Label(question="Polite?", judge=True, right=right, **fields)

    labels = [label(True, run_id="a", check=1), label(True), label(False, run_id="a", check=1), label(True)]
    assert [(one.run_id, one.right) for one in latest(labels)] == [("", True), ("a", False), ("", True)]


def test_what_is_known_of_a_question_is_found_and_said() -> None:
    known = [agreement("Polite?", [Label(question="Polite?", judge=True, right=True)])]
    found = agreement_for("Polite?", known)
    assert found is not None
    assert describe_agreement(found) == "the judge was right in 1 of 1 labels"
    assert agreement_for("Brief?", known) is None


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("run_1:1", "write RUN_ID:CHECK=right or wrong"),
        (":1=right", "write RUN_ID:CHECK=right or wrong"),
        ("run_1:x=right", "write RUN_ID:CHECK=right or wrong"),
        ("run_1:1=yes", "neither `right` nor `wrong`"),
        ("run_2:1=right", "there is no such run"),
        ("run_1:0=right", "counted from 1"),
        ("run_1:9=right", "counted from 1"),
    ],
)
def test_a_setting_that_names_no_answer_is_refused(setting: str, sentence: str) -> None:
    with pytest.raises(UserMistake, match=sentence):
        read_sets([setting], [a_run(checks=[judged(True)])], REPORT, "")


def test_a_setting_labels_by_the_start_of_the_id() -> None:
    (label,) = read_sets(["run:1=wrong"], [a_run(checks=[judged(True)])], REPORT, "why")
    assert (label.run_id, label.check, label.judge, label.right, label.note) == ("run_1", 0, True, False, "why")


def test_labels_are_kept_one_a_line_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "labels.jsonl"
    made = [Label(question=f"Gut?\n{number} \ud800", judge=True, right=False) for number in range(3)]
    for label in made:
        add_label(path, label)
    read = read_labels(path)
    assert [label.question for label in read.labels] == [f"Gut?\n{number} \ufffd" for number in range(3)]
    assert read.passed_over == []


def test_labels_are_found_beside_the_tests_and_above_them(tmp_path: Path) -> None:
    for place in ("labels.jsonl", "a/labels.jsonl", "a/b/labels.jsonl", "c/labels.jsonl"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
    found = {str(path.relative_to(tmp_path)) for path in find_labels(["a/b/tests.yaml"], tmp_path)}
    assert found == {"labels.jsonl", "a/labels.jsonl", "a/b/labels.jsonl"}
