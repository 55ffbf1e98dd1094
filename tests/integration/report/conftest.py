from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright
from tests.support.browser import ARGUMENTS, WHAT_TO_DO, find_chromium, is_required

from greenroom.report.html import write_html
from greenroom.report.results import Report

Open = Callable[..., Awaitable[Page]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if is_required() or find_chromium():
        return
    left_out = [item for item in items if item.get_closest_marker("browser")]
    items[:] = [item for item in items if not item.get_closest_marker("browser")]
    config.hook.pytest_deselected(items=left_out)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.fail(WHAT_TO_DO, pytrace=False)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        await started.close()


@pytest_asyncio.fixture(loop_scope="module")
async def open_report(browser: Browser, tmp_path: Path) -> AsyncIterator[Open]:
    """Write a report and open it. What the page asks of the network or tells on its console fails the test."""
    troubles: list[str] = []
    path = tmp_path / "report.html"
    contexts: list[Any] = []

    async def open_it(report: Report, width: int = 1200, height: int = 900, **context_options: Any) -> Page:
        write_html(report, path)
        context = await browser.new_context(viewport={"width": width, "height": height}, **context_options)
        contexts.append(context)
        page = await context.new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: troubles.append(request.url) if request.url != address else None)
        address = path.as_uri()
        await page.goto(address)
        return page

    yield open_it
    for context in contexts:
        await context.close()
    outside = [trouble for trouble in troubles if not trouble.startswith((path.as_uri(), "data:,"))]
    assert outside == []
