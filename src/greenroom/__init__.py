"""Greenroom tests conversational agents before they take real calls.

What tests in Python use (`Persona`, `calls_tool`, `Played` and so on, all of `greenroom.testing`) can also be imported
from here; it is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from greenroom.testing import *  # noqa: F403


def __getattr__(name: str) -> object:
    if not name.startswith("_"):
        import greenroom.testing

        if name in greenroom.testing.__all__:
            return getattr(greenroom.testing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
