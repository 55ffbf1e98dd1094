"""What the two sides of a comparison stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.talks import make_agent, make_test

from greenroom.cli.comparing import compared
from greenroom.cli.sides import read_side, with_same_company
from greenroom.files.suite import Case
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm

OURS, THEIRS = Llm(model="openai:ours"), Llm(model="openai:theirs")


def a_case(**fields: Any) -> Case:
    return Case(file=Path("greenroom.yaml"), line=1, agent=make_agent(**fields), test=make_test())


def test_a_variant_goes_by_its_name_whatever_it_is_called() -> None:
    assert read_side("as-written", ["as-written"]).label == "as-written"
    assert read_side("new.yaml", ["new.yaml"]).label == "new.yaml"


@pytest.mark.parametrize(
    ("text", "label"), [("model:openai:gpt-4.1", "openai:gpt-4.1"), ("prompt:b.md", "b.md"), ("as-written",) * 2]
)
def test_a_side_is_called_by_what_differs(
    text: str, label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.md").touch()
    assert read_side(text, []).label == label


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("as-writen", "did you mean `as-written`"),
        ("chep", "did you mean `cheap`"),
        ("openai:gpt-4.1", "did you mean `model:openai:gpt-4.1`"),
        ("whatever it is", "name a variant of the files (`cheap`), `as-written`"),
    ],
)
def test_what_stands_for_nothing_gets_a_hint(text: str, hint: str) -> None:
    with pytest.raises(UserMistake) as refused:
        read_side(text, ["cheap"])
    assert hint in str(refused.value)


def test_both_sides_have_the_caller_and_the_judge_of_the_tests_as_written() -> None:
    side = with_same_company(a_case(llm=THEIRS, judge_llm=THEIRS), a_case(llm=OURS))
    assert (side.agent.llm, side.agent.caller_llm, side.agent.judge_llm) == (THEIRS, OURS, OURS)
    named = with_same_company(a_case(llm=THEIRS), a_case(llm=OURS, caller_llm=THEIRS))
    assert (named.agent.caller_llm, named.agent.judge_llm) == (THEIRS, OURS)


def test_stored_reports_keep_their_runs_and_add_up_their_times() -> None:
    from tests.support.runs import a_report, a_run

    report = compared(a_report(a_run()), a_report(a_run("failed"), a_run(test="B")), "old", "new")
    assert [run.variant for run in report.runs] == ["old", "new", "new"]
    assert report.summary.seconds == 4.0
    assert report.comparison is not None
    assert [(test.only_first, test.unpaired) for test in report.comparison.tests] == [(1, 0), (0, 1)]
