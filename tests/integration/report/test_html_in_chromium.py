from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Browser, Page, expect
from tests.support.big_reports import EVENING, a_full_report, agent, many_runs, run, two_variants
from tests.support.hostile import FRAGMENTS, a_hostile_report
from tests.support.runs import a_report, a_run

from greenroom.report.html import write_html
from greenroom.report.printable import printable
from greenroom.report.results import Report, make_report

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Open = Callable[..., Awaitable[Page]]

OPEN_ALL = "for (const fold of document.querySelectorAll('details')) fold.open = true"
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > window.innerWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(245, 246, 248)", "rgb(18, 21, 27)"


async def shown_runs(page: Page) -> list[str]:
    return await page.locator(".run:visible > summary :is(h3, h4)").all_text_contents()


@pytest.mark.parametrize("text", ["".join(FRAGMENTS), *FRAGMENTS])
async def test_nothing_that_was_said_runs_or_fetches_anything(open_report: Open, text: str) -> None:
    page = await open_report(a_hostile_report(text))
    await page.evaluate(OPEN_ALL)
    await page.locator("body").hover()
    assert await page.evaluate("window.owned") is None
    elements = await page.evaluate("[...new Set([...document.querySelectorAll('*')].map(found => found.localName))]")
    assert not {"iframe", "img", "object", "embed", "base", "textarea", "marquee"} & set(elements)
    assert await page.locator("script").count() == 1
    assert await page.locator("li.caller > p").first.evaluate("found => found.textContent") == printable(text)


async def test_the_policy_stops_a_script_that_would_get_in_all_the_same(browser: Browser, tmp_path: Path) -> None:
    write_html(a_report(a_run()), tmp_path / "report.html")
    page = await browser.new_page()
    await page.goto((tmp_path / "report.html").as_uri())
    blocked = await page.evaluate(
        """new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.owned = 1';
            document.body.append(script);
        })"""
    )
    assert blocked == "script-src-elem"
    assert await page.evaluate("window.owned") is None
    await page.close()


