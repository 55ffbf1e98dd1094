from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.support.runs import a_failed_run, a_report, a_run, a_talk, a_usage, not_started, some_checks

from greenroom.model.run import AgentLine, CallerLine, Card, Scorecard, ToolLine
from greenroom.report.console import ASCII, UNICODE, QuietConsole, Signs
from greenroom.report.results import Report
from greenroom.report.terminal import render_report


def shown(report: Report, width: int = 100, signs: Signs = UNICODE, colour: bool = False) -> str:
    page = io.StringIO()
    console = QuietConsole(
        file=page,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        _environ={},
    )
    for part in render_report(report, signs):
        console.print(part)
    return page.getvalue()


def line_with(words: str, page: str) -> str:
    return next(line for line in page.splitlines() if words in line)


def test_the_table_has_a_row_for_each_run() -> None:
    page = shown(a_report(a_run(usage=[a_usage()], checks=some_checks()[:1], transcript=a_talk())))
    row = line_with("Moves a booking", page).split()
    assert row == ["Moves", "a", "booking", "✓", "passed", "1", "1/1", "1,234", "$0.01", "1.5", "s"]


def test_a_run_whose_price_is_not_known_says_so_in_the_table() -> None:
    assert "unknown" in line_with("Moves a booking", shown(a_report(a_run(usage=[a_usage(None)]))))


def test_the_line_that_broke_a_check_is_marked_and_the_reason_stands_right_under_it() -> None:
    lines = shown(a_report(a_failed_run())).splitlines()
    marked = next(index for index, line in enumerate(lines) if line.startswith("►"))
    assert "Done: I guarantee you Monday at ten." in lines[marked]
    assert '✗ never_says "guarantee": the agent said "I guarantee you"' in lines[marked + 1]
    assert sum(line.startswith("►") for line in lines) == 1


def test_a_check_without_a_line_marks_none_but_is_listed() -> None:
    checks = [some_checks()[1].model_copy(update={"line": None})]
    page = shown(a_report(a_failed_run(checks=checks)))
    assert "►" not in page
    assert '✗ never_says "guarantee": the agent said' in page


def test_each_check_is_listed_with_what_became_of_it() -> None:
    page = shown(a_report(a_failed_run()))
    assert '✓ says "Monday"' in page
    assert '– judge "Was it polite?" (not required): not graded' in page


def test_passing_runs_print_no_talk() -> None:
    assert "I need to move my booking" not in shown(a_report(a_run(transcript=a_talk())))


def test_an_error_shows_its_sentence_and_the_end_of_the_talk() -> None:
    talk = [AgentLine(turn=0, agent="A", text=f"line {index}") for index in range(9)]
    page = shown(a_report(a_run("error", error="OpenAI does not know the model gpt-9.", transcript=talk)))
    assert "OpenAI does not know the model gpt-9." in page
    assert "(3 earlier lines left out)" in page
    assert "line 2" not in page
    assert "line 8" in page


def test_caller_and_agent_are_told_apart_by_label_and_by_place() -> None:
    page = shown(a_report(a_failed_run()))
    agent, caller = line_with("this is Maya", page), line_with("I need to move", page)
    assert " agent " in agent
    assert " caller " in caller
    assert caller.index("I need") > agent.index("Northline")


def test_a_tool_line_is_one_compact_line_with_its_source() -> None:
    assert 'book_slot(day: "Monday") → {"ok": true} [canned, 12 ms]' in shown(a_report(a_failed_run()))


def test_notes_beside_a_line_say_what_was_special_about_it() -> None:
    talk = [
        AgentLine(turn=0, agent="Northline Dental", text="Hi", fallback=True, truncated=True, refused=True),
        AgentLine(turn=0, agent="Northline Dental", text="See", components=[Card(kind="booking")], grounding="unknown"),
        CallerLine(turn=1, text="wan two", said="one, two", caller_slip=True),
        CallerLine(turn=2, text="Earlier", from_history=True),
    ]
    page = shown(a_report(a_failed_run(transcript=talk)), width=140)
    assert "Hi [backup brain; the model refused; cut short]" in page
    assert "See [not carried by the knowledge; cards: booking]" in page
    assert "wan two [said “one, two”; the caller slipped out of its part]" in page
    assert "Earlier [before the test]" in page


