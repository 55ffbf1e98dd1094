from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Page, expect
from tests.support.big_reports import EVENING, a_full_report, agent, many_runs, run
from tests.support.hostile import FRAGMENTS, a_hostile_report
from tests.support.runs import a_report, a_run

from greenroom.report.printable import printable
from greenroom.report.results import make_report

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Open = Callable[..., Awaitable[Page]]

OPEN_ALL = "for (const fold of document.querySelectorAll('details')) fold.open = true"
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > window.innerWidth"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(245, 246, 248)", "rgb(18, 21, 27)"


async def shown_runs(page: Page) -> list[str]:
    return await page.locator(".run:visible > summary :is(h3, h4)").all_inner_texts()


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


async def test_the_policy_stops_a_script_that_would_get_in_all_the_same(open_report: Open) -> None:
    page = await open_report(a_report(a_run()))
    blocked = await page.evaluate(
        """new Promise((resolve) => {
            document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
            const element = document.createElement('img');
            element.setAttribute('onerror', 'window.owned = 1');
            element.src = 'data:,';
            document.body.append(element);
        })"""
    )
    assert blocked == "script-src-attr"
    assert await page.evaluate("window.owned") is None
    page.remove_listener
