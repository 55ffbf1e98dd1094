"""A test made of a talk that took place, without a model: what the caller said, and what the tools answered."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from greenroom.model.agent import MEMORY_TOOLS, Agent
from greenroom.model.base import Json
from greenroom.model.case import Caller, HistoryLine, ScriptMessage, Test, ToolMock
from greenroom.model.checks import CallsTool, Check, EndedByCheck, EndsCall, HandsOffTo
from greenroom.model.errors import UserMistake
from greenroom.model.run import AgentLine, CallerLine, Line, Reason, Source, ToolLine
from greenroom.model.text import shorten

NAME_LENGTH = 60
_PREPARED: frozenset[Source] = frozenset({"canned", "webhook", "mcp"})


def script_of(lines: Sequence[Line], agents: Iterable[Agent] = (), name: str | None = None) -> Test:
    """A `script` test with the caller's lines, and prepared answers for the tools that were called: those they gave.

    `agents` are those of the talk: which of their tools are HTTP tools decides what an answer is. Without a `name`,
    it is called by what the caller said first.

    Raises:
        UserMistake: the caller has said nothing.
    """
    said = [line.said or line.text for line in lines if isinstance(line, CallerLine)]
    if not said:
        raise UserMistake("The caller has said nothing yet: there is no talk to make a test of.")
    caller = Caller(messages=[ScriptMessage(text=text) for text in said])
    return _test(name or shorten(said[0], NAME_LENGTH), caller, lines, agents)


def reply_of(lines: Sequence[Line], agents: Iterable[Agent] = (), name: str | None = None) -> Test:
    """A `next_reply` test: the talk up to the caller's last words is the history, and the reply to it is tested.

    Answers are prepared for the tools that the reply called. Without a `name`, it is called by the caller's last words.

    Raises:
        UserMistake: the caller has said nothing.
    """
    last = last_caller_line(lines)
    if last is None:
        raise UserMistake("The caller has said nothing yet: there is no talk to make a test of.")
    history = [
        HistoryLine(role=line.role, text=line.text)
        for line in lines[: last + 1]
        if isinstance(line, AgentLine | CallerLine) and line.text.strip()
    ]
    return _test(name or shorten(history[-1].text, NAME_LENGTH), Caller(history=history), lines[last + 1 :], agents)


def lines_of(call: Sequence[HistoryLine], agent: str) -> list[Line]:
    """A real call as the lines of a talk with the agent of that name."""
    lines: list[Line] = []
    turn = 0
    for past in call:
        if past.role == "caller":
            turn += 1
            lines.append(CallerLine(turn=turn, text=past.text))
        else:
            lines.append(AgentLine(turn=turn, agent=agent, text=past.text))
    return lines


def last_caller_line(lines: Sequence[Line]) -> int | None:
    """The index of the caller's last words."""
    return next((index for index in reversed(range(len(lines))) if isinstance(lines[index], CallerLine)), None)


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or with a number behind it where it is taken: `Moves a booking (2)`."""
    wanted, number = name, 1
    while wanted in taken:
        number += 1
        wanted = f"{name} ({number})"
    return wanted


def suggested_checks(lines: Iterable[Line]) -> list[Check]:
    """Checks that the talk itself would pass: the tools that ran, each once with the names of its arguments, and how
    the agent moved or ended the talk."""
    found: dict[str, Check] = {}
    for line in lines:
        if isinstance(line, ToolLine) and (check := _check_of(line)) is not None:
            found.setdefault(f"{check.type} {line.name} {line.source == 'planned'}", check)
    return list(found.values())


def _check_of(line: ToolLine) -> Check | None:
    is_planned = line.source == "planned" and line.reason is None
    if not (line.ran or is_planned) or line.name in MEMORY_TOOLS:
        return None
    if line.source == "handoff":
        moved_to = line.result.get("agent") if isinstance(line.result, dict) else None
        return HandsOffTo(agent=moved_to) if isinstance(moved_to, str) else None
    if not is_planned and line.name == "end_call":
        return EndsCall()
    if not is_planned and line.name == "transfer_call":
        return EndedByCheck(any_of=["transferred"])
    if not is_planned and line.name == "reschedule_call":
        return EndedByCheck(any_of=["rescheduled"])
    given = line.arguments if isinstance(line.arguments, dict) else {}
    names = [name for name, value in given.items() if value is not None]
    fields: dict[str, object] = {"tool": line.name, **({"arguments": names} if names else {})}
    return CallsTool.model_validate({**fields, "expect_planned": True} if is_planned else fields)


def _test(name: str, caller: Caller, lines: Iterable[Line], agents: Iterable[Agent]) -> Test:
    tools = [line for line in lines if isinstance(line, ToolLine)]
    prepared = prepare(tools, agents)
    fields: dict[str, object] = {"name": name, "caller": caller}
    if prepared.results:
        fields["tool_results"] = prepared.results
    if prepared.mocks:
        fields["tool_mocks"] = prepared.mocks
    if any(line.source == "planned" for line in tools):
        fields["tools"] = "plan"
    return Test.model_validate(fields)


# What tools answered


@dataclass(slots=True)
class Prepared:
    """Answers for a test: one result a tool, and mocks where it answered differently."""

    results: dict[str, Json] = field(default_factory=dict[str, Json])
    mocks: list[ToolMock] = field(default_factory=list[ToolMock])


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a call got, as a test prepares it; two of the same content are alike."""

    arguments: str
    content: str
    line: ToolLine
    result: Json
    reason: Reason | None


