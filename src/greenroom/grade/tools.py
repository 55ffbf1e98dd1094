"""Checks on the agent's tool calls: which ran, with what, in what order, and where the talk was handed."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from greenroom.grade.lines import Settled, settled, tool_lines, ungraded
from greenroom.grade.ports import Talk
from greenroom.model.base import Json
from greenroom.model.checks import CallsTool, HandsOffTo, NeverCallsTool, ToolOrder
from greenroom.model.patterns import BadPattern, check_pattern, found
from greenroom.model.run import Reason, ToolLine
from greenroom.model.text import shorten, speakable
from greenroom.model.values import same_value

HAND_OFF = "hand_off_to_agent"

_WHY: dict[Reason, str] = {
    "bad_arguments": "its arguments were not valid",
    "timeout": "it was not answered in time",
    "unreachable": "its server could not be reached",
    "bad_status": "its server answered with an error",
    "bad_body": "its server's answer could not be read",
    "too_large": "its server's answer was too large",
    "blocked_address": "its address is blocked",
    "tool_error": "it failed",
    "unknown_tool": "unknown tool",
    "not_allowed": "not allowed",
}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the talk that counts, and its place in the transcript."""

    index: int
    line: ToolLine

    @property
    def arguments(self) -> Mapping[str, Json]:
        return self.line.arguments if isinstance(self.line.arguments, dict) else {}


def counted_calls(check: CallsTool, talk: Talk) -> tuple[Call, ...]:
    """The calls of the check's tool that count: those that ran, and the planned ones where the check takes them."""
    return tuple(
        Call(index, line)
        for index, line in tool_lines(talk)
        if line.name == check.tool and (line.ran or (check.expect_planned and _is_plan(line)))
    )


def open_calls(check: CallsTool, talk: Talk) -> tuple[Call, ...]:
    """For `match: judge`, the calls that hold every expected argument, so that only their meaning is open."""
    return tuple(call for call in counted_calls(check, talk) if not _absent(check, call))


def settle_calls_tool(check: CallsTool, talk: Talk) -> Settled | None:
    """Whether the tool ran as asked; `None` where only the meaning of its arguments is left to tell."""
    calls = counted_calls(check, talk)
    if check.match == "judge" and isinstance(check.arguments, dict):
        return _settle_by_meaning(check, talk, calls)
    try:
        fitting = tuple(call for call in calls if not _misfits(check, call))
    except BadPattern as problem:
        return ungraded(check, f"An argument that `{check.tool}` should match is not RE2 syntax: {problem}.")
    if _enough(check, len(fitting)):
        return _held(check, fitting)
    return _failed(check, talk, calls, fitting)


def _settle_by_meaning(check: CallsTool, talk: Talk, calls: tuple[Call, ...]) -> Settled | None:
    possible = open_calls(check, talk)
    equal = tuple(call for call in possible if not _misfits(check, call))
    if check.times is None:
        if equal:
            return _held(check, equal)
        return None if possible else _failed(check, talk, calls, ())
    if len(equal) > check.times or len(possible) < check.times:
        return _failed(check, talk, calls, equal)
    return _held(check, equal) if len(possible) == len(equal) else None


def _enough(check: CallsTool, count: int) -> bool:
    return count >= 1 if check.times is None else count == check.times


def _is_plan(line: ToolLine) -> bool:
    return line.source == "planned" and line.reason is None


# Arguments


def _absent(check: CallsTool, call: Call) -> list[str]:
    """The names that must be present and are not (or are null)."""
    if isinstance(check.arguments, dict):
        names: Iterable[str] = (name for name, value in check.arguments.items() if value is not None)
    else:
        names = check.arguments or ()
    return [name for name in names if call.arguments.get(name) is None]


def _misfits(check: CallsTool, call: Call) -> list[str]:
    """What is wrong with the arguments of a call, in words; empty where they fit."""
    absent = _absent(check, call)
    if absent:
        return [f"without {_listed(absent)}"]
    if not isinstance(check.arguments, dict):
        return []
    matches = _matches if check.match == "regex" else same_value
    return [
        f"with `{name}` {_shown(call.arguments.get(name))}, not {_shown(wanted, pattern=check.match == 'regex')}"
        for name, wanted in check.arguments.items()
        if not matches(wanted, call.arguments.get(name))
    ]


def _matches(wanted: Json, got: Json) -> bool:
    """Whether `got` matches the patterns in `wanted`; what is not text there is compared by value."""
    if isinstance(wanted, str):
        check_pattern(wanted)
        return got is not None and found(wanted, speakable(_as_text(got)))
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(_matches(item, got.get(key)) for key, item in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(got, list)
            and len(got) == len(wanted)
            and all(_matches(item, other) for item, other in zip(wanted, got, strict=True))
        )
    return same_value(wanted, got)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Json, *, pattern: bool = False) -> str:
    text = shorten(_as_text(value), 80)
    if pattern:
        return f"`{text}`"
    return f"“{text}”" if isinstance(value, str) else text


# Details


def _held(check: CallsTool, fitting: tuple[Call, ...]) -> Settled:
    if not fitting:
        asked = " like that" if check.arguments else ""
        return settled(check, True, f"`{check.tool}` did not run{asked}.")
    first = fitting[0]
    verb = "was planned" if first.line.source == "planned" else "ran"
    detail = f"`{check.tool}` {verb} {_times(len(fitting))}: {shorten(_as_text(first.line.arguments or {}), 120)}"
    return settled(check, True, detail, index=first.index, turn=first.line.turn)


