"""Whether a run passed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.grading import test_with

from greenroom.grade.verdict import verdict
from greenroom.model.checks import Check, Criterion, EndsCall, JudgeCheck, Says
from greenroom.model.run import CheckResult, Scorecard

checks: st.SearchStrategy[Check] = st.one_of(
    st.builds(Says, text=st.just("x"), required=st.booleans()),
    st.builds(JudgeCheck, question=st.just("x"), required=st.booleans()),
    st.builds(Criterion, text=st.just("x"), required=st.booleans()),
)
results = st.lists(st.builds(CheckResult, check=checks, passed=st.sampled_from([True, False, None])))
cards = st.none() | st.builds(Scorecard, score=st.integers(0, 100), summary=st.just(""))


@given(results, cards)
def test_a_required_check_decides_and_no_score_can_make_up_for_it(
    given_results: list[CheckResult], card: Scorecard | None
) -> None:
    required = [result for result in given_results if result.check.required]
    if required:
        holds = all(result.passed is True for result in required)
        assert verdict(test_with(), given_results, card) == ("passed" if holds else "failed")


@given(results, cards, st.integers(0, 100))
def test_without_required_checks_the_score_decides(
    given_results: list[CheckResult], card: Scorecard | None, pass_score: int
) -> None:
    optional = [
        result.model_copy(update={"check": result.check.model_copy(update={"required": False})})
        for result in given_results
    ]
    wanted = "passed" if card is None or card.score >= pass_score else "failed"
    assert verdict(test_with(pass_score=pass_score), optional, card) == wanted


@given(results, cards)
def test_making_one_more_check_hold_never_fails_a_run(given_results: list[CheckResult], card: Scorecard | None) -> None:
    before = verdict(test_with(), given_results, card)
    better = [result.model_copy(update={"passed": True}) for result in given_results]
    if before == "passed":
        assert verdict(test_with(), better, card) == "passed"


def test_a_run_without_checks_passes_when_it_finishes() -> None:
    assert verdict(test_with(), [], None) == "passed"


def test_optional_checks_alone_fail_nothing() -> None:
    assert verdict(test_with(), [CheckResult(check=EndsCall(required=False), passed=False)], None) == "passed"


def test_a_required_check_that_was_not_graded_does_not_hold() -> None:
    assert verdict(test_with(), [CheckResult(check=EndsCall(), passed=None)], None) == "failed"


@pytest.mark.parametrize(("score", "status"), [(69, "failed"), (70, "passed")])
def test_the_usual_pass_score_is_70(score: int, status: str) -> None:
    assert verdict(test_with(), [], Scorecard(score=score, summary="")) == status
