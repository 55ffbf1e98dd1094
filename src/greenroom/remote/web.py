"""One question to a remote agent over HTTP, and what each way of not answering it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import cast
from urllib.parse import quote, urljoin

import regex
from pydantic import SecretStr

from greenroom.model.base import Json
from greenroom.model.placeholders import UnknownPlace, fill_text
from greenroom.model.text import shorten, speakable
from greenroom.outgoing.http import ExchangeFailed, Outgoing, Reply
from greenroom.outgoing.json_text import read_json
from greenroom.outgoing.waiting import read_retry_after
from greenroom.play.ports import RemoteRequest
from greenroom.remote.patience import AttemptFailed
from greenroom.remote.side import OtherSide, origin
from greenroom.remote.talk import no_value

MAX_BYTES = 4 * 1024 * 1024
_CONTROL = regex.compile(r"\p{Cc}+")
_PASSING = frozenset({408, 425, 429})


@dataclass(frozen=True, slots=True)
class Question:
    """A request, ready to be sent. Headers never show in a repr."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes | None = None


def filled_url(request: RemoteRequest, url: str, values: Mapping[str, Json]) -> str:
    """The URL with its places filled in, each value percent-encoded, so that it cannot leave its place.

    Raises:
        RunError: there is no value for a place.
    """
    try:
        return fill_text(url, values, lambda text: quote(speakable(text), safe=""))
    except UnknownPlace as place:
        raise no_value(request, place, "url") from None


def filled_headers(
    request: RemoteRequest, headers: Mapping[str, SecretStr], values: Mapping[str, Json], own: Mapping[str, str]
) -> dict[str, str]:
    """The headers to send: the agent's with their places filled in, over `own`, and the mark of a test.

    Raises:
        RunError: there is no value for a place.
    """
    sent = dict(own)
    for name, value in headers.items():
        try:
            # Line ends and other control characters could begin a header of their own.
            text = _CONTROL.sub(" ", fill_text(value.get_secret_value(), values)).strip()
        except UnknownPlace as place:
            raise no_value(request, place, f"headers.{name}") from None
        for other in [known for known in sent if known.lower() == name.lower()]:
            del sent[other]
        sent[name] = text
    mark = request.test_header
    return {**{name: value for name, value in sent.items() if name.lower() != mark.lower()}, mark: "true"}


async def ask(outgoing: Outgoing, question: Question, side: OtherSide, seconds: float) -> Reply:
    """Put a question and give its answer, which has a status of success and a body.

    Raises:
        AttemptFailed: there is no such answer.
    """
    try:
        reply = await outgoing.exchange(
            question.method,
            question.url,
            headers=question.headers,
            body=question.body,
            seconds=seconds,
            max_bytes=MAX_BYTES,
        )
    except ExchangeFailed as failure:
        raise not_reached(failure, side) from None
    if not reply.is_success:
        raise bad_status(reply.status, reply.retry_after, side, location=_target(question, reply), said=_words(reply))
    if not reply.body.strip():
        raise AttemptFailed(side.error(f"answered with nothing (status {reply.status}): see its logs"))
    return reply


def json_of(reply: Reply, side: OtherSide) -> Json:
    """The JSON in an answer.

    Raises:
        RunError: it is none.
    """
    try:
        return read_json(reply.body)
    except ValueError:
        kind = f" ({shorten(reply.content_type, 60)})" if reply.content_type else ""
        raise side.error(
            f"answered with something that is not JSON{kind}: check that `remote.url` leads to its API"
        ) from None


def not_reached(failure: ExchangeFailed, side: OtherSide) -> AttemptFailed:
    """What it means that there was no answer."""
    words = failure.words_about(side.noun).rstrip(".")
    match failure.reason:
        case "timeout":
            advice = ": make it faster, or raise `remote.timeout_seconds`"
        case "unreachable" if failure.unsent:
            advice = ": check `remote.url` and that it is running"
        case "unreachable" if failure.may_pass:
            advice = ": see its logs"
        case "unreachable":
            advice = ": check `remote.url`"
        case _:
            advice = ""
    # A second colon in a sentence reads badly.
    advice = advice.replace(": ", "; ", 1) if ": " in words else advice
    return AttemptFailed(side.sentence(f"{words}{advice}."), may_pass=failure.may_pass, unheard=failure.unsent)


def bad_status(
    status: int, retry_after: str | None, side: OtherSide, *, location: str | None = None, said: str = ""
) -> AttemptFailed:
    """What a status that is no success means. `said` is the other side's own explanation, `location` where a
    redirect leads."""
    wait = read_retry_after(retry_after)
    quoted = f", in its words {side.quote(said)}" if said else ""
    error = side.error(f"{_predicate(status, location)}{quoted}{_advice(status)}")
    return AttemptFailed(
        error,
        may_pass=status in _PASSING or status >= 500,
        unheard=status == 429 or (status == 503 and wait is not None),
        retry_after=wait,
    )


def _predicate(status: int, location: str | None) -> str:
    if 300 <= status < 400:
        to = f" to {origin(location)}" if location else ""
        return f"answered with a redirect{to} (status {status}), which is not followed"
    try:
        phrase = f" ({HTTPStatus(status).phrase})"
    except ValueError:
        phrase = ""
    return f"answered with status {status}{phrase}"


def _advice(status: int) -> str:
    match status:
        case 401 | 403:
            return ": check its key in `remote.credential` or `remote.headers`"
        case 404 | 405:
            return ": check `remote.url`"
        case 429:
            return ": wait a while or lower the concurrency"
        case _ if 300 <= status < 400:
            return ": set `remote.url` to the final address"
        case _ if status >= 500:
            return ": see its logs"
        case _:
            return ": check what `remote` sends"


def _target(question: Question, reply: Reply) -> str | None:
    if not reply.location:
        return None
    try:
        return urljoin(question.url, reply.location)
    except ValueError:
        return None


def _words(reply: Reply) -> str:
    try:
        return words_in(read_json(reply.body))
    except ValueError:
        return ""


def words_in(body: Json) -> str:
    """The explanation in the body of an error: each service puts it in a place of its own."""
    if not isinstance(body, dict):
        return ""
    for name in ("error", "message", "detail"):
        value = body.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            return words_in(cast("Json", value))
    return ""
