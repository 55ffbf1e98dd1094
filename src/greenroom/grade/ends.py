"""Checks on how the talk ended, and how long it and its replies took."""

from __future__ import annotations

from greenroom.grade.lines import Settled, quoted, settled, spoken_lines
from greenroom.grade.ports import Talk
from greenroom.model.checks import EndedBy, EndedByCheck, EndsCall, MaxLatency, MaxTurnsUsed

HOW_IT_ENDED: dict[EndedBy, str] = {
    "agent_hung_up": "the agent hung up",
    "caller_hung_up": "the caller hung up",
    "turns_ran_out": "the turns ran out",
    "time_ran_out": "the time ran out",
    "transferred": "the call was transferred",
    "rescheduled": "the call was rescheduled",
    "script_ended": "the script ended",
    "replied": "the agent gave the one reply that was asked for",
    "error": "it broke off with an error",
    "stopped": "it was stopped",
}


def settle_ends_call(check: EndsCall, talk: Talk) -> Settled:
    """Whether the agent hung up itself."""
    if talk.ended_by == "agent_hung_up":
        return settled(check, True, "The agent hung up.", index=_last_index(talk), turn=_last_turn(talk))
    return settled(check, False, f"The agent did not hang up: {HOW_IT_ENDED[talk.ended_by]}.")


def settle_ended_by(check: EndedByCheck, talk: Talk) -> Settled:
    """Whether the talk ended in one of the ways asked for."""
    ended = f"The talk ended with `{talk.ended_by}`: {HOW_IT_ENDED[talk.ended_by]}"
    if talk.ended_by in check.any_of:
        return settled(check, True, f"{ended}.")
    wanted = " or ".join(f"`{way}`" for way in check.any_of)
    return settled(check, False, f"{ended}, not with {wanted}.")


def settle_max_turns(check: MaxTurnsUsed, talk: Talk) -> Settled:
    """Whether the talk took at most so many caller turns."""
    used = sum(1 for line in talk.transcript if line.role == "caller" and not line.from_history)
    turns = f"The talk took {used} caller turn{'' if used == 1 else 's'}"
    if used <= check.max:
        return settled(check, True, f"{turns}.")
    return settled(check, False, f"{turns}, more than {check.max}.")


def settle_max_latency(check: MaxLatency, talk: Talk) -> Settled:
    """Whether every reply whose waiting time is known came in time."""
    timed = [(spoken.line.latency_ms, spoken) for spoken in spoken_lines(talk) if spoken.line.latency_ms is not None]
    if not timed:
        return settled(check, True, "No reply was timed.")
    slowest, spoken = max(timed, key=lambda entry: entry[0])
    if slowest <= check.max:
        return settled(check, True, f"The slowest reply took {slowest} ms.", spoken)
    detail = f"A reply took {slowest} ms, more than {check.max}: {quoted(spoken.line.text)}"
    return settled(check, False, detail, spoken)


def _last_index(talk: Talk) -> int | None:
    return len(talk.transcript) - 1 if talk.transcript else None


def _last_turn(talk: Talk) -> int | None:
    return talk.transcript[-1].turn if talk.transcript else None
