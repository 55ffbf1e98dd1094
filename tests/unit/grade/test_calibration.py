"""How well the judge agrees with people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenroom.grade.calibration import Label, agreement, agreements, can_be_labelled, question_of
from greenroom.model.checks import Criterion, JudgeCheck, ReplyMeets, Says
from greenroom.model.run import CheckResult


def labels(yes_yes: int, yes_no: int, no_yes: int, no_no: int, question: str = "Polite?") -> list[Label]:
    """Labels by what the judge and the person said, in this order."""
    return [
        Label(question=question, judge=judge, right=right)
        for count, judge, right in (
            (yes_yes, True, True),
            (yes_no, True, False),
            (no_yes, False, False),
            (no_no, False, True),
        )
        for _ in range(count)
    ]


def test_kappa_by_a_worked_example() -> None:
    # 50 cases of which two readers pass 20 together and refuse 15 together: observed 0.7, by chance 0.5, kappa 0.4.
    found = agreement("Polite?", labels(20, 5, 10, 15))
    assert found.accuracy == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)
    assert (found.too_lenient, found.too_strict) == (5, 10)


def test_full_agreement_is_1_and_agreement_by_chance_is_0() -> None:
    assert agreement("q", labels(5, 0, 0, 5)).kappa == 1
    assert agreement("q", labels(5, 5, 5, 5)).kappa == 0
    assert agreement("q", labels(7, 0, 0, 0)).kappa is None


def test_the_worst_question_comes_first() -> None:
    found = agreements(labels(9, 1, 0, 0, "good") + labels(1, 9, 0, 0, "bad") + labels(5, 5, 0, 0, "half"))
    assert [one.question for one in found] == ["bad", "half", "good"]


def test_without_labels_nothing_can_be_said() -> None:
    assert agreements([]) == []
    with pytest.raises(ValueError, match="at least one label"):
        agreement("q", [])


def test_only_what_a_judge_decided_can_be_labelled() -> None:
    assert can_be_labelled(CheckResult(check=JudgeCheck(question="q"), passed=True))
    assert can_be_labelled(CheckResult(check=Criterion(text="q"), passed=False))
    assert not can_be_labelled(CheckResult(check=JudgeCheck(question="q"), passed=None))
    assert not can_be_labelled(CheckResult(check=Says(text="q"), passed=True))
    assert question_of(ReplyMeets(criteria="c")) == "c"


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_kappa_stays_within_its_range(a: int, b: int, c: int, d: int) -> None:
    if a + b + c + d:
        found = agreement("q", labels(a, b, c, d))
        assert 0 <= found.accuracy <= 1
        assert found.kappa is None or -1 <= found.kappa <= 1
        assert found.right + found.too_lenient + found.too_strict == found.labels
