from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from tests.support.runs import a_failed_run, a_report, a_run, a_talk, not_started

from greenroom.model.checks import Says
from greenroom.model.run import AgentLine, CheckResult, Scorecard
from greenroom.report.junit import junit_xml
from greenroom.report.results import Report


def read(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(junit_xml(report))


def case(report: Report) -> ElementTree.Element:
    found = read(report).find("testsuite/testcase")
    assert found is not None
    return found


def test_there_is_one_suite_for_each_file_with_one_case_for_each_run() -> None:
    runs = [a_run(), a_run(id="run_2", repeat_index=1), a_run(file="other.yaml"), a_run(file=None)]
    root = read(a_report(*runs))
    assert [suite.get("name") for suite in root] == ["greenroom.yaml", "other.yaml", "Northline Dental"]
    assert [case.get("name") for case in root[0]] == ["Moves a booking", "Moves a booking #2"]
    assert root[0][0].attrib == {
        "name": "Moves a booking",
        "classname": "Northline Dental",
        "file": "greenroom.yaml",
        "line": "12",
        "time": "1.500",
    }


def test_the_counts_hold_for_each_suite_and_for_all() -> None:
    runs = [a_run(), a_failed_run(), a_run("error", file="other.yaml"), a_run("cancelled")]
    root = read(a_report(*runs, not_started=[not_started()]))
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "1", "2"]
    assert [root[0].get(name) for name in ("tests", "failures", "errors", "skipped")] == ["4", "1", "0", "2"]


def test_a_failed_run_is_a_failure_with_its_checks_and_its_talk() -> None:
    failure = case(a_report(a_failed_run())).find("failure")
    assert failure is not None
    assert failure.get("message") == 'never_says "guarantee": the agent said "I guarantee you"'
    assert failure.text is not None
    assert '✓ says "Monday"' in failure.text
    assert "►  1 agent  Done: I guarantee you Monday at ten." in failure.text


def test_a_run_that_failed_by_its_score_says_so() -> None:
    failure = case(a_report(a_failed_run(checks=[], scorecard=Scorecard(score=41, summary="Be kind.")))).find("failure")
    assert failure is not None
    assert failure.get("message") == "score 41 of 100: Be kind."


def test_a_run_that_could_not_finish_is_an_error_with_its_sentence() -> None:
    error = case(a_report(a_run("error", error="The key is wrong.", transcript=a_talk()))).find("error")
    assert error is not None
    assert error.get("message") == "The key is wrong."
    assert "I need to move my booking." in (error.text or "")


def test_stopped_and_never_started_runs_are_skipped_with_the_reason() -> None:
    root = read(a_report(a_run("cancelled"), not_started=[not_started(reason="fail_fast")]))
    messages = [skipped.get("message") for skipped in root.iter("skipped")]
    assert messages == [
        "Stopped before it was finished.",
        "Not started: an earlier test failed, and the first failure was to end it all.",
    ]


def test_a_run_that_passed_holds_no_failure() -> None:
    assert [child.tag for child in case(a_report(a_run()))] == ["properties"]


def test_cost_tokens_seed_and_warnings_are_properties() -> None:
    found = case(a_report(a_run(seed=7, variant="cheap", warnings=["One."]))).iter("property")
    values = {entry.get("name"): entry.get("value") for entry in found}
    assert values["seed"] == "7"
    assert values["variant"] == "cheap"
    assert values["warning"] == "One."
    assert values["cost"] == "$0"


@given(st.text(alphabet=st.characters(), min_size=1, max_size=60))
def test_any_text_makes_xml_that_can_be_read_and_written_as_utf_8(text: str) -> None:
    checks = [CheckResult(check=Says.model_construct(text=text), passed=False, detail=text, line=0)]
    talk = [AgentLine(turn=0, agent=text, text=text)]
    runs = [a_failed_run(test=text, agent=text, transcript=talk, checks=checks), a_run("error", error=text, file=text)]
    written = junit_xml(a_report(*runs)).encode()
    assert len(list(ElementTree.fromstring(written).iter("testcase"))) == 2
