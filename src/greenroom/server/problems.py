"""What clients are told when a request cannot be carried out: problems as in RFC 9457.

    Refusal                   the base: a status, a title and one sentence that says what to do
    ├── NotSignedIn           401
    ├── NotAllowed            403
    ├── NotFound              404, also for what belongs to another project
    ├── Conflict              409
    ├── ChangedSince          412, `If-Match` names an older state
    ├── TooLarge              413
    ├── Invalid               422, with `errors`, one for each wrong field
    ├── TooMany               429, with `Retry-After`
    └── Unavailable           503, the database does not answer

Services raise them; nothing else about HTTP is known there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.responses import Response

from greenroom.model.base import Json
from greenroom.model.errors import Problem
from greenroom.server.fields import field_name

MEDIA_TYPE = "application/problem+json"


class Refusal(HTTPException):
    """A request that is not carried out. `detail` is one plain sentence for the person who must act."""

    status = HTTPStatus.BAD_REQUEST
    title = "This request cannot be carried out"

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[Problem] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(self.status, detail, dict(headers or {}))
        self.errors = tuple(errors)
        self.extra = dict(extra or {})


class NotSignedIn(Refusal):
    status = HTTPStatus.UNAUTHORIZED
    title = "Who are you?"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class NotAllowed(Refusal):
    status = HTTPStatus.FORBIDDEN
    title = "Not allowed"


class Suspended(NotAllowed):
    """The account that the key or the project belongs to is suspended."""


class NotAMember(NotAllowed):
    """The developer is no member of the project, or there is none of this id."""


class LacksScope(NotAllowed):
    """The key or the role lacks a scope. `scope` is its native name."""

    def __init__(self, detail: str, scope: str) -> None:
        super().__init__(detail)
        self.scope = scope


class NotFound(Refusal):
    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class WrongMethod(Refusal):
    status = HTTPStatus.METHOD_NOT_ALLOWED
    title = "Not this way"


class Conflict(Refusal):
    status = HTTPStatus.CONFLICT
    title = "Not in this state"


class ChangedSince(Refusal):
    status = HTTPStatus.PRECONDITION_FAILED
    title = "Changed since"


class TooLarge(Refusal):
    status = HTTPStatus(413)
    title = "Too large"


class Invalid(Refusal):
    """Something in the request is wrong. The detail is that of the first of `errors` where none is given."""

    status = HTTPStatus(422)
    title = "Something in the request is wrong"

    def __init__(self, errors: Iterable[Problem] | str, detail: str | None = None) -> None:
        listed = (Problem((), errors),) if isinstance(errors, str) else tuple(errors)
        super().__init__(detail or _summary(listed), errors=listed)


class TooMany(Refusal):
    """Too many requests. `seconds` until it is worth trying again, at least 1."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "Too many requests"

    def __init__(self, detail: str, *, seconds: int) -> None:
        super().__init__(detail, headers={"Retry-After": str(max(1, seconds))})


class Unavailable(Refusal):
    """The service cannot answer at the moment; nothing was changed."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "Not available at the moment"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"Retry-After": "5"})


def problem_response(
    status: int,
    title: str,
    detail: str,
    *,
    request_id: str,
    errors: Sequence[Problem] = (),
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Json] | None = None,
) -> Response:
    """The answer that tells of a problem."""
    body: dict[str, Json] = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    if errors:
        body["errors"] = [{"field": field_name(each.path), "message": each.message} for each in errors]
    body |= extra or {}
    body["request_id"] = request_id
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(text, status, dict(headers or {}), media_type=MEDIA_TYPE)


def _summary(errors: Sequence[Problem]) -> str:
    first = errors[0].message
    sentence = first[:1].upper() + first[1:] if first[:1].isalpha() else first
    more = len(errors) - 1
    return sentence + (f" ({more} more mistake{'s' if more > 1 else ''}: see `errors`)" if more else "")
