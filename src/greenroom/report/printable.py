"""Text that others wrote (models, callers, tools), made safe to print."""

from __future__ import annotations

import json
import re

from greenroom.model.base import Json

_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\x85]")
# Control characters but for the line feed, what reorders a line on a terminal, and lone surrogates.
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_TAB = "    "
_REPLACEMENT = "\ufffd"
_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = "\x7f", "\u2421"


def printable(text: str) -> str:
    """`text` with every control character made visible, so that no model can move the cursor or colour the screen.

    Line ends become line feeds and tabs four spaces; other control characters become their pictures (`␛`), and C1
    controls, direction overrides and lone surrogates become U+FFFD.
    """
    return _UNSAFE.sub(_picture, _LINE_ENDS.sub("\n", text))


def printable_line(text: str) -> str:
    """`printable`, on one line with single spaces."""
    return " ".join(printable(text).split())


def _picture(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\t":
        return _TAB
    if character == _DELETE:
        return _DELETE_PICTURE
    return chr(_CONTROL_PICTURES + ord(character)) if character < " " else _REPLACEMENT


def compact_json(value: Json, limit: int) -> str:
    """`value` as JSON on one printable line, cut to `limit` characters."""
    line = printable_line(json.dumps(value, ensure_ascii=False, default=str))
    return line if len(line) <= limit else line[: limit - 1] + "…"
