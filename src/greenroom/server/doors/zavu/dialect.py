"""How this door tells what it does not carry out: a code, a sentence, and details."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from starlette.responses import Response

from greenroom.model.base import Json
from greenroom.model.errors import Problem
from greenroom.server.credits.service import OverBudget
from greenroom.server.problems import Invalid, LacksScope, Refusal, Suspended, TooLarge
from greenroom.server.wording import worded

_INVALID = "invalid_request"
_OWN_CODES = frozenset({"too_big", "too_small", "invalid_value"})
_FIELD_CODES: Mapping[str, str] = {
    "missing": "required",
    "extra_forbidden": "unrecognized_key",
    "string_too_short": "too_small",
    "literal_error": "invalid_value",
    "string_unicode": "invalid_value",
    "json_invalid": "invalid_json",
}
_CODES: Mapping[int, str] = {
    401: "unauthorized",
    402: "insufficient_balance",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    429: "rate_limit_exceeded",
    503: "unavailable",
}
_RECOMMENDATIONS: Mapping[str, str] = {
    "unauthorized": "Send a key of the project that the agent belongs to.",
    "insufficient_balance": "Add credits, or give the agent's model a credential of the project's own.",
    "budget_exceeded": "Raise the bound that the project has set for its costs.",
    "rate_limit_exceeded": "Send the request again after the seconds in `Retry-After`.",
}


class Dialect:
    """The refusals of this door."""

    def refused(self, request: Request, refusal: Refusal) -> Response:  # noqa: ARG002 - as every dialect takes it
        """See `greenroom.server.doors.door.Dialect`."""
        headers = refusal.headers or {}
        if isinstance(refusal, Invalid):
            return _invalid([_item(list(each.path), each.message, "invalid_value") for each in refusal.errors], headers)
        if isinstance(refusal, TooLarge):
            return _invalid([_item([], str(refusal.detail), "too_big")], headers)
        return _answer(int(refusal.status), _code(refusal), str(refusal.detail), headers)

    def misread(self, request: Request, errors: Sequence[Any]) -> Response:  # noqa: ARG002
        """See `greenroom.server.doors.door.Dialect`."""
        return _invalid([_misread(error, problem) for error, problem in zip(errors, worded(errors), strict=True)], {})


def _misread(error: Mapping[str, Any], problem: Problem) -> dict[str, Json]:
    kind = str(error["type"])
    if kind in _OWN_CODES:
        return _item(list(problem.path), str(error["msg"]), kind)
    return _item(list(problem.path), problem.message, _FIELD_CODES.get(kind, "invalid_type"))


def _item(path: list[str | int], message: str, code: str) -> dict[str, Json]:
    return {"path": [*path], "message": message, "code": code}


def _invalid(items: Sequence[dict[str, Json]], headers: Mapping[str, str]) -> Response:
    first = str(items[0]["message"])
    sentence = first[:1].upper() + first[1:] if first[:1].isalpha() else first
    details: dict[str, Json] = {"errors": [*items]}
    return _response(HTTPStatus.BAD_REQUEST, {"code": _INVALID, "message": sentence, "details": details}, headers)


def _code(refusal: Refusal) -> str:
    match refusal:
        case OverBudget():
            return "budget_exceeded"
        case LacksScope():
            return "missing_scope"
        case Suspended():
            return "account_suspended"
        case _:
            return _CODES.get(int(refusal.status), _INVALID)


def _answer(status: int, code: str, message: str, headers: Mapping[str, str]) -> Response:
    body: dict[str, Json] = {"code": code, "message": message}
    if code in _RECOMMENDATIONS:
        body["details"] = {"recommendation": _RECOMMENDATIONS[code]}
    return _response(status, body, headers)


def _response(status: int, body: dict[str, Json], headers: Mapping[str, str]) -> Response:
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, dict(headers), media_type="application/json")
