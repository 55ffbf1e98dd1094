"""The names under which an agent sees the tools of its MCP servers. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Container

import regex

_LONGEST = 64
_INVALID = regex.compile(r"[^A-Za-z0-9_-]")


def offered_name(server: str, tool: str, taken: Container[str] = ()) -> str:
    """`server__tool` where every provider takes that as a name of at most 64 letters, digits, `_` and `-`, and it
    is not in `taken`.

    Otherwise what is invalid becomes `_` and the name ends in eight digits that follow from the original, so that
    the same tool has the same name in every run and two tools never share one.
    """
    plain = f"{server}__{tool}"
    if len(plain) <= _LONGEST and not _INVALID.search(plain) and plain not in taken:
        return plain
    attempt = 0
    while True:
        mark = hashlib.sha256(f"{server}\n{tool}\n{attempt}".encode("utf-8", errors="surrogatepass")).hexdigest()[:8]
        name = f"{_INVALID.sub('_', plain)[: _LONGEST - 9]}_{mark}"
        if name not in taken:
            return name
        attempt += 1
