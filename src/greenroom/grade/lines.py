"""The agent's words in a finished talk: lines, replies, and how they are quoted in a detail.

Lines laid down before the talk (`from_history`) are never the agent's words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from greenroom.grade.ports import Talk
from greenroom.model.checks import Check, Where
from greenroom.model.run import AgentLine, CheckResult, ToolLine
from greenroom.model.text import shorten

QUOTED = 160
_SENTENCE = regex.compile(r"(?<=[.!?…])\s+|(?<=[。！？।॥؟])\s*|\n+")


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """An agent line and its index in the transcript."""

    index: int
    line: AgentLine


@dataclass(frozen=True, slots=True)
class Reply:
    """All that the agents said in one turn, in order. Tool calls may have stood between the lines."""

    turn: int
    lines: tuple[SpokenLine, ...]

    @property
    def text(self) -> str:
        """The lines, joined by a space."""
        return " ".join(spoken.line.text for spoken in self.lines)


@dataclass(frozen=True, slots=True)
class Settled:
    """A check that needs no model any more. `error` is a sentence where it could not be graded at all."""

    result: CheckResult
    error: str | None = None


def settled(
    check: Check,
    passed: bool,
    detail: str,
    spoken: SpokenLine | None = None,
    *,
    index: int | None = None,
    turn: int | None = None,
) -> Settled:
    """A graded check that rests on an agent line, on the line at `index` of `turn`, or on none."""
    if spoken is not None:
        index, turn = spoken.index, spoken.line.turn
    return Settled(CheckResult(check=check, passed=passed, detail=detail, turn=turn, line=index))


def ungraded(check: Check, error: str) -> Settled:
    """A check that cannot be graded, and why."""
    return Settled(CheckResult(check=check, detail=error), error)


def spoken_lines(talk: Talk) -> tuple[SpokenLine, ...]:
    """The agent lines of the talk itself, in order."""
    return tuple(
        SpokenLine(index, line)
        for index, line in enumerate(talk.transcript)
        if line.role == "agent" and not line.from_history
    )


def replies(talk: Talk) -> tuple[Reply, ...]:
    """The agent's words, turn by turn."""
    turns: dict[int, list[SpokenLine]] = {}
    for spoken in spoken_lines(talk):
        turns.setdefault(spoken.line.turn, []).append(spoken)
    return tuple(Reply(turn, tuple(lines)) for turn, lines in turns.items())


def last_reply(talk: Talk) -> Reply | None:
    """What the agent said in the last turn in which it spoke."""
    spoken = replies(talk)
    return spoken[-1] if spoken else None


def replies_at(talk: Talk, where: Where) -> tuple[Reply, ...]:
    """The replies that a check with this `where` looks at: all, or only the last or first in which it spoke."""
    spoken = replies(talk)
    if where == "last":
        return spoken[-1:]
    return spoken[:1] if where == "first" else spoken


def tool_lines(talk: Talk) -> tuple[tuple[int, ToolLine], ...]:
    """The tool calls of the talk itself, with their indexes."""
    return tuple(
        (index, line) for index, line in enumerate(talk.transcript) if line.role == "tool" and not line.from_history
    )


def sentences(text: str) -> list[str]:
    """`text` in sentences, in any script; a dot inside a number ends none."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def quoted(text: str, holds: Callable[[str], bool] | None = None) -> str:
    """`text` in quotation marks on one short line; of a long one the sentence for which `holds` is true."""
    if holds is not None and len(text) > QUOTED:
        text = next((sentence for sentence in sentences(text) if holds(sentence)), text)
    return f"“{shorten(text, QUOTED)}”"
