"""How this door tells what it does not carry out: `{"error": {"code", "message"}}`, one sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastapi import Request
from starlette.responses import Response

from greenroom.model.errors import Problem
from greenroom.server.doors.evasay.schemas import TYPES
from greenroom.server.fields import field_name
from greenroom.server.problems import Invalid, Refusal
from greenroom.server.wording import sentence as say
from greenroom.server.wording import worded

CODES = {
    401: "unauthorized",
    402: "insufficient_credits",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "too_large",
    422: "invalid_request",
    429: "rate_limited",
    502: "model_failed",
    503: "unavailable",
}


_MOST = 5
"""How many mistakes one sentence names."""


class Dialect:
    """The codes and sentences of this door."""

    def refused(self, request: Request, refusal: Refusal) -> Response:  # noqa: ARG002 - every dialect is asked so
        # A change that crossed with another one is, in the words of this door, a conflict.
        status = 409 if refusal.status == 412 else int(refusal.status)
        message = _told(refusal.errors) if isinstance(refusal, Invalid) else str(refusal.detail)
        return _answer(status, message, dict(refusal.headers or {}))

    def misread(self, request: Request, errors: Sequence[Any]) -> Response:  # noqa: ARG002
        return _answer(422, _told([_worded(error) for error in errors]), {})


def _worded(error: dict[str, Any]) -> Problem:
    """What pydantic finds wrong, at its place in the request."""
    place, *path = error["loc"]
    if path and path[0] in TYPES:
        path = path[1:]
    kind = str(error["type"])
    if kind.startswith("union_tag"):
        return Problem(("type",), f"`type` is one of {', '.join(f'`{name}`' for name in TYPES)}")
    name = field_name(path)
    if name is None:
        [problem] = worded([{**error, "loc": (place,)}])
        return problem
    return Problem(tuple(path), say(name, kind, error.get("ctx") or {}, str(error["msg"])))


def _told(problems: Sequence[Problem]) -> str:
    """All that is wrong in one sentence, as far as one can be read."""
    told = list(dict.fromkeys(map(_at_its_place, problems)))
    more = len(told) - _MOST
    return "; ".join([*told[:_MOST], *([f"and {more} more"] if more > 0 else [])])


def _at_its_place(problem: Problem) -> str:
    place = field_name(problem.path)
    message = problem.message.rstrip(".")
    return message if place is None or f"`{place}`" in message else f"`{place}`: {message}"


def sentence(text: str) -> str:
    """A text as a sentence: with a capital, and a full stop."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."


def _answer(status: int, message: str, headers: dict[str, str]) -> Response:
    body = {"error": {"code": CODES.get(status, "invalid_request"), "message": sentence(message)}}
    # Half of a character in a name of the request is told as it was sent.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, headers, media_type="application/json")
