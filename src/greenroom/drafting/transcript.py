"""A real call as people have it: pasted text with labels, or the JSON that other systems export."""

from __future__ import annotations

import json
from collections.abc import Iterator

import regex

from greenroom.model.case import HistoryLine
from greenroom.model.errors import UserMistake
from greenroom.model.loose_json import as_list, as_object
from greenroom.model.text import speakable, squeeze

MOST_SPEAKERS = 8
"""What has more speakers than this is a file with `name: value` lines, and no call."""

_AGENT_NAMES = frozenset(
    (
        "agent",
        "assistant",
        "ai",
        "bot",
        "operator",
        "representative",
        "rep",
        "advisor",
        "support",
        "receptionist",
        "model",
    )
)
_CALLER_NAMES = frozenset(
    ["caller", "customer", "user", "client", "human", "guest", "patient", "lead", "contact", "me"]
)
_SKIPPED_NAMES = frozenset(["system", "tool", "function", "developer", "tool_result", "tool_call", "note"])
_CLOCK = r"(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?\s*(?:am|pm)?\)?\]?\s*[-–]?\s*)"
_LABEL = regex.compile(
    rf"^\s*{_CLOCK}?[\*_]*(?P<who>[\p{{L}}][\p{{L}}\p{{N}} ._'’-]{{0,39}}?)[\*_]*\s*{_CLOCK}?"
    r"\s*[:：]\s*[\*_]*\s*(?P<text>.*)$",
    regex.IGNORECASE,
)
_SUBTITLE_NOISE = regex.compile(r"^\s*(?:WEBVTT.*|\d+|[\d:.,]+\s*-->\s*[\d:.,]+.*)\s*$")
_LIST_KEYS = ("transcript", "messages", "turns", "conversation", "history", "lines", "chat_history", "items", "entries")
_TEXT_KEYS = ("text", "content", "message", "transcript", "utterance", "body")
_WHO_KEYS = ("role", "speaker", "sender", "author", "from", "participant")


def read_transcript(text: str) -> list[HistoryLine]:
    """Read a call: JSON with a list of lines, or text with one `Speaker: words` a line (subtitles and clock times are
    passed over, and a line without a label belongs to the speaker before it).

    With two speakers of unknown names, the first to speak is taken for the agent, as on a call that it answers.

    Raises:
        UserMistake: there are no lines of two sides in it.
    """
    cleaned = speakable(text.lstrip("\ufeff"))
    said = list(_from_json(cleaned)) or list(_from_text(cleaned))
    lines = _with_roles(said) if len({who.strip().casefold() for who, _ in said}) <= MOST_SPEAKERS else []
    if {line.role for line in lines} != {"caller", "agent"}:
        raise UserMistake(
            "This does not read as a call: write one line each as `Agent: …` and `Caller: …`, or give JSON with a list "
            "of `{role, text}`."
        )
    return lines


def _from_json(text: str) -> Iterator[tuple[str, str]]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return
    for entry in _list_in(value):
        fields = {key.lower(): item for key, item in (as_object(entry) or {}).items()}
        who = next((item for key in _WHO_KEYS if isinstance(item := fields.get(key), str)), None)
        words = next((found for key in _TEXT_KEYS if (found := _words(fields.get(key)))), "")
        if who is not None and words:
            yield who, words


def _list_in(value: object) -> list[object]:
    """The list of lines: the value itself, or the first list under a usual name, however deep."""
    items = as_list(value)
    if items:
        return (len(items) == 1 and _list_in(as_object(items[0]))) or items
    fields = as_object(value) or {}
    for key in _LIST_KEYS:
        if found := as_list(fields.get(key)):
            return _list_in(found)
    return next((found for inner in fields.values() if (found := _list_in(as_object(inner)))), list[object]())


def _words(value: object) -> str:
    """Plain words, or the text parts of a message written in parts."""
    if isinstance(value, str):
        return value.strip()
    parts = [part if isinstance(part, str) else (as_object(part) or {}).get("text") for part in as_list(value)]
    return " ".join(part for part in parts if isinstance(part, str) and part).strip()


def _from_text(text: str) -> Iterator[tuple[str, str]]:
    speaker, words = "", list[str]()
    for line in text.splitlines():
        if not line.strip() or _SUBTITLE_NOISE.match(line):
            continue
        label = _LABEL.match(line)
        if label is None:
            words.append(line.strip())
            continue
        if speaker and words:
            yield speaker, squeeze(" ".join(words))
        speaker, words = label["who"], [label["text"]] if label["text"].strip() else []
    if speaker and words:
        yield speaker, squeeze(" ".join(words))


def _with_roles(said: list[tuple[str, str]]) -> list[HistoryLine]:
    roles: dict[str, str] = {}
    for who, _ in said:
        name = who.strip().casefold()
        words = set(regex.split(r"[\s._-]+", name))
        if name in _SKIPPED_NAMES:
            roles[name] = "skipped"
        elif words & _CALLER_NAMES:
            roles[name] = "caller"
        elif words & _AGENT_NAMES:
            roles[name] = "agent"
        else:
            roles.setdefault(name, "unknown")
    unknown = [name for name, role in roles.items() if role == "unknown"]
    known = {role for role in roles.values() if role in ("caller", "agent")}
    for name in unknown:
        missing = [role for role in ("agent", "caller") if role not in known]
        roles[name] = missing[0] if missing else "skipped"
        known.add(roles[name])
    return [
        HistoryLine.model_validate({"role": role, "text": text})
        for who, text in said
        if (role := roles[who.strip().casefold()]) != "skipped"
    ]
