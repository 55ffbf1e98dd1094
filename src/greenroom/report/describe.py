"""Checks, lines and ends in a few words, as a person wrote them or would say them."""

from __future__ import annotations

from greenroom.model.checks import (
    CallsTool,
    Check,
    Components,
    Criterion,
    EndedBy,
    EndedByCheck,
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
)
from greenroom.model.run import AgentLine, CallerLine, Run, ToolLine
from greenroom.report.printable import compact_json, printable, printable_line

KINDS = {"simulation": "persona", "script": "script", "next_reply": "next reply"}

ENDS: dict[EndedBy, str] = {
    "agent_hung_up": "the agent hung up",
    "caller_hung_up": "the caller hung up",
    "turns_ran_out": "the turns ran out",
    "time_ran_out": "the time ran out",
    "transferred": "the call was transferred",
    "rescheduled": "the call was rescheduled",
    "script_ended": "the script ended",
    "replied": "the agent replied",
    "error": "an error",
    "stopped": "stopped",
}

ARGUMENTS_LIMIT = 160
RESULT_LIMIT = 200


def describe_check(check: Check) -> str:
    """The check on one line, in the words of a test file: `never_says "guarantee"`."""
    detail = printable_line(_detail(check))
    return f"{check.type} {detail}" if detail else check.type


def _detail(check: Check) -> str:
    match check:
        case Says() | NeverSays():
            return f'"{check.text}"{_place(check.where)}'
        case Matches() | NeverMatches():
            return f"/{check.pattern}/{_place(check.where)}"
        case CallsTool():
            return _tool_call(check)
        case NeverCallsTool():
            return check.tool
        case ToolOrder():
            return ", ".join(check.tools)
        case EndedByCheck():
            return " or ".join(check.any_of)
        case HandsOffTo():
            return check.agent
        case Components():
            return "; ".join(
                f"{name}: {', '.join(cards)}"
                for name, cards in (("any of", check.any_of), ("all of", check.all_of))
                if cards
            )
        case MaxWords() | MaxLatency() | MaxTurnsUsed():
            return str(check.max)
        case Language():
            return check.code
        case JudgeCheck():
            return f'"{check.question}"'
        case Criterion():
            return f'"{check.text}"'
        case ReplyMeets():
            return f'"{check.criteria}"'
        case _:
            return ""


def _place(where: str) -> str:
    return "" if where == "any" else f" in the {where} line"


def _tool_call(check: CallsTool) -> str:
    wanted = check.arguments
    if isinstance(wanted, dict):
        arguments = ", ".join(f"{name}: {compact_json(value, 60)}" for name, value in wanted.items())
    else:
        arguments = ", ".join(wanted or ())
    call = f"{check.tool}({arguments})" if arguments else check.tool
    if check.times is not None:
        call += " once" if check.times == 1 else f" {check.times} times"
    return f"{call} (planned counts)" if check.expect_planned else call


def describe_call(line: ToolLine) -> str:
    """A tool call on one line: `book_slot(day: "Monday")`, or the raw arguments where they were not valid."""
    name = printable(line.name)
    if isinstance(line.arguments, dict):
        inside = ", ".join(f"{printable_line(key)}: {compact_json(value, 80)}" for key, value in line.arguments.items())
    elif line.arguments is None:
        inside = ""
    else:
        inside = compact_json(line.arguments, ARGUMENTS_LIMIT)
    if len(inside) > ARGUMENTS_LIMIT:
        inside = inside[: ARGUMENTS_LIMIT - 1] + "…"
    return f"{name}({inside})"


def describe_source(line: ToolLine) -> str:
    """Who answered the call, why it failed where it did, and how long it took."""
    parts = [line.source]
    if line.reason is not None:
        parts.append(line.reason.replace("_", " "))
    if line.latency_ms:
        parts.append(f"{line.latency_ms} ms")
    return ", ".join(parts)


def describe_end(run: Run) -> str:
    """How the talk ended: `the agent hung up`, with the run's own detail where it has one."""
    if run.ended_by is None:
        return run.status
    words = ENDS[run.ended_by]
    return f"{words} ({printable_line(run.end_detail)})" if run.end_detail else words


def agent_notes(line: AgentLine) -> list[str]:
    """What there is to say of an agent's line beside its words."""
    marks = (
        (line.fallback, "backup brain"),
        (line.refused, "the model refused"),
        (line.truncated, "cut short"),
        (line.grounding == "unknown", "not carried by the knowledge"),
    )
    return [note for holds, note in marks if holds]


def caller_notes(line: CallerLine) -> list[str]:
    """What there is to say of a caller's line beside its words."""
    notes = [] if line.said in (None, line.text) else [f"said “{printable_line(line.said or '')}”"]
    marks = ((line.caller_slip, "the caller slipped out of its part"), (line.truncated, "cut short"))
    return notes + [note for holds, note in marks if holds]
