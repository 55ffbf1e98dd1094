"""How this door tells what it does not carry out: `detail` is one sentence, or an item for each wrong field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import Request
from starlette.responses import Response

from greenroom.server.doors.dvaarik.access import is_console
from greenroom.server.doors.dvaarik.wording import RULE, item, item_of_parameter
from greenroom.server.problems import Invalid, NotAMember, NotFound, Refusal

_NO_PROJECT = "You have no project with this id."


class Dialect:
    """The sentences and items of this door."""

    def refused(self, request: Request, refusal: Refusal) -> Response:
        if isinstance(refusal, NotAMember):
            refusal = NotFound(_NO_PROJECT)
        headers = dict(refusal.headers or {})
        if "WWW-Authenticate" in headers and not is_console(request):
            headers["WWW-Authenticate"] = "ApiKey"
        if isinstance(refusal, Invalid) and all(problem.path for problem in refusal.errors):
            place = "query" if request.method == "GET" else "body"
            items = [item((place, *each.path), each.path, RULE, each.message) for each in refusal.errors]
            return _answer(int(refusal.status), items, headers)
        return _answer(int(refusal.status), sentence(str(refusal.detail)), headers)

    def misread(self, request: Request, errors: Sequence[Any]) -> Response:  # noqa: ARG002 - every dialect is asked so
        # Those of the door's own bodies are items already.
        return _answer(422, [each if "field" in each else item_of_parameter(each) for each in errors])


def sentence(text: str) -> str:
    """A text as a sentence: with a capital, and a full stop."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _answer(status: int, detail: str | list[dict[str, Any]], headers: Mapping[str, str] | None = None) -> Response:
    # Half of a character in a name of the request is told as it was sent.
    text = json.dumps({"detail": detail}, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, dict(headers or {}), media_type="application/json")
