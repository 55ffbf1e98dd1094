from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.big_reports import a_full_report, many_runs, two_variants
from tests.support.html_pages import Element, read_html
from tests.support.runs import a_failed_run, a_report, a_run, a_talk, a_usage, not_started

from greenroom.model.checks import JudgeCheck, NeverSays, Says
from greenroom.model.errors import UserMistake
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Scorecard, ToolLine
from greenroom.report.html import html_page, write_html
from greenroom.report.results import Report


def read(report: Report) -> Element:
    return read_html(html_page(report))


def the_run(page: Element) -> Element:
    return page.one("details", class_="run")


def bubbles(page: Element, role: str) -> list[Element]:
    return [line for line in the_run(page).all("li", class_=role) if line.tag == "li"]


def test_the_page_says_at_once_how_many_failed_when_and_by_which_version() -> None:
    page = read(a_report(a_run(), a_failed_run(test="Cancels"), a_run("error", error="No key.", test="Looks up")))
    assert page.one("title").text == "✗ 1 of 3 runs failed, 1 could not finish: Northline Dental"
    assert page.one("h1").words == "Northline Dental"
    assert page.one("p", class_="verdict").words == "✗ 1 of 3 runs failed, 1 could not finish"
    assert page.one("time").words == "2 March 2026, 09:00 UTC"
    assert page.one("time").attributes["datetime"] == "2026-03-02T09:00:00+00:00"
    assert page.one("footer").words.startswith("Made by Greenroom ")


def test_the_totals_are_listed() -> None:
    sums = read(a_report(a_failed_run(usage=[a_usage(), a_usage(cost=None, role="judge")]))).one("dl", class_="sums")
    values = dict(zip([name.words for name in sums.all("dt")], [value.words for value in sums.all("dd")], strict=True))
    assert values["Checks held"] == "1 of 3"
    assert values["Tokens"] == "2,468"
    assert values["Cost"] == "$0.01 + unknown"
    assert values["Time"] == "2.0 s"


def test_the_bar_is_as_long_for_each_verdict_as_it_has_runs() -> None:
    page = read(a_report(a_run(), a_run(), a_failed_run(), a_run("cancelled")))
    bar = page.one("svg", class_="bar")
    assert [(rect.classes[0], rect.attributes["x"], rect.attributes["width"]) for rect in bar.all("rect")] == [
        ("failed", "0.0", "25.0"),
        ("cancelled", "25.0", "25.0"),
        ("passed", "50.0", "50.0"),
    ]
    assert [entry.words for entry in page.one("ul", class_="legend").all("li")] == [
        "✗ 1 failed",
        "– 1 stopped",
        "✓ 2 passed",
    ]


def test_runs_that_did_not_pass_are_named_at_the_top_with_the_reason_and_a_link() -> None:
    page = read(a_report(a_run(), a_failed_run(test="Cancels"), a_run("error", error="No key.", test="Looks up")))
    entries = page.one("nav").all("li")
    assert [entry.one("a").attributes["href"] for entry in entries] == ["#r2", "#r3"]
    assert [entry.words for entry in entries] == [
        '✗ failed: Cancels never_says "guarantee": the agent said "I guarantee you"',
        "! could not finish: Looks up No key.",
    ]
    assert {element.attributes.get("id") for element in page.all("div", class_="body")} == {"r1", "r2", "r3"}


def test_a_long_list_of_failures_says_how_many_more_there_are() -> None:
    page = read(a_report(*[a_failed_run(test=f"Test {number}") for number in range(27)]))
    assert len(page.one("nav").all("li")) == 20
    assert "and 7 more" in page.one("nav").words


def test_repeats_of_a_test_are_named_once_at_the_top_with_how_many_did_not_pass() -> None:
    runs = [a_run(), a_run("error", error="x", repeat_index=1), a_failed_run(repeat_index=2)]
    [entry] = read(a_report(*runs)).one("nav").all("li")
    assert entry.one("a").attributes["href"] == "#r3"
    assert entry.words == (
        '✗ failed: Moves a booking 2 of 3 runs never_says "guarantee": the agent said "I guarantee you"'
    )


def test_a_gate_that_is_closed_is_said_first_and_at_its_test() -> None:
    page = read(two_variants())
    assert page.one("p", class_="verdict").words == (
        "✗ 2 of 4 tests lack a pass rate of 75% or more, 14 of 40 runs failed"
    )
    assert [entry.words for entry in page.one("section", class_="gate").all("li")] == [
        "Moves a booking: 2 of 10 runs passed (20%), below the 75% asked for.",
        "Cancels a booking: 7 of 10 runs passed (70%), below the 75% asked for.",
    ]
    assert [len(test.all("p", class_="closed")) for test in page.all("section", class_="test")] == [1, 0, 0, 1]


