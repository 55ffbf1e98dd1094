"""The checks of a test, in Python: one function for each kind, named as in the test files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from greenroom.model.agent import Component
from greenroom.model.base import Json
from greenroom.model.checks import (
    CallsTool,
    Components,
    Criterion,
    EndedBy,
    EndedByCheck,
    EndsCall,
    Grounded,
    HandsOffTo,
    JudgeCheck,
    Language,
    Matches,
    MaxLatency,
    MaxTurnsUsed,
    MaxWords,
    NeverCallsTool,
    NeverMatches,
    NeverSays,
    ReplyMeets,
    Says,
    ToolOrder,
    Where,
)
from greenroom.testing.written import explained

Made = TypeVar("Made", bound=BaseModel)


def says(text: str, *, where: Where = "any", required: bool = True) -> Says:
    """An agent line contains `text`; capitals and spacing do not count. `where` narrows it to the last or first reply.

    Raises:
        UserMistake: a value does not fit; so for all of these.
    """
    return _made(Says, text=text, where=where, required=required)


def never_says(text: str, *, where: Where = "any", required: bool = True) -> NeverSays:
    """No agent line contains `text`."""
    return _made(NeverSays, text=text, where=where, required=required)


def matches(pattern: str, *, where: Where = "any", required: bool = True) -> Matches:
    """An agent line matches `pattern` (RE2 syntax, searched without regard to case)."""
    return _made(Matches, pattern=pattern, where=where, required=required)


def never_matches(pattern: str, *, where: Where = "any", required: bool = True) -> NeverMatches:
    """No agent line matches `pattern`."""
    return _made(NeverMatches, pattern=pattern, where=where, required=required)


def calls_tool(
    tool: str,
    arguments: Sequence[str] | Mapping[str, Json] | None = None,
    *,
    match: Literal["exact", "judge", "regex"] = "exact",
    times: int | None = None,
    expect_planned: bool = False,
    required: bool = True,
) -> CallsTool:
    """The agent ran `tool`: with these arguments present (a list of names), or equal to these (a dictionary).

    `times` is exactly how often; without it, at least once. `expect_planned` counts the planned calls of a dry run.
    """
    return _made(
        CallsTool,
        tool=tool,
        arguments=_arguments(arguments),
        match=match,
        times=times,
        expect_planned=expect_planned,
        required=required,
    )


def never_calls_tool(tool: str, *, required: bool = True) -> NeverCallsTool:
    """The agent never ran `tool`."""
    return _made(NeverCallsTool, tool=tool, required=required)


def tool_order(*tools: str, required: bool = True) -> ToolOrder:
    """These tools ran in this order; others may stand between."""
    return _made(ToolOrder, tools=list(tools), required=required)


def ends_call(*, required: bool = True) -> EndsCall:
    """The agent hung up itself."""
    return _made(EndsCall, required=required)


def ended_by(*any_of: EndedBy, required: bool = True) -> EndedByCheck:
    """The talk ended in one of these ways."""
    return _made(EndedByCheck, any_of=list(any_of), required=required)


def hands_off_to(agent: str, *, required: bool = True) -> HandsOffTo:
    """The talk moved to this agent (its name or id)."""
    return _made(HandsOffTo, agent=agent, required=required)


def grounded(*, required: bool = True) -> Grounded:
    """The last reply is carried by the agent's knowledge."""
    return _made(Grounded, required=required)


def components(*any_of: Component, all_of: Sequence[Component] = (), required: bool = True) -> Components:
    """The last reply carries one of these cards, and all of `all_of`."""
    return _made(Components, any_of=list(any_of), all_of=list(all_of), required=required)


def max_words(most: int, *, required: bool = True) -> MaxWords:
    """Every agent line has at most `most` words."""
    return _made(MaxWords, max=most, required=required)


def max_latency_ms(most: int, *, required: bool = True) -> MaxLatency:
    """Every reply came within `most` milliseconds."""
    return _made(MaxLatency, max=most, required=required)


def max_turns_used(most: int, *, required: bool = True) -> MaxTurnsUsed:
    """The talk took at most `most` caller turns."""
    return _made(MaxTurnsUsed, max=most, required=required)


def language(code: str, *, required: bool = True) -> Language:
    """Every agent line long enough to tell is in this language (an ISO 639-1 code)."""
    return _made(Language, code=code, required=required)


def judge(question: str, *, required: bool = True) -> JudgeCheck:
    """The judge answers yes to `question`."""
    return _made(JudgeCheck, question=question, required=required)


def criterion(text: str, *, required: bool = True) -> Criterion:
    """The scorecard says that `text` is met."""
    return _made(Criterion, text=text, required=required)


def reply_meets(criteria: str, *, required: bool = True) -> ReplyMeets:
    """The judge says that the last reply meets `criteria`."""
    return _made(ReplyMeets, criteria=criteria, required=required)


def _arguments(given: Sequence[str] | Mapping[str, Json] | None) -> list[str] | dict[str, Json] | None:
    match given:
        case None:
            return None
        case str():
            return [given]
        case Mapping():
            return dict(given)
        case _:
            return list(given)


def _made(kind: type[Made], **fields: Any) -> Made:
    given = {name: value for name, value in fields.items() if not (name == "required" and value)}
    try:
        return kind(**given)
    except ValidationError as error:
        raise explained(error, str(kind.model_fields["type"].default)) from None
