from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.support.big_reports import a_full_report, many_runs, two_variants
from tests.support.hostile import FRAGMENTS, a_hostile_report, texts
from tests.support.html_pages import Element, read_html
from tests.support.runs import a_failed_run, a_report, a_run, a_talk, not_started

from greenroom.grade.repeats import Gate
from greenroom.model.checks import NeverSays
from greenroom.model.run import AgentLine, CheckResult, Line, Scorecard
from greenroom.report.markdown import COMMENT_LIMIT, MARKER, block, inline, markdown, width
from greenroom.report.printable import printable, printable_line
from greenroom.report.results import Report

ZERO_WIDTH_SPACE = "\u200b"


def render(source: str) -> Element:
    """What a Markdown renderer with tables makes of it."""
    shown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(source)
    return read_html(shown)


def rows(report: Report) -> list[list[str]]:
    body = render(markdown(report)).one("tbody")
    return [[cell.text.strip() for cell in row.all("td")] for row in body.all("tr")]


def test_it_begins_with_the_mark_by_which_a_bot_finds_it_and_the_verdict() -> None:
    lines = markdown(a_report(a_run(), a_failed_run())).splitlines()
    assert lines[0] == MARKER == "<!-- greenroom-report -->"
    assert lines[1] == "### ✗ 1 of 2 runs failed"
    assert "checks held 1 of 3 · tokens 1,234 · cost $0.01 · time 2.0 s" in lines


def test_the_same_report_gives_the_same_text() -> None:
    assert markdown(a_full_report()) == markdown(a_full_report())


def test_the_table_has_a_row_for_each_test_and_those_that_did_not_pass_come_first() -> None:
    report = a_report(a_run(test="A"), a_failed_run(test="B"), a_run("error", test="C", error="x"), a_run(test="D"))
    assert rows(report) == [
        ["B", "✗ failed", "1/3", "$0.01", "1.5 s"],
        ["C", "! could not finish", "0/0", "$0", "1.5 s"],
        ["A", "✓ passed", "0/0", "$0", "1.5 s"],
        ["D", "✓ passed", "0/0", "$0", "1.5 s"],
    ]


def test_repeats_are_one_row_with_their_interval_and_whether_they_are_flaky() -> None:
    runs = [a_run(repeat_index=index) for index in range(3)]
    assert rows(a_report(*runs))[0][1] == "✓ 3 of 3 passed (44% to 100%)"
    assert rows(a_report(*runs, a_failed_run(repeat_index=3)))[0][1] == "✗ 3 of 4 passed (30% to 95%), flaky"
    assert rows(a_report(*runs, a_run("error", repeat_index=3)))[0][1] == "! 3 of 4 passed (44% to 100%)"


def test_the_agent_is_named_where_there_are_several() -> None:
    assert rows(a_report(a_run(test="A", agent="One"), a_run(test="B", agent="Two")))[0][0] == "A One"


def test_each_failure_is_folded_with_its_checks_and_its_talk() -> None:
    page = render(markdown(a_report(a_failed_run(scorecard=Scorecard(score=41, summary="Be kind.")))))
    folded = page.one("details")
    assert folded.one("summary").text.replace(ZERO_WIDTH_SPACE, "") == (
        '✗ Moves a booking: never_says "guarantee": the agent said "I guarantee you"'
    )
    assert [finding.words for finding in folded.all("li")] == [
        '✓ says "Monday"',
        '✗ never_says "guarantee": the agent said "I guarantee you"',
        '– judge "Was it polite?" (not required)',
        "score 41 of 100: Be kind.",
    ]
    assert folded.one("pre").text.strip("\n") == (
        "   0 agent  Northline Dental, this is Maya.\n"
        "   1 caller I need to move my booking.\n"
        '   1 tool   book_slot(day: "Monday") → {"ok": true} [canned, 12 ms]\n'
        "►  1 agent  Done: I guarantee you Monday at ten.\n"
        '            ✗ never_says "guarantee"'
    )


def test_an_error_says_its_sentence_and_not_what_was_not_graded() -> None:
    folded = render(markdown(a_report(a_run("error", error="The key is wrong.", transcript=a_talk())))).one("details")
    assert "The key is wrong." in folded.one("summary").text
    assert not folded.all("li")


def test_when_all_passed_there_is_nothing_folded() -> None:
    assert "<details>" not in markdown(a_report(a_run()))


def test_what_was_not_started_is_said_with_the_reason() -> None:
    text = markdown(a_report(a_run(), not_started=[not_started(), not_started()], over_budget=True))
    assert "The budget was used up before all was played." in text
    assert "2 runs were not started: the budget was used up before its turn came." in text


def test_the_gate_and_the_comparison_go_before_the_table() -> None:
    page = render(markdown(two_variants()))
    assert page.one("h3").words == "✗ 2 of 4 tests lack a pass rate of 75% or more, 14 of 40 runs failed"
    assert page.all("ul")[0].all("li")[0].words == (
        "Moves a booking: 2 of 10 runs passed (20%), below the 75% asked for."
    )
    compared, tests = page.all("table")
    assert [[cell.words for cell in row.all("td")] for row in compared.one("tbody").all("tr")] == [
        ["Moves a booking", "20%", "90%", "+70 points (+27 to +87)"],
        ["Cancels a booking", "80%", "70%", "-10 points (-36 to +17)"],
    ]
    assert len(compared.all("strong")) == 1
    assert [row.all("td")[1].words[0] for row in tests.one("tbody").all("tr")] == list("✗✗✓✓")
    assert page.all("summary")[0].one("sub").words == "today"


