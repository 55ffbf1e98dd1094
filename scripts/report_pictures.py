"""Draw `docs/images/report-light.png` and `report-dark.png`: the page that `--html` writes of the demo.

python -m scripts.report_pictures
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from tests.support.browser import ARGUMENTS, find_chromium

from greenroom.report.html import write_html
from greenroom.report.json_report import read_report

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "images"
SHARPNESS = 1.5
"""Pixels of a picture for each pixel of the page."""


def play_demo(folder: Path) -> Path:
    """Play the demo, and write its page into `folder`.

    Raises:
        RuntimeError: the demo did not end as it does.
    """
    program = Path(sys.executable).with_name("greenroom")
    ended = subprocess.run([program, "demo", "--json"], capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"greenroom demo ended with {ended.returncode}: {ended.stderr}")
    result = folder / "demo.json"
    result.write_text(ended.stdout, encoding="utf-8")
    page = folder / "demo.html"
    write_html(read_report(result), page)
    return page


def draw(browser: Browser, page: Path, name: str, *, width: int, height: int, dark: bool) -> Path:
    """A picture of the page with its failed run open."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=SHARPNESS,
        color_scheme="dark" if dark else "light",
    )
    opened = context.new_page()
    opened.goto(page.as_uri())
    opened.locator(".run.failed > summary").first.click()
    if dark:
        opened.locator(".run.failed").first.evaluate("found => scrollTo(0, found.offsetTop - 12)")
    opened.mouse.move(0, 0)
    opened.locator("body").evaluate("() => document.activeElement.blur()")
    path = PICTURES / name
    opened.screenshot(path=path)
    context.close()
    return path


def main() -> None:
    """Draw both pictures."""
    program = find_chromium()
    if program is None:
        raise SystemExit("The pictures are drawn by Chromium: install it, or name its program in GREENROOM_CHROMIUM.")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        page = play_demo(Path(folder))
        for name, width, height, dark in (("report-light.png", 1000, 1240, False), ("report-dark.png", 390, 844, True)):
            print(f"Drawn: {draw(browser, page, name, width=width, height=height, dark=dark)}")
        browser.close()


if __name__ == "__main__":
    main()
