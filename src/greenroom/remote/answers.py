"""What an answer says: words, tools that the agent ran, and whether it hung up."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.model.base import Json
from greenroom.outgoing.json_text import read_json
from greenroom.play.ports import RemoteCall, RemoteReply
from greenroom.remote.paths import NotThere, find, get, shape
from greenroom.remote.side import OtherSide

_NAMES = ("name", "tool", "tool_name")
_ARGUMENTS = ("arguments", "args", "input", "parameters")
_RESULTS = ("result", "output", "response")


@dataclass(frozen=True, slots=True)
class AnswerMap:
    """Where an answer holds what. `at` comes before the names of the paths in a sentence, and `advice` says what to do
    where words are missing."""

    reply: str
    tool_calls: str | None = None
    ended: str | None = None
    at: str = "remote."
    advice: str = "set `remote.reply` to the path of its words"


def read_answer(answer: Json, mapping: AnswerMap, side: OtherSide) -> RemoteReply:
    """The reply in an answer. It may be without words only where the agent hung up, or where the place of its words
    is there and empty.

    Raises:
        RunError: the words or the tool calls are not where they should be.
    """
    ended = is_true(get(answer, mapping.ended))
    done = calls_done(get(answer, mapping.tool_calls), f"{mapping.at}tool_calls", side)
    try:
        value = find(answer, mapping.reply)
    except NotThere as missing:
        if ended:
            return RemoteReply("", done=done, ended=True)
        raise side.error(f"answered without words at `{mapping.reply}`; {missing}: {mapping.advice}") from None
    return RemoteReply(words_at(value, f"{mapping.at}reply", side), done=done, ended=ended)


def words_at(value: Json, place: str, side: OtherSide) -> str:
    """The words that a value is: text, a number, or a list of texts and of objects with `text` or `content`.

    Raises:
        RunError: it is something else.
    """
    words = _words(value)
    if words is None:
        raise side.error(f"answered with {shape(value)} where its words should be: let `{place}` lead to text")
    return words


def _words(value: Json) -> str | None:
    match value:
        case None:
            return ""
        case bool():
            return None
        case str():
            return value
        case int() | float():
            return str(value)
        case list():
            parts = [_words(item) for item in value]
            return None if None in parts else "\n".join(part for part in parts if part)
        case dict():
            text = value.get("text", value.get("content"))
            return text if isinstance(text, str) else None


def is_true(value: Json) -> bool:
    """Whether a value says yes: `true`, a number that is not zero, or the text `true`."""
    if isinstance(value, str):
        return value.strip().lower() == "true"
    return isinstance(value, bool | int | float) and bool(value)


def calls_done(value: Json, place: str, side: OtherSide) -> tuple[RemoteCall, ...]:
    """The tools that the agent says it ran: `[{name, arguments, result}]`, also under other usual names, and
    OpenAI's `[{function: {name, arguments}}]`.

    Raises:
        RunError: it is no list of calls, or a call has no name.
    """
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    return tuple(_call(item, place, side) for item in items)


def _call(item: Json, place: str, side: OtherSide) -> RemoteCall:
    if isinstance(item, str) and item.strip():
        return RemoteCall(item.strip())
    if not isinstance(item, dict):
        raise side.error(f"answered with {shape(item)} where a tool call should be: let `{place}` lead to a list")
    inner = item.get("function")
    fields = {**item, **inner} if isinstance(inner, dict) else item
    name = _first(fields, _NAMES) or (inner if isinstance(inner, str) else None)
    if not isinstance(name, str) or not name.strip():
        raise side.error(f"told of a tool call without a name, {shape(item)}: let `{place}` lead to `[{{name, …}}]`")
    return RemoteCall(name.strip(), _parsed(_first(fields, _ARGUMENTS)), _first(fields, _RESULTS))


def _first(fields: dict[str, Json], names: tuple[str, ...]) -> Json:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _parsed(arguments: Json) -> Json:
    """Arguments that were sent as JSON text become what they say."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return read_json(arguments)
    except ValueError:
        return arguments
