"""Agents behind an endpoint that takes and gives JSON."""

from __future__ import annotations

from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from greenroom.model.base import Json
from greenroom.model.placeholders import UnknownPlace, fill, places
from greenroom.model.remote import RemoteHttp
from greenroom.model.text import speakable
from greenroom.outgoing.http import Outgoing
from greenroom.outgoing.json_text import as_text, write_json
from greenroom.play.ports import RemoteReply, RemoteRequest
from greenroom.remote.answers import AnswerMap, read_answer
from greenroom.remote.paths import NotThere, find
from greenroom.remote.patience import Patience
from greenroom.remote.side import OtherSide
from greenroom.remote.talk import check_no_history, no_value, values_of
from greenroom.remote.web import Question, ask, filled_headers, filled_url, json_of

DEFAULT_FIELDS: dict[str, Json] = {
    "message": "{{message}}",
    "session_id": "{{session_id}}",
    "prompt": "{{prompt}}",
    "variables": "{{variables}}",
}
_WHOLE_TALK: dict[str, Json] = {**DEFAULT_FIELDS, "messages": "{{messages}}"}


class HttpAgents:
    """Asks agents over HTTP. Keeps, for each run, the session's id where the other side gave one of its own."""

    def __init__(self, outgoing: Outgoing, patience: Patience) -> None:
        self._outgoing = outgoing
        self._patience = patience
        self._sessions: dict[str, dict[str, Json]] = {}

    async def reply(
        self, request: RemoteRequest, remote: RemoteHttp, side: OtherSide, *, seconds_left: float
    ) -> RemoteReply:
        """Ask once, and again where that may help.

        Raises:
            RunError: it failed.
        """
        if remote.stateful:
            check_no_history(request)
        name = request.agent.name
        known = self._sessions.get(request.run_id, {}).get(name)
        question = build_question(request, remote, request.session_id if known is None else known)
        side = side.also_hiding(question.headers.get(header, "") for header in remote.headers)

        async def attempt(seconds: float) -> RemoteReply:
            answer = json_of(await ask(self._outgoing, question, side, seconds), side)
            reply = read_answer(answer, AnswerMap(remote.reply, remote.tool_calls, remote.ended), side)
            if remote.session is not None:
                self._sessions.setdefault(request.run_id, {})[name] = _session_in(answer, remote.session, known, side)
            return reply

        return await self._patience.ask(
            attempt, stateful=remote.stateful, timeout_seconds=remote.timeout_seconds, seconds_left=seconds_left
        )

    async def close(self, run_id: str) -> None:
        """Forget a run's session."""
        self._sessions.pop(run_id, None)


def build_question(request: RemoteRequest, remote: RemoteHttp, session_id: Json) -> Question:
    """The request that puts the caller's words to the agent. Pure.

    Raises:
        RunError: a place has no value.
    """
    values = values_of(request, session_id)
    body = remote.body if remote.body is not None else DEFAULT_FIELDS if remote.stateful else _WHOLE_TALK
    try:
        filled = fill(body, values)
    except UnknownPlace as place:
        raise no_value(request, place, "body") from None
    url = filled_url(request, remote.url, values)
    if remote.method == "GET":
        # Its URL says all that a GET has to say.
        says_it_already = remote.body is None and any(places(remote.url))
        headers = filled_headers(request, remote.headers, values, {"Accept": "application/json"})
        return Question("GET", url if says_it_already else _with_query(url, filled), headers)
    own = {"Content-Type": "application/json", "Accept": "application/json"}
    headers = filled_headers(request, remote.headers, values, own)
    return Question(remote.method, url, headers, write_json(filled).encode("ascii"))


def _with_query(url: str, fields: Json) -> str:
    if not isinstance(fields, dict) or not fields:
        return url
    parts = urlsplit(url)
    query = urlencode(
        [(name, speakable(as_text(value))) for name, value in fields.items() if value is not None], quote_via=quote
    )
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))


def _session_in(answer: Json, path: str, known: Json, side: OtherSide) -> Json:
    """The session's id in an answer, or the `known` one where an answer does not repeat it.

    Raises:
        RunError: there is none at all.
    """
    try:
        found = find(answer, path)
        missing = ""
    except NotThere as problem:
        found, missing = None, f"; {problem}"
    if isinstance(found, str | int) and not isinstance(found, bool) and found != "":
        return found
    if known is None:
        raise side.error(f"answered without its session's id at `{path}`{missing}: correct `remote.session`")
    return known