def test_a_gate_that_many_tests_close_names_ten_of_them() -> None:
    runs = [a_failed_run(test=f"Test {number}") for number in range(30)]
    text = markdown(a_report(*runs, gate=Gate(min_pass_rate=1)))
    assert "- and 20 more\n" in text
    assert text.count("below the 100% asked for") == 10


def test_one_failure_of_each_test_comes_before_the_further_repeats_of_one() -> None:
    runs = [*(a_failed_run(test="A", repeat_index=index) for index in range(3)), a_failed_run(test="B")]
    titles = [summary.one("b").text for summary in render(markdown(a_report(*runs))).all("summary")]
    assert [title.replace(ZERO_WIDTH_SPACE, "") for title in titles] == ["A", "B", "A #2", "A #3"]


def test_a_big_report_stays_under_the_limit_and_says_what_it_leaves_out() -> None:
    text = markdown(many_runs(2000))
    assert width(text) <= COMMENT_LIMIT < 65_536
    assert re.search(
        r"^\d[\d,]* more tests, \d+ of which did not pass: in the full report\.$|more tests: all passed\.$", text, re.M
    )
    assert re.search(
        r"^\d+ more runs that did not pass are left out for want of room: see the full report\.$", text, re.M
    )


@pytest.mark.parametrize("words", ["a" * 1_000_000, "न" * 100_000, "👩🏽‍⚕️ " * 50_000, "<|`@" * 100_000, "x\n" * 50_000])
def test_talks_of_any_length_stay_under_the_limit(words: str) -> None:
    run = a_failed_run(
        test=words[:5000], transcript=[AgentLine(turn=n, agent="A", text=words) for n in range(60)], error=words
    )
    text = markdown(a_report(run, *[a_failed_run(test=f"T{n}") for n in range(50)]))
    assert width(text) <= COMMENT_LIMIT
    render(text)


def test_a_talk_that_is_too_long_is_shown_around_the_line_that_broke_the_check() -> None:
    talk: list[Line] = [AgentLine(turn=n, agent="A", text=f"line {n}. " * 60) for n in range(400)]
    check = CheckResult(check=NeverSays(text="x"), passed=False, line=200, turn=200)
    shown = render(markdown(a_report(a_failed_run(transcript=talk, checks=[check])))).one("pre").text
    assert "► 200 agent  line 200." in shown
    assert re.search(r"^\(\d+ earlier lines left out\)$", shown, re.M)
    assert re.search(r"^\(\d+ later lines left out\)$", shown, re.M)


@given(st.integers(1000, 6000), st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_any_limit_holds(limit: int, failures: int) -> None:
    report = a_report(*[a_failed_run(test=f"Test {number}") for number in range(failures)], a_run())
    assert width(markdown(report, limit)) <= limit


@given(texts)
@example("".join(FRAGMENTS))
def test_inline_text_is_shown_as_it_is_by_a_renderer_and_holds_no_markup(text: str) -> None:
    shown = inline(text)
    assert "\n" not in shown
    assert not re.search(r"[\\`*_{}\[\]<>|~@!$:^=\"']", shown)
    page = render(f"x {shown}")
    assert {element.tag for element in page.walk()} == {"", "p"}
    assert page.words.replace(ZERO_WIDTH_SPACE, "") == " ".join(
        f"x {printable_line(text)}".replace(ZERO_WIDTH_SPACE, "").split()
    )


@pytest.mark.parametrize(
    "name", ["@octocat", "@org/team", "org/repo#12", "#12", "GH-3", "https://x.example", "www.x.example"]
)
def test_nobody_is_mentioned_and_nothing_is_linked(name: str) -> None:
    shown = html.unescape(inline(f"see {name} now"))
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.", shown)


@given(texts)
def test_a_talk_in_a_block_is_only_text(text: str) -> None:
    assert html.unescape(block(text)) == printable(text)
    assert "<" not in block(text)


ALLOWED = {
    "",
    "!--",
    "h3",
    "p",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "b",
    "ul",
    "li",
    "code",
    "pre",
    "sub",
}


@settings(max_examples=60, deadline=None)
@given(texts)
@example("".join(FRAGMENTS))
def test_whatever_was_said_makes_no_element_of_its_own(text: str) -> None:
    source = markdown(a_hostile_report(text))
    page = render(source)
    assert {element.tag for element in page.walk()} <= ALLOWED
    assert len(page.all("!--")) == 1
    assert len(page.all("h3")) == len(page.all("table")) == 1
    assert all(name == "style" for element in page.walk() for name in element.attributes)
    assert len(page.one("tbody").all("tr")) == 2
    assert len(page.all("details")) == 2


@pytest.mark.parametrize("text", FRAGMENTS)
def test_text_that_is_known_to_break_out_of_markdown_does_not(text: str) -> None:
    page = render(markdown(a_hostile_report(text)))
    assert {element.tag for element in page.walk()} <= ALLOWED
    assert len(page.all("details")) == 2
