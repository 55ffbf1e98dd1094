"""Patterns in RE2 syntax: matched in linear time, so that none can hang a run."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs] - RE2's binding has no types; they are given where it is used


class _Found(Protocol):
    def start(self) -> int: ...
    def end(self) -> int: ...


class _Compiled(Protocol):
    def search(self, text: str) -> _Found | None: ...


class BadPattern(ValueError):
    """A pattern that RE2 does not read; the message says why."""


@lru_cache(maxsize=1024)
def _compile(pattern: str) -> _Compiled:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled: object = re2.compile(unicodedata.normalize("NFC", pattern), options)  # pyright: ignore[reportUnknownMemberType]
        return cast("_Compiled", compiled)
    except re2.error as problem:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        raise BadPattern(_words_of(cast("Exception", problem))) from None


def _words_of(problem: Exception) -> str:
    detail = problem.args[0] if problem.args else problem
    return detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)


def check_pattern(pattern: str) -> None:
    """Raise `BadPattern` where `pattern` is not RE2 syntax."""
    _compile(pattern)


def found(pattern: str, text: str) -> bool:
    """Whether `pattern` matches somewhere in `text`, without regard to case and to Unicode composition.

    Raises:
        BadPattern: `pattern` is not RE2 syntax.
    """
    return _compile(pattern).search(unicodedata.normalize("NFC", text)) is not None