def test_two_variants_are_compared_test_by_test_with_the_difference_drawn() -> None:
    found = read(two_variants()).one("section", class_="comparison")
    assert found.one("h2").words == "today and new prompt"
    first, second = found.one("tbody").all("tr")
    assert first.words.startswith("Moves a bookingnew prompt is 70 points better (95% interval +27 to +87 points")
    assert first.words.endswith("today 20%new prompt 90%+70 points")
    assert first.one("line", class_="point").attributes["x1"] == "85.0"
    assert second.words.endswith("today 80%new prompt 70%-10 points")
    assert (len(first.all("b")), len(second.all("b"))) == (1, 0)


def test_runs_of_several_variants_say_which_one_is_theirs() -> None:
    page = read(a_report(a_run(variant="today"), a_failed_run(variant="new prompt", checks=[])))
    assert [brief.words.split(" · ")[0] for brief in page.all("span", class_="brief")] == ["today", "new prompt"]
    assert page.one("nav").one("b").words == "Moves a booking (new prompt)"


def test_when_all_passed_nothing_is_listed_as_failed() -> None:
    page = read(a_report(a_run(), a_run()))
    assert not page.all("nav")
    assert page.one("p", class_="verdict").words == "✓ All 2 runs passed"


def test_nothing_played_is_said() -> None:
    page = read(a_report(not_started=[not_started(), not_started("Moves", "fail_fast")], over_budget=True))
    assert page.one("p", class_="verdict").words == (
        "– Nothing was played, 2 not started. The budget was used up before all was played."
    )
    assert page.one("section", class_="waiting").words == (
        "Not started Because the budget was used up before its turn came: Cancels a booking "
        "Because an earlier test failed, and the first failure was to end it all: Moves"
    )


def test_the_talk_has_the_agent_and_the_caller_in_order_with_their_turns() -> None:
    run = the_run(read(a_report(a_failed_run())))
    assert [line.classes[0] for line in run.one("ol").all("li")] == ["turn", "agent", "turn", "caller", "tool", "agent"]
    assert [line.words for line in run.all("li", class_="turn")] == ["turn 0", "turn 1"]
    assert run.all("li", class_="caller")[0].one("p").text == "I need to move my booking."


def test_a_tool_call_is_folded_with_its_arguments_its_result_and_who_answered() -> None:
    tool = bubbles(read(a_report(a_failed_run())), "tool")[0]
    folded = tool.one("details")
    assert "open" not in folded.attributes
    assert folded.one("summary").words == 'Tool: book_slot(day: "Monday") canned, 12 ms'
    assert [part.text for part in folded.all("pre")] == ['{"day": "Monday"}', '{"ok": true}']


def test_arguments_that_are_no_json_are_shown_as_they_came_and_the_call_is_marked() -> None:
    line = ToolLine(
        turn=1, agent="A", name="book", arguments='{"day": ', result=None, source="engine", reason="bad_arguments"
    )
    tool = bubbles(read(a_report(a_failed_run(transcript=[line], checks=[]))), "tool")[0]
    assert "failed" in tool.classes
    assert tool.all("pre")[0].text == '{"day": '
    assert "engine, bad arguments" in tool.words


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (AgentLine(turn=1, agent="A", text="Hi", fallback=True), "backup brain"),
        (AgentLine(turn=1, agent="A", text="Hi", truncated=True), "cut short"),
        (AgentLine(turn=1, agent="A", text="", refused=True), "the model refused"),
        (AgentLine(turn=1, agent="A", text="Hi", grounding="unknown"), "not carried by the knowledge"),
        (AgentLine(turn=1, agent="A", text="Hi", from_history=True), "before the test"),
        (CallerLine(turn=1, text="Hi", caller_slip=True), "the caller slipped out of its part"),
        (CallerLine(turn=1, text="Hi", truncated=True), "cut short"),
        (CallerLine(turn=1, text="High", said="Hi"), "said “Hi”"),
    ],
)
def test_what_is_special_about_a_line_is_said_beside_it(line: AgentLine | CallerLine, note: str) -> None:
    run = the_run(read(a_report(a_failed_run(agent="A", transcript=[line], checks=[]))))
    assert [found.text for found in run.one("li", class_=line.role).all("i")] == [note]


def test_a_line_says_when_it_came_and_how_long_the_caller_waited() -> None:
    line = AgentLine(turn=1, agent="A", text="Hi", at_ms=3210, latency_ms=1580)
    run = the_run(read(a_report(a_failed_run(agent="A", transcript=[line], checks=[]))))
    assert run.one("li", class_="agent").one("small").text == "at 3.2 s, answered in 1.6 s"


