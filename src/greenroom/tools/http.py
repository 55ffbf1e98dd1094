"""An agent's HTTP tool for real: one request of its own."""

from __future__ import annotations

import regex

from greenroom.model.agent import HttpCall
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.model.text import shorten, speakable
from greenroom.outgoing.hiding import header_secrets
from greenroom.outgoing.http import ExchangeFailed, Outgoing, Reply
from greenroom.outgoing.json_text import read_json
from greenroom.play.ports import RealCall, ToolAnswer
from greenroom.tools.answers import failed, without_secrets
from greenroom.tools.http_request import UnusableValue, build_request

# What RFC 9110 calls a token.
_HEADER_NAME = regex.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


async def call_http(outgoing: Outgoing, call: RealCall) -> ToolAnswer:
    """Send the tool's own request and give its status and answer.

    Raises:
        RunError: the agent has no such HTTP tool, or one with a header that cannot be sent.
    """
    http = _template(call)
    try:
        request = build_request(http, call.arguments, call.variables)
        reply = await outgoing.exchange(
            request.method,
            request.url,
            headers=_marked(request.headers, call.test_header),
            body=request.body,
            seconds=call.seconds,
            max_bytes=call.max_bytes,
        )
    except UnusableValue as error:
        return failed("bad_arguments", str(error))
    except ExchangeFailed as error:
        return failed(error.reason, error.words)
    result: Json = {"status": reply.status, "result": _content(reply)}
    answer = ToolAnswer(result, reply.is_success, None if reply.is_success else "bad_status", status=reply.status)
    return without_secrets(answer, header_secrets(request.headers.items()))


def _marked(headers: dict[str, str], test_header: str) -> dict[str, str]:
    """`headers` with the mark of a test, whatever the tool says of that header itself."""
    own = {name: value for name, value in headers.items() if name.lower() != test_header.lower()}
    return {**own, test_header: "true"}


def _template(call: RealCall) -> HttpCall:
    for tool in call.agent.tools:
        if tool.name == call.tool and tool.http is not None:
            for name in tool.http.headers:
                if not _HEADER_NAME.fullmatch(name.strip()):
                    raise RunError(
                        f"The HTTP tool `{call.tool}` of the agent `{call.agent.name}` has a header whose name is not "
                        f"valid, `{shorten(name, 60)}`: use letters, digits and dashes."
                    )
            return tool.http
    raise RunError(f"The agent `{call.agent.name}` has no HTTP tool `{call.tool}`: give it one with `http`.")


def _content(reply: Reply) -> Json:
    if not reply.body.strip():
        return None
    try:
        return read_json(reply.body)
    except ValueError:
        return speakable(reply.text)