async def test_the_filter_shows_the_runs_of_one_verdict(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_label("could not finish").check()
    assert await shown_runs(page) == ["Looks up a patient"]
    await expect(page.locator("#shown")).to_have_text("1 of 18 runs shown")
    assert not await page.locator(".test").is_visible()
    await page.get_by_label("failed").check()
    assert len(await shown_runs(page)) == 5
    await page.get_by_label("all", exact=True).check()
    assert len(await shown_runs(page)) == 18
    await expect(page.locator("#shown")).to_have_text("")


async def test_the_filter_shows_the_runs_with_a_tag(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_label("Tag").select_option(label="smoke")
    assert await shown_runs(page) == ["Moves a booking", "Looks up a patient"]


async def test_the_filter_finds_words_of_talks_checks_and_names_whatever_their_case(open_report: Open) -> None:
    page = await open_report(a_full_report())
    find = page.get_by_role("searchbox")
    for words, found in {
        "i am a little AFRAID": ["Never promises that it will not hurt"],
        "अपॉइंटमेंट": ["Answers in Hindi"],
        "[mandarin]": ["Answers in Chinese [Mandarin]"],
        "the key was refused": ["Looks up a patient"],
        "hand_off_to_agent": ["Hands a billing question over"],
    }.items():
        await find.fill(words)
        assert await shown_runs(page) == found
    await find.fill("reads the time back")
    assert (await shown_runs(page))[-10:] == [f"Run {number}" for number in range(1, 11)]


async def test_when_no_run_fits_the_page_says_so_and_offers_all_again(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_role("searchbox").fill("nobody says this")
    assert await shown_runs(page) == []
    await page.get_by_role("button", name="Show all runs").click()
    assert len(await shown_runs(page)) == 18
    await expect(page.get_by_role("searchbox")).to_be_focused()


async def test_verdict_tag_and_words_hold_together(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_label("failed").check()
    await page.get_by_label("Tag").select_option(label="language")
    assert await shown_runs(page) == ["Answers in Arabic"]
    await page.get_by_role("searchbox").fill("x" * 20)
    assert await shown_runs(page) == []


async def test_open_all_opens_what_the_filter_shows(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_label("could not finish").check()
    await page.get_by_role("button", name="Open all").click()
    assert await page.locator(".run[open]").count() == 1
    await page.get_by_role("button", name="Close all").click()
    assert await page.locator(".run[open]").count() == 0


async def test_a_run_named_at_the_top_opens_even_when_it_is_filtered_away(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.get_by_label("passed").check()
    await page.get_by_role("link", name="Looks up a patient").click()
    await expect(page.locator("#r17 .problem")).to_be_in_viewport()
    await expect(page.locator("#r17 .problem")).to_contain_text("the key was refused")
    await page.get_by_role("button", name="Close all").click()
    await page.get_by_role("link", name="Looks up a patient").click()
    await expect(page.locator("#r17 .problem")).to_be_in_viewport()


async def test_a_check_leads_to_the_line_that_it_rests_on(open_report: Open) -> None:
    page = await open_report(a_full_report(), height=400)
    test = page.locator(".run.failed").first
    await test.locator("summary").first.click()
    await test.locator(".checks").get_by_role("link", name="turn 1").click()
    line = test.locator("li:target")
    await expect(line).to_be_in_viewport()
    await expect(line).to_contain_text("I guarantee you")
    await expect(line.locator(".break")).to_contain_text("never_says")


@pytest.mark.parametrize(("scheme", "ground", "other"), [("light", LIGHT, DARK), ("dark", DARK, LIGHT)])
async def test_the_page_goes_by_the_system_until_a_reader_chooses_and_remembers_it(
    open_report: Open, scheme: str, ground: str, other: str
) -> None:
    page = await open_report(a_full_report(), color_scheme=scheme)
    button = page.get_by_role("button", name="Dark")
    assert await page.evaluate(BACKGROUND) == ground
    await expect(button).to_have_attribute("aria-pressed", str(scheme == "dark").lower())
    await button.click()
    assert await page.evaluate(BACKGROUND) == other
    await page.reload()
    assert await page.evaluate(BACKGROUND) == other
    await expect(button).to_have_attribute("aria-pressed", str(scheme == "light").lower())


@pytest.mark.parametrize(
    "report", [a_full_report(), two_variants(), a_hostile_report("x" * 3000), a_hostile_report("न" * 3000)]
)
async def test_nothing_is_wider_than_a_phone(open_report: Open, report: Report) -> None:
    page = await open_report(report, width=390, height=844)
    await page.evaluate(OPEN_ALL)
    assert not await page.evaluate(WIDER_THAN_THE_WINDOW)
    cut_off = await page.evaluate(
        """[...document.querySelectorAll('.run *, header *, nav *, form *')]
            .filter((found) => !found.closest('.spoken, .skip, .long, pre, svg'))
            .filter((found) => found.getBoundingClientRect().right > innerWidth + 1)
            .map((found) => found.outerHTML.slice(0, 80))"""
    )
    assert cut_off == []


async def test_on_paper_what_did_not_pass_is_whole_and_what_passed_is_one_line(open_report: Open) -> None:
    page = await open_report(a_full_report(), color_scheme="dark")
    await page.emulate_media(media="print")
    assert await page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    height = "found => found.getBoundingClientRect().height"
    assert await page.locator("#filter").is_hidden()
    assert await page.locator(".run.failed .talk").first.evaluate(height) > 200
    assert await page.locator(".run.failed li.tool pre").first.evaluate(height) > 0
    assert await page.locator(".run.passed").first.evaluate(height) < 60
    await page.locator(".run.passed").first.evaluate("found => { found.open = true }")
    assert await page.locator(".run.passed .talk").first.evaluate(height) > 200
    assert (await page.pdf()).startswith(b"%PDF")


async def test_everything_can_be_reached_and_used_by_keyboard(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the tests")
    await expect(skip).to_be_focused()
    await expect(skip).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("radio", name="all", exact=True)).to_be_focused()
    await page.keyboard.press("ArrowRight")
    assert len(await shown_runs(page)) == 5
    await page.keyboard.press("ArrowLeft")
    first = page.locator(".run > summary").first
    for _ in range(10):
        if await first.evaluate("found => found === document.activeElement"):
            break
        await page.keyboard.press("Tab")
    await expect(first).to_be_focused()
    assert await first.evaluate("found => getComputedStyle(found).outlineStyle") == "solid"
    await page.keyboard.press("Enter")
    await expect(page.locator(".run .talk").first).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.locator(".run .checks a").first).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("report", "width"), [(a_full_report(), 1200), (a_full_report(), 390), (two_variants(), 1200)])
async def test_no_rule_for_accessible_pages_is_broken(
    open_report: Open, scheme: str, report: Report, width: int
) -> None:
    page = await open_report(report, width=width, color_scheme=scheme)
    await page.evaluate(OPEN_ALL)
    await page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    found: dict[str, Any] = await page.evaluate("axe.run({resultTypes: ['violations']})")
    assert found["passes"]
    broken = {rule["id"]: [node["html"][:120] for node in rule["nodes"][:3]] for rule in found["violations"]}
    assert broken == {}


async def test_without_scripts_everything_can_still_be_read(open_report: Open) -> None:
    page = await open_report(a_full_report(), java_script_enabled=False)
    assert await page.locator("#filter").is_hidden()
    assert await page.get_by_role("button", name="Dark").is_hidden()
    await page.get_by_role("link", name="Answers in Arabic").click()
    await expect(page.get_by_text("مرحبا، أريد تغيير موعدي")).to_be_visible()
    await page.locator(".run.passed > summary").first.click()
    await expect(page.locator(".run.passed .talk").first).to_be_visible()


async def test_right_to_left_words_are_set_from_right_to_left_in_their_bubble(open_report: Open) -> None:
    page = await open_report(a_full_report())
    await page.evaluate(OPEN_ALL)
    words = page.get_by_text("مرحبا، أريد تغيير موعدي")
    assert await words.evaluate("found => getComputedStyle(found).direction") == "rtl"
    hindi = page.get_by_text("जी हाँ, कल सुबह")
    assert await hindi.evaluate("found => getComputedStyle(found).direction") == "ltr"


async def test_a_thousand_runs_are_filtered_and_only_what_is_seen_is_laid_out(open_report: Open) -> None:
    page = await open_report(many_runs(1000))
    assert await page.locator(".run").count() == 1000
    skipped = await page.locator(".run").last.evaluate(
        "found => found.querySelector('summary').checkVisibility({contentVisibilityAuto: true})"
    )
    assert skipped is False
    await page.get_by_role("searchbox").fill("call 77:")
    assert await shown_runs(page) == ["Question 77"]


@pytest.mark.parametrize("text", ["a" * 1_000_000, "अ क्ष" * 200_000, "<b>" * 330_000])
async def test_a_line_of_a_megabyte_is_shown_in_a_box_that_scrolls(open_report: Open, text: str) -> None:
    long = run(1, "Long", "failed", transcript=[agent(0, text)])
    page = await open_report(make_report([long], [], started_at=EVENING, finished_at=EVENING))
    await page.evaluate(OPEN_ALL)
    box = page.locator(".long")
    assert await box.evaluate("found => found.textContent") == text
    size = await box.bounding_box()
    assert size is not None
    assert size["height"] < 600
    assert not await page.evaluate(WIDER_THAN_THE_WINDOW)
