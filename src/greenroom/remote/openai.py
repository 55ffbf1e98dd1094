"""Agents behind an endpoint that speaks OpenAI chat completions.

The protocol is OpenAI's API reference of chat completions, as other servers copy it: what they leave out is taken as
not there.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit, urlunsplit

from greenroom.model.base import Json
from greenroom.model.placeholders import UnknownPlace, fill
from greenroom.model.remote import RemoteOpenAi
from greenroom.model.talk import Message, ModelSaid, ToolAnswered, ToolCall, ToolOffer, Usage, UserSaid
from greenroom.model.text import without_thinking
from greenroom.outgoing.http import Outgoing, Reply
from greenroom.outgoing.json_text import write_json
from greenroom.play.ports import RemoteReply, RemoteRequest
from greenroom.play.seat import CALL_CONNECTED
from greenroom.remote.answers import words_at
from greenroom.remote.openai_stream import is_stream, read_stream
from greenroom.remote.paths import get, shape
from greenroom.remote.patience import Patience
from greenroom.remote.side import OtherSide
from greenroom.remote.talk import check_no_history, is_first, new_results, no_value, values_of
from greenroom.remote.web import Question, ask, filled_headers, filled_url, json_of, words_in

_PATH = "/chat/completions"


async def ask_openai(
    outgoing: Outgoing,
    patience: Patience,
    request: RemoteRequest,
    remote: RemoteOpenAi,
    side: OtherSide,
    *,
    seconds_left: float,
) -> RemoteReply:
    """Ask once, and again where that may help.

    Raises:
        RunError: it failed.
    """
    if remote.stateful:
        check_no_history(request)
    question = build_question(request, remote, side.key)
    side = side.also_hiding(question.headers.get(header, "") for header in remote.headers)

    async def attempt(seconds: float) -> RemoteReply:
        reply = await ask(outgoing, question, side, seconds)
        return read_completion(_completion(reply, side), remote, side)

    return await patience.ask(
        attempt, stateful=remote.stateful, timeout_seconds=remote.timeout_seconds, seconds_left=seconds_left
    )


def build_question(request: RemoteRequest, remote: RemoteOpenAi, key: str | None) -> Question:
    """The request for the next reply. Pure.

    Raises:
        RunError: a place has no value.
    """
    values = values_of(request, request.session_id)
    own = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is not None:
        own["Authorization"] = f"Bearer {key}"
    body: dict[str, Json] = {"model": remote.model, "messages": _messages(request, remote), "stream": False}
    if request.variables:
        body["metadata"] = dict(request.variables)
    if request.tools:
        body["tools"] = [_offer(tool) for tool in request.tools]
    if remote.stateful:
        own[remote.session_header] = request.session_id
        body["user"] = request.session_id
    try:
        extra = fill(remote.extra_body, values)
    except UnknownPlace as place:
        raise no_value(request, place, "extra_body") from None
    if isinstance(extra, dict):
        body = {name: value for name, value in {**body, **extra}.items() if extra.get(name, value) is not None}
    headers = filled_headers(request, remote.headers, values, own)
    url = filled_url(request, _address(remote.url), values)
    return Question("POST", url, headers, write_json(body).encode("ascii"))


def _address(url: str) -> str:
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH))


def _messages(request: RemoteRequest, remote: RemoteOpenAi) -> list[Json]:
    system: list[Json] = [{"role": "system", "content": request.prompt}] if request.prompt.strip() else []
    if not remote.stateful:
        # Many servers refuse a talk without a user's message, and some one that opens with the assistant.
        opens_itself = not request.messages or isinstance(request.messages[0], ModelSaid)
        marker: list[Json] = [{"role": "user", "content": CALL_CONNECTED}] if opens_itself else []
        return [*system, *marker, *(_message(message) for message in request.messages)]
    results = new_results(request)
    if results:
        return [_message(result) for result in results]
    new = request.new_message if request.messages else CALL_CONNECTED
    return [*(system if is_first(request) else []), {"role": "user", "content": new}]


def _message(message: Message) -> Json:
    match message:
        case UserSaid(text=text):
            return {"role": "user", "content": text}
        case ToolAnswered(call_id=call_id, content=content):
            return {"role": "tool", "tool_call_id": call_id, "content": content}
        case ModelSaid(text=text, calls=calls):
            said: dict[str, Json] = {"role": "assistant", "content": text or None}
            if calls:
                said["tool_calls"] = [_call(call) for call in calls]
            return said


def _call(call: ToolCall) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _offer(tool: ToolOffer) -> Json:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def _completion(reply: Reply, side: OtherSide) -> Json:
    return read_stream(reply, side) if is_stream(reply) else json_of(reply, side)


def read_completion(answer: Json, remote: RemoteOpenAi, side: OtherSide) -> RemoteReply:
    """The reply in a chat completion. Pure.

    Raises:
        RunError: it is none.
    """
    message = get(answer, "choices.0.message")
    if not isinstance(message, dict):
        said = words_in(answer)
        quoted = f", in its words {side.quote(said)}" if said else ""
        raise side.error(
            f"answered without a reply at `choices.0.message`; its answer is {shape(answer)}{quoted}: "
            "check that it speaks OpenAI chat completions"
        )
    text = words_at(message.get("content"), "choices.0.message.content", side)
    if not text.strip() and isinstance(refusal := message.get("refusal"), str):
        text = refusal
    model = get(answer, "model")
    reply = RemoteReply(
        text=without_thinking(text),
        calls=_calls(message.get("tool_calls"), side),
        was_cut=get(answer, "choices.0.finish_reason") == "length",
        usage=_usage(get(answer, "usage")),
        model=model if isinstance(model, str) and model.strip() else remote.model,
    )
    if not (reply.text.strip() or reply.calls) and get(answer, "choices.0.finish_reason") == "content_filter":
        raise side.error("gave no reply, since its content filter stopped it: change what is asked of it")
    return reply


def _calls(value: Json, side: OtherSide) -> tuple[ToolCall, ...]:
    if not value:
        return ()
    if not isinstance(value, list):
        raise side.error(f"answered with {shape(value)} as its `tool_calls`, which is a list in chat completions")
    return tuple(_one_call(item, side) for item in value)


def _one_call(item: Json, side: OtherSide) -> ToolCall:
    name, arguments, call_id = get(item, "function.name"), get(item, "function.arguments"), get(item, "id")
    if not isinstance(name, str) or not name:
        raise side.error(f"asked for a tool call without `function.name`, {shape(item)}: see its logs")
    # Some servers send the arguments as an object, not as its text; and some leave them out.
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(id=call_id if isinstance(call_id, str) else "", name=name, arguments=text)


def _usage(value: Json) -> Usage | None:
    """What a server says that the reply used; `None` where it does not say. Its price is not known here."""
    used, said = _count(value, "prompt_tokens"), _count(value, "completion_tokens")
    if used is None and said is None:
        return None
    return Usage(
        input_tokens=used or 0,
        output_tokens=said or 0,
        cached_input_tokens=_count(value, "prompt_tokens_details.cached_tokens") or 0,
        reasoning_tokens=_count(value, "completion_tokens_details.reasoning_tokens") or 0,
        cost=None,
    )


def _count(usage: Json, path: str) -> int | None:
    count = get(usage, path)
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else None