def test_a_hand_off_is_seen_in_the_talk() -> None:
    talk = [*a_talk(), AgentLine(turn=2, agent="Billing desk", text="Billing, hello.")]
    assert "Billing desk answers from here" in shown(a_report(a_failed_run(transcript=talk)))


def test_the_agents_are_named_in_the_table_when_there_are_several() -> None:
    page = shown(a_report(a_run(), a_run(agent="Billing desk", id="run_2")), width=120)
    assert "Billing desk" in page
    assert "Agent" in page.splitlines()[0]


def test_the_scorecard_and_the_warnings_close_a_failed_run() -> None:
    run = a_failed_run(scorecard=Scorecard(score=62, summary="Tell it not to promise."), warnings=["A slip."])
    page = shown(a_report(run))
    assert page.index("Score 62 of 100: Tell it not to promise.") < page.index("! A slip.")


def test_warnings_of_runs_that_passed_are_told_with_their_title() -> None:
    assert "! Moves a booking: {{x}} has no value." in shown(a_report(a_run(warnings=["{{x}} has no value."])))


def test_runs_that_were_not_started_are_named_with_the_reason() -> None:
    page = shown(a_report(a_run(), not_started=[not_started()], over_budget=True))
    assert "1 run was not started: the budget was used up" in page
    assert "Cancels a booking" in page


def test_the_last_line_holds_the_sums() -> None:
    page = shown(
        a_report(a_failed_run(), a_run(), a_run("error"), a_run("cancelled"), not_started=[not_started()]), 160
    )
    assert page.splitlines()[-1] == (
        "1 failed, 1 could not finish, 1 stopped, 1 passed, 1 not started · 1 of 3 checks · 1,234 tokens · "
        "cost $0.01 · 2.0 s"
    )


def test_a_report_without_runs_says_that_nothing_was_played() -> None:
    assert "nothing was played" in shown(a_report())


def test_what_looks_like_markup_prints_as_it_is() -> None:
    talk = [AgentLine(turn=0, agent="A", text="[red]hot[/] [/] [link=x]y :smile: \\[b]")]
    assert "[red]hot[/] [/] [link=x]y :smile: \\[b]" in shown(a_report(a_failed_run(transcript=talk, agent="A")))


def test_escape_sequences_of_a_model_do_not_reach_the_terminal() -> None:
    talk = [AgentLine(turn=0, agent="A", text="\x1b[2J\x1b]0;owned\x07 hello")]
    run = a_failed_run(transcript=talk, test="evil \x1b[31m", warnings=["\x1b[5m"], error="\x1b[1m")
    assert "\x1b" not in shown(a_report(run))


def test_a_terminal_gets_colours_that_differ_for_agent_and_caller() -> None:
    page = shown(a_report(a_failed_run()), colour=True)
    agent = line_with("this is Maya", page).split("agent")[0]
    caller = line_with("I need to move", page).split("caller")[0]
    assert agent.split("\x1b")[-1] != caller.split("\x1b")[-1]


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    run = a_failed_run(
        test="A very long name of a test that nobody would write but somebody will " * 2,
        warnings=["w" * 300],
        error="e" * 300,
    )
    for line in shown(a_report(run, a_run(), not_started=[not_started()]), width).splitlines():
        assert cell_len(line) <= width


@given(st.text(alphabet=st.characters(), max_size=80), st.sampled_from([24, 40, 80]))
def test_any_words_of_a_model_fit_any_terminal(words: str, width: int) -> None:
    talk = [
        AgentLine(turn=0, agent=words or "A", text=words),
        CallerLine(turn=1, text=words, said=words + "!"),
        ToolLine(turn=1, agent="A", name=words, arguments={words: words}, result=words, source="refused"),
    ]
    page = shown(a_report(a_failed_run(transcript=talk)), width)
    assert "\x1b" not in page
    assert all(cell_len(line) <= width for line in page.split("\n"))


def test_an_encoding_without_the_signs_gets_plain_ones() -> None:
    report = a_report(a_failed_run(), a_run())
    assert shown(report, signs=ASCII).isascii()
