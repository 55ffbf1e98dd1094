"""A chat completion that was sent as a stream of events although none was asked for: put together to a whole one.

Endpoints that were written for telephone platforms often know no other way.
"""

from __future__ import annotations

from collections.abc import Iterator

from greenroom.model.base import Json
from greenroom.outgoing.http import Reply
from greenroom.outgoing.json_text import read_json
from greenroom.remote.paths import get
from greenroom.remote.side import OtherSide

_END = "[DONE]"


def is_stream(reply: Reply) -> bool:
    """Whether an answer is a stream of events."""
    return reply.content_type == "text/event-stream" or reply.body.lstrip().startswith(b"data:")


def read_stream(reply: Reply, side: OtherSide) -> Json:
    """The completion that the events of a stream make together. Pure.

    Raises:
        RunError: an event is not JSON, or the stream broke off.
    """
    text: list[str] = []
    calls: dict[int, dict[str, Json]] = {}
    whole: dict[str, Json] = {}
    finish: Json = None
    ended = False
    for data in _events(reply.text):
        if data.strip() == _END:
            ended = True
            break
        try:
            event = read_json(data)
        except ValueError:
            raise side.error("answered with a stream that has an event which is not JSON: see its logs") from None
        if get(event, "error") is not None:
            return event
        whole.update({name: value for name in ("model", "usage") if (value := get(event, name)) is not None})
        if isinstance(piece := get(event, "choices.0.delta.content"), str):
            text.append(piece)
        _add_calls(calls, get(event, "choices.0.delta.tool_calls"))
        finish = get(event, "choices.0.finish_reason") or finish
    if not ended and finish is None:
        raise side.error("broke its answer off: its stream has no end: see its logs")
    message: dict[str, Json] = {"content": "".join(text), "tool_calls": [calls[index] for index in sorted(calls)]}
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}


def _events(text: str) -> Iterator[str]:
    lines: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("data:"):
            lines.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _add_calls(calls: dict[int, dict[str, Json]], pieces: Json) -> None:
    """Add the pieces of tool calls: the first one of a call has its id and name, all have a part of its arguments."""
    if not isinstance(pieces, list):
        return
    for place, piece in enumerate(pieces):
        index = get(piece, "index")
        call = calls.setdefault(index if isinstance(index, int) else place, {"id": "", "function": {}})
        if isinstance(identity := get(piece, "id"), str) and identity:
            call["id"] = identity
        function = call["function"]
        assert isinstance(function, dict)  # noqa: S101 - made so above
        if isinstance(name := get(piece, "function.name"), str) and name:
            function["name"] = name
        if isinstance(arguments := get(piece, "function.arguments"), str):
            function["arguments"] = f"{function.get('arguments', '')}{arguments}"
