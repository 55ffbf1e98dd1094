"""A transcript as the page shows it: a chat with the agent on the left, the caller on the right, tool calls folded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from greenroom.model.base import Json
from greenroom.model.run import AgentLine, CallerLine, Line, Run, ToolLine
from greenroom.model.text import cut
from greenroom.report.describe import agent_notes, caller_notes, describe_call, describe_check, describe_source
from greenroom.report.figures import seconds
from greenroom.report.printable import printable_line
from greenroom.report.talk import broken_checks

_ONE_LINE = 72
_PIECE = 4000


@dataclass(frozen=True, slots=True)
class Break:
    """A check that a line broke: what it asked for, and what was found."""

    check: str
    detail: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A folded part of a line: its name, and in pieces its content as JSON, or as it came where it was no JSON."""

    name: str
    content: list[str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the chat. `turn` and `agent` are set where a new turn begins and where another agent takes over;
    `anchor` where a check rests on the line. `text` is in pieces."""

    role: str
    text: list[str]
    turn: int | None = None
    agent: str | None = None
    anchor: str | None = None
    notes: list[str] = field(default_factory=list[str])
    timing: str = ""
    folded: list[Shown] = field(default_factory=list[Shown])
    breaks: list[Break] = field(default_factory=list[Break])
    failed: bool = False


def anchor(run_number: int, line: int) -> str:
    """The name of a line on the page."""
    return f"r{run_number}-{line}"


def entries(run: Run, run_number: int) -> Iterator[Entry]:
    """The lines of a run, in order."""
    broken = broken_checks(run)
    rested_on = {result.line for result in run.checks if result.line is not None}
    turn, speaking = -1, run.agent
    for index, line in enumerate(run.transcript):
        new_agent = None if isinstance(line, CallerLine) or line.agent == speaking else line.agent
        speaking = new_agent or speaking
        yield _entry(
            line,
            turn=None if line.turn == turn else line.turn,
            agent=new_agent,
            anchor=anchor(run_number, index) if index in rested_on else None,
            breaks=[
                Break(describe_check(found.check), printable_line(found.detail)) for found in broken.get(index, ())
            ],
        )
        turn = line.turn


def _entry(line: Line, *, turn: int | None, agent: str | None, anchor: str | None, breaks: list[Break]) -> Entry:
    text, notes, folded, failed = _content(line)
    if line.from_history:
        notes.insert(0, "before the test")
    return Entry(
        role=line.role,
        text=pieces(text),
        turn=turn,
        agent=agent,
        anchor=anchor,
        notes=notes,
        timing=_timing(line),
        folded=folded,
        breaks=breaks,
        failed=failed,
    )


def _content(line: Line) -> tuple[str, list[str], list[Shown], bool]:
    match line:
        case AgentLine():
            cards = [Shown(card.kind.replace("_", " "), pieces(shown_json(card.data))) for card in line.components]
            return line.text, agent_notes(line), cards, False
        case CallerLine():
            return line.text, caller_notes(line), [], False
        case ToolLine():
            folded = [
                *([Shown("Arguments", pieces(shown_json(line.arguments)))] if line.arguments not in (None, {}) else []),
                Shown("Result", pieces(shown_json(line.result))),
            ]
            failed = line.reason is not None or line.source == "refused"
            return describe_call(line), [describe_source(line)], folded, failed


def _timing(line: Line) -> str:
    if line.from_history:
        return ""
    parts = [f"at {seconds(line.at_ms / 1000)}"] if line.at_ms else []
    if isinstance(line, AgentLine) and line.latency_ms:
        parts.append(f"answered in {seconds(line.latency_ms / 1000)}")
    return ", ".join(parts)


def pieces(text: str) -> list[str]:
    """`text` in pieces that a browser lays out quickly, cut after a line or a word where there is one. A line of a
    megabyte in one block would stop the page for a minute."""
    found: list[str] = []
    start = 0
    while len(text) - start > _PIECE:
        end = _end_of_piece(text, start, start + _PIECE)
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _end_of_piece(text: str, start: int, limit: int) -> int:
    for separator in ("\n", " "):
        found = text.rfind(separator, start + _PIECE // 2, limit)
        if found >= 0:
            return found + 1
    return start + len(cut(text[start : limit + 1], _PIECE)[0])


def shown_json(value: Json) -> str:
    """`value` as JSON for people: on one line where it is short, else indented; text that is no JSON as it is."""
    if isinstance(value, str):
        return value
    short = json.dumps(value, ensure_ascii=False, default=str)
    return short if len(short) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, default=str, indent=2)