def prepare(lines: Iterable[ToolLine], agents: Iterable[Agent]) -> Prepared:
    """The answers that the tools gave, so that a test gives them again. Tools that answered the same throughout have
    one result; the others a mock for each set of arguments, in order where these did not decide either."""
    http = {(agent.name, tool.name) for agent in agents for tool in agent.tools if tool.http is not None}
    by_tool: dict[str, list[_Answer]] = {}
    for line in lines:
        if line.source in _PREPARED and line.reason != "bad_arguments":
            by_tool.setdefault(line.name, []).append(_answer_of(line, is_http=(line.agent, line.name) in http))
    prepared = Prepared()
    for tool, answers in by_tool.items():
        results = [answer.result for answer in answers if answer.reason is None]
        if results:
            prepared.results[tool] = results[-1]
        if len({answer.content for answer in answers}) > 1:
            prepared.mocks.extend(_mocks_by_arguments(tool, answers))
        elif not results:
            prepared.mocks.append(_mock(tool, answers[0]))
    return prepared


def _answer_of(line: ToolLine, *, is_http: bool) -> _Answer:
    result = line.result
    if is_http and isinstance(result, dict) and result.keys() == {"status", "result"}:
        # A prepared answer is the body alone: the status is put around it when the agent is handed it.
        result = result["result"]
    content = json.dumps([line.reason, result], ensure_ascii=False, sort_keys=True)
    return _Answer(json.dumps(line.arguments, ensure_ascii=False, sort_keys=True), content, line, result, line.reason)


def _mocks_by_arguments(tool: str, answers: Sequence[_Answer]) -> Iterable[ToolMock]:
    groups: dict[str, list[_Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.arguments, []).append(answer)
    # The first mock that fits answers, and fewer arguments fit more calls: they come last.
    for group in sorted(groups.values(), key=lambda group: -_count(group[0].line.arguments)):
        when = group[0].line.arguments if len(groups) > 1 else None
        condition: dict[str, object] = {"when": when} if isinstance(when, dict) and when else {}
        if len({answer.content for answer in group}) == 1:
            yield _mock(tool, group[0], condition)
            continue
        for answer in group[:-1]:
            yield _mock(tool, answer, {**condition, "times": 1})
        yield _mock(tool, group[-1], condition)


def _count(arguments: Json) -> int:
    return len(arguments) if isinstance(arguments, dict) else 0


def _mock(tool: str, answer: _Answer, condition: Mapping[str, object] | None = None) -> ToolMock:
    given: dict[str, object] = {"tool": tool, **(condition or {})}
    if answer.reason is None:
        return ToolMock.model_validate({**given, "result": answer.result})
    if answer.reason == "timeout":
        return ToolMock.model_validate({**given, "timeout": True})
    return ToolMock.model_validate({**given, "error": _words(answer.result)})


def _words(result: Json) -> str:
    error = result.get("error") if isinstance(result, dict) else None
    return error if isinstance(error, str) else json.dumps(result, ensure_ascii=False)
