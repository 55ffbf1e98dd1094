"""The Chromium that tests of pages run in.

Where none is found, `make test` leaves these tests out, so that it passes on a machine with Python, make and git
alone. Where `GREENROOM_REQUIRE_BROWSER` is set, as `.ci/run` sets it, they fail instead and say what to install.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
WHAT_TO_DO = (
    "No Chromium was found, and GREENROOM_REQUIRE_BROWSER says that there must be one: install it "
    "(on Debian `apt-get install chromium`), or name its program in GREENROOM_CHROMIUM."
)


def find_chromium() -> str | None:
    """The program of a Chromium: what `GREENROOM_CHROMIUM` names, else the first that this machine has."""
    named = os.environ.get("GREENROOM_CHROMIUM")
    if named:
        return shutil.which(named)
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or (str(MAC) if MAC.exists() else None)


def is_required() -> bool:
    """Whether tests in a browser must not be left out."""
    return os.environ.get("GREENROOM_REQUIRE_BROWSER", "") not in ("", "0")
