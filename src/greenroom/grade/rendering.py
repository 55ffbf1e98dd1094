"""The talk as the judge reads it: one numbered entry a line, marked with who speaks.

An entry starts at the left margin and whatever follows in it is set in, so that no line of the talk can pass for
another entry.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from greenroom.model.base import Json
from greenroom.model.run import AgentLine, CallerLine, Line, Source, ToolLine
from greenroom.model.text import speakable, squeeze

_SOURCES: dict[Source, str] = {
    "canned": "answered from the test",
    "webhook": "answered by its webhook",
    "mcp": "answered by its MCP server",
    "knowledge": "answered from the knowledge base",
    "engine": "carried out",
    "handoff": "the talk moved",
    "recorded": "recorded, not carried out",
    "planned": "only planned, never run",
    "refused": "refused, never run",
}


def show_transcript(transcript: Sequence[Line]) -> str:
    """The talk, numbered from 1 (the index in the transcript plus one)."""
    return "\n".join(f"[{number}] {_entry(line)}" for number, line in enumerate(transcript, start=1))


def show_call(line: ToolLine) -> str:
    """A tool call and its answer, on one line."""
    return f"{line.name} {show_json(line.arguments)} -> {show_json(line.result)}"


def show_json(value: Json) -> str:
    """A JSON value on one line; text that is no JSON (broken arguments) as a JSON string."""
    return json.dumps(value, ensure_ascii=False)


def set_in(text: str) -> str:
    """`text` with every line after the first set in behind a bar."""
    return "\n    | ".join(speakable(text).splitlines()) if text else ""


def _entry(line: Line) -> str:
    marks = ", before the talk under test" if line.from_history else ""
    head = f"turn {line.turn}, "
    if isinstance(line, ToolLine):
        reason = f" ({line.reason})" if line.reason else ""
        marks += f", called by {squeeze(line.agent)}, {_SOURCES[line.source]}{reason}"
        return f"{head}tool{marks}: {set_in(show_call(line))}"
    if isinstance(line, AgentLine):
        return f"{head}agent {squeeze(line.agent)}{marks}{_agent_marks(line)}: {set_in(line.text)}{_cards(line)}"
    return f"{head}caller{marks}{_caller_marks(line)}: {set_in(line.text)}{_as_said(line)}"


def _agent_marks(line: AgentLine) -> str:
    marks = ", cut off for its length" if line.truncated else ""
    return f"{marks}, stopped by its provider" if line.refused else marks


def _cards(line: AgentLine) -> str:
    if not line.components:
        return ""
    cards = "; ".join(f"{card.kind} {show_json(card.data)}" for card in line.components)
    return f"\n    (shown beside it: {set_in(cards)})"


def _caller_marks(line: CallerLine) -> str:
    marks = ", cut off for its length" if line.truncated else ""
    return f"{marks}, a slip of the simulated caller and not the agent's fault" if line.caller_slip else marks


def _as_said(line: CallerLine) -> str:
    if line.said is None or line.said == line.text:
        return ""
    return f"\n    (the agent heard this; the caller said: {set_in(line.said)})"