def test_another_agent_taking_over_is_said() -> None:
    talk = [*a_talk(), AgentLine(turn=2, agent="Billing desk", text="Billing, hello.")]
    run = the_run(read(a_report(a_failed_run(transcript=talk))))
    assert [line.words for line in run.all("li", class_="turn")][-1] == "Billing desk answers from here"


def test_each_check_has_its_verdict_and_a_link_to_the_line_that_it_rests_on() -> None:
    run = the_run(read(a_report(a_failed_run())))
    checks = run.one("ul", class_="checks").all("li")
    assert [check.classes[0] for check in checks] == ["passed", "failed", "queued"]
    assert [check.words for check in checks] == [
        '✓held: says "Monday" turn 1line 3 says it',
        '✗did not hold: never_says "guarantee" turn 1the agent said "I guarantee you"',
        '–not graded: judge "Was it polite?" not required not graded',
    ]
    target = checks[1].one("a").attributes["href"].removeprefix("#")
    line = run.one("li", id=target)
    assert "broken" in line.classes
    assert line.one("p", class_="break").words == (
        '✗ breaks the check never_says "guarantee" the agent said "I guarantee you"'
    )


def test_what_a_judge_quotes_is_shown_and_said_to_be_made_up_where_it_is() -> None:
    check = CheckResult(
        check=JudgeCheck(question="Polite?"), passed=False, quote="Go away", quote_verified=False, votes="2 of 3"
    )
    checks = the_run(read(a_report(a_failed_run(checks=[check])))).one("ul", class_="checks")
    assert checks.one("q").text == "Go away"
    assert [note.text for note in checks.all("i")] == ["2 of 3 judges", "the judge quotes what nobody said"]


def test_a_check_that_rests_on_a_line_that_is_not_there_has_no_link() -> None:
    check = CheckResult(check=Says(text="x"), passed=True, line=99)
    assert not the_run(read(a_report(a_failed_run(checks=[check])))).one("ul", class_="checks").all("a")


def test_score_warnings_and_error_are_shown() -> None:
    run = the_run(
        read(
            a_report(
                a_run("error", error="No key.", warnings=["One."], scorecard=Scorecard(score=41, summary="Be kind."))
            )
        )
    )
    assert run.one("p", class_="problem").words == "No key."
    assert run.one("p", class_="score").words == "41 of 100"
    assert "Be kind." in run.words
    assert run.one("ul", class_="warnings").words == "One."


def test_tokens_and_cost_are_listed_by_role_and_an_unknown_price_is_said_to_be_unknown() -> None:
    usage = [
        a_usage(cached_input_tokens=1000, reasoning_tokens=20),
        a_usage(cost=None, role="judge", model="local", estimated=True),
    ]
    rows = the_run(read(a_report(a_failed_run(usage=usage)))).one("table", class_="usage").all("tr")
    assert [row.words for row in rows[1:]] == [
        "agent openai:gpt-4.1-mini21,2001,000 cached3420 reasoning$0.01",
        "judge openai:local2~1,200~34unknown",
        "all4~2,400~68$0.01 + unknown",
    ]


def test_facts_of_the_run_say_where_its_test_is_written_and_how_it_ended() -> None:
    run = a_failed_run(seed=7, tags=["smoke"], variant="cheap", force_primary_failure=True, overrides_used=True)
    facts = the_run(read(a_report(run))).one("dl", class_="facts")
    values = dict(zip([name.text for name in facts.all("dt")], [value.text for value in facts.all("dd")], strict=True))
    assert values == {
        "Agent": "Northline Dental",
        "Caller": "persona",
        "Ended": "the agent hung up",
        "Variant": "cheap",
        "Written in": "greenroom.yaml:12",
        "Tags": "smoke",
        "Started": "2 March 2026, 09:00 UTC",
        "Seed": "7",
        "Rehearsal": "the backup brain wrote the replies",
        "Changed": "the agent was played with changes that are not in its file",
        "Run": "run_1",
    }