def _failed(check: CallsTool, talk: Talk, calls: tuple[Call, ...], fitting: tuple[Call, ...]) -> Settled:
    if not calls:
        return _never_ran(check, talk)
    wrong = [(call, misfits) for call in calls if (misfits := _misfits(check, call))]
    if not wrong or (check.times is not None and len(fitting) >= check.times):
        last = (fitting or calls)[-1]
        like_that = " like that" if check.arguments else ""
        wanted = "" if check.times is None else f", not {_times(check.times)}"
        detail = f"`{check.tool}` ran {_times(len(fitting))}{like_that}{wanted}."
        return settled(check, False, detail, index=last.index, turn=last.line.turn)
    # The call that comes nearest shows best what to change.
    nearest, misfits = min(wrong, key=lambda entry: len(entry[1]))
    wanted = "" if check.times is None else f" ({_times(check.times)} wanted, {len(fitting)} fit)"
    detail = f"`{check.tool}` ran {_times(len(calls))}, but {' and '.join(misfits)}{wanted}."
    return settled(check, False, detail, index=nearest.index, turn=nearest.line.turn)


def _never_ran(check: CallsTool, talk: Talk) -> Settled:
    near = [(index, line) for index, line in tool_lines(talk) if line.name == check.tool]
    if near:
        index, line = near[-1]
        return settled(check, False, f"`{check.tool}` {_did_not_count(line)}.", index=index, turn=line.turn)
    others = list(dict.fromkeys(line.name for _, line in tool_lines(talk)))
    instead = f"the agent called {_listed(others)}" if others else "the agent called no tool"
    return settled(check, False, f"`{check.tool}` was never called; {instead}.")


def _did_not_count(line: ToolLine) -> str:
    why = _WHY[line.reason] if line.reason else None
    if line.source == "planned":
        return "was only planned, as in every dry run" if why is None else f"was planned, but {why}"
    if line.source == "refused":
        return f"was called, but refused ({_why_refused(line)})"
    return f"was called, but {why or 'did not run'}"


def _why_refused(line: ToolLine) -> str:
    """What the agent was told, which says more than the code; else the code in words."""
    told = line.result.get("error") if isinstance(line.result, dict) else line.result
    if isinstance(told, str) and told.strip():
        return shorten(told, 120).rstrip(".")
    return _WHY[line.reason] if line.reason else "no reason was given"


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


# The other checks on tools


def settle_never_calls_tool(check: NeverCallsTool, talk: Talk) -> Settled:
    """Whether the tool never ran. A call that was refused, planned or malformed did not run."""
    named = [(index, line) for index, line in tool_lines(talk) if line.name == check.tool]
    ran = [(index, line) for index, line in named if line.ran]
    if ran:
        index, line = ran[0]
        detail = f"`{check.tool}` ran {_times(len(ran))}: {shorten(_as_text(line.arguments or {}), 120)}"
        return settled(check, False, detail, index=index, turn=line.turn)
    if named:
        index, line = named[-1]
        detail = f"`{check.tool}` never ran: it {_did_not_count(line)}."
        return settled(check, True, detail, index=index, turn=line.turn)
    return settled(check, True, f"`{check.tool}` was never called.")


def settle_tool_order(check: ToolOrder, talk: Talk) -> Settled:
    """Whether the tools ran in this order; others may stand between."""
    ran = [Call(index, line) for index, line in tool_lines(talk) if line.ran]
    order = [call.line.name for call in ran]
    places = places_in_order(check.tools, order)
    happened = " → ".join(f"`{name}`" for name in order) if order else "none"
    last = ran[places[-1]] if places else None
    index, turn = (last.index, last.line.turn) if last else (None, None)
    if len(places) == len(check.tools):
        return settled(check, True, f"The tools ran in this order: {happened}.", index=index, turn=turn)
    missing = check.tools[len(places)]
    after = f" after `{check.tools[len(places) - 1]}`" if places else ""
    detail = f"`{missing}` did not run{after}; the tools that ran: {happened}."
    return settled(check, False, detail, index=index, turn=turn)


def places_in_order(wanted: list[str], order: list[str]) -> list[int]:
    """Where each of `wanted` stands in `order`, each after the one before, as far as that goes."""
    places: list[int] = []
    start = 0
    for name in wanted:
        if name not in order[start:]:
            break
        place = order.index(name, start)
        places.append(place)
        start = place + 1
    return places


def settle_hands_off(check: HandsOffTo, talk: Talk) -> Settled:
    """Whether the talk moved to the agent of this name or id."""
    wanted = _name(check.agent)
    attempts = [(index, line) for index, line in tool_lines(talk) if line.name == HAND_OFF]
    moved = [(index, line) for index, line in attempts if line.source == "handoff"]
    for index, line in moved:
        if wanted in map(_name, targets_of(line)):
            return settled(check, True, f"The talk moved to `{check.agent}`.", index=index, turn=line.turn)
    for index, line in attempts:
        if line.source != "handoff" and wanted in map(_name, targets_of(line)):
            detail = f"A hand-off to `{check.agent}` was tried, but the talk did not move: {_why_refused(line)}"
            return settled(check, False, f"{detail.rstrip('.')}.", index=index, turn=line.turn)
    if moved:
        index, line = moved[-1]
        went = _listed(next(iter(targets_of(line)), "another agent") for _, line in moved)
        return settled(check, False, f"The talk moved to {went}, not to `{check.agent}`.", index=index, turn=line.turn)
    return settled(check, False, f"The talk was never handed to `{check.agent}`.")


def targets_of(line: ToolLine) -> list[str]:
    """The names and ids by which a hand-off's target is known: those in its result, then what was asked for."""
    found_names: list[str] = []
    for source in (line.result, line.arguments):
        if isinstance(source, dict):
            named = (source.get(key) for key in ("agent", "agent_id"))
            found_names.extend(name for name in named if isinstance(name, str) and name)
    return found_names


def _name(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()