def test_repeats_stand_together_with_their_rate_interval_pass_power_and_check_rates() -> None:
    def repeat(index: int, *, passed: bool) -> object:
        checks = [
            CheckResult(check=Says(text="Monday"), passed=True),
            CheckResult(check=NeverSays(text="no"), passed=passed),
        ]
        return a_run("passed" if passed else "failed", repeat_index=index, checks=checks)

    runs = [repeat(0, passed=True), repeat(1, passed=False), repeat(2, passed=True), repeat(3, passed=True)]
    test = read(a_report(*runs, a_run("error", repeat_index=4, error="x"))).one("section", class_="test")  # pyright: ignore[reportArgumentType]
    assert test.one("h3").words == "Moves a booking"
    assert test.one("span", class_="flaky").words == "flaky"
    assert test.one("div", class_="rate").words == "75% 3 of 4 passed; 95% interval 30% to 95%; 1 could not finish"
    interval = test.one("rect", class_="interval").attributes
    assert (interval["x"], float(interval["width"])) == ("30.06", pytest.approx(95.44 - 30.06))
    assert test.one("line", class_="point").attributes["x1"] == "75.0"
    assert [power.words for power in test.all("span", class_="power")] == [
        "passto the power of 2 50%",
        "passto the power of 3 25%",
        "passto the power of 4 0%",
    ]
    rates = test.one("table", class_="rates").one("tbody").all("tr")
    assert [rate.words for rate in rates] == ['says "Monday"4 of 4 100%', 'never_says "no"3 of 4 75%']
    assert [run.one("h4").words for run in test.all("details", class_="run")] == [f"Run {n}" for n in range(1, 6)]


def test_repeats_of_which_none_finished_have_an_unknown_rate() -> None:
    runs = [a_run("error", error="x", repeat_index=index) for index in range(2)]
    test = read(a_report(*runs)).one("section", class_="test")
    assert test.one("div", class_="rate").words == "unknown 0 of 0 passed; 2 could not finish"


def test_variations_of_a_test_are_not_taken_for_repeats() -> None:
    page = read(a_report(a_run(variation="Calm"), a_run(variation="Angry")))
    assert not page.all("section", class_="test")
    assert [title.words for title in page.all("h3")] == ["Moves a booking [Calm]", "Moves a booking [Angry]"]


def test_every_tag_can_be_chosen_once_and_each_run_knows_its_own() -> None:
    page = read(
        a_report(a_run(tags=["smoke", "booking"]), a_run(tags=["booking"], variation="x"), a_run(variation="y"))
    )
    assert [(option.attributes["value"], option.text) for option in page.one("select").all("option")] == [
        ("", "all tags"),
        ("0", "booking"),
        ("1", "smoke"),
    ]
    assert [run.attributes.get("data-tags") for run in page.all("details", class_="run")] == ["1 0", "0", None]


def test_every_run_is_folded_and_the_filter_waits_for_the_script() -> None:
    page = read(a_full_report())
    assert all("open" not in run.attributes for run in page.all("details"))
    assert "hidden" in page.one("form").attributes
    assert "hidden" in page.one("button", id="theme").attributes


def test_names_of_places_on_the_page_are_unique_and_every_link_leads_to_one() -> None:
    page = read(a_full_report())
    names = [element.attributes["id"] for element in page.walk() if "id" in element.attributes]
    assert len(set(names)) == len(names)
    links = [link.attributes["href"] for link in page.all("a")]
    assert {link.removeprefix("#") for link in links} <= set(names)
    labelled = [
        element.attributes["aria-labelledby"] for element in page.walk() if "aria-labelledby" in element.attributes
    ]
    assert set(labelled) <= set(names)


def test_headings_never_skip_a_level() -> None:
    levels = [
        int(element.tag[1]) for element in read(a_full_report()).walk() if element.tag in ("h1", "h2", "h3", "h4", "h5")
    ]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_a_line_of_a_megabyte_is_shown_whole_in_pieces_of_its_own() -> None:
    text = "नमस्ते " * 150_000
    page = read(a_report(a_failed_run(transcript=[AgentLine(turn=0, agent="A", text=text)], checks=[])))
    long = the_run(page).one("div", class_="long")
    assert long.text == text
    assert max(len(piece.text) for piece in long.all("p")) <= 4000


def test_a_thousand_runs_of_six_turns_make_a_page_under_six_megabytes() -> None:
    assert len(html_page(many_runs(1000)).encode()) < 6_000_000


def test_the_same_report_gives_the_same_page() -> None:
    assert html_page(a_full_report()) == html_page(a_full_report())


def test_a_run_without_price_or_check_is_shown_without_them() -> None:
    page = read(a_report(a_run(usage=[a_usage(cost=None)]), a_run(variation="x", usage=[a_usage()])))
    assert [brief.words for brief in page.all("span", class_="brief")] == [
        "0 turns · cost unknown · 1.5 s",
        f"0 turns · ${Decimal('0.01')} · 1.5 s",
    ]


def test_a_page_that_cannot_be_written_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="could not be written"):
        write_html(a_report(a_run()), tmp_path)
