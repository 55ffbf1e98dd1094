"""The checks that need no model: each kind to the function that settles it."""

from __future__ import annotations

from greenroom.grade.ends import settle_ended_by, settle_ends_call, settle_max_latency, settle_max_turns
from greenroom.grade.grounding import settle_grounded
from greenroom.grade.language import settle_language
from greenroom.grade.lines import Settled
from greenroom.grade.ports import Talk
from greenroom.grade.tools import settle_calls_tool, settle_hands_off, settle_never_calls_tool, settle_tool_order
from greenroom.grade.words import settle_components, settle_matches, settle_max_words, settle_says
from greenroom.model.checks import (
    CallsTool,
    Check,
    Components,
    Criterion,
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
)


def settle(check: Check, talk: Talk) -> Settled | None:
    """Grade a check without a model; `None` where only the judge can tell."""
    match check:
        case Says() | NeverSays():
            settled = settle_says(check, talk)
        case Matches() | NeverMatches():
            settled = settle_matches(check, talk)
        case CallsTool():
            settled = settle_calls_tool(check, talk)
        case NeverCallsTool():
            settled = settle_never_calls_tool(check, talk)
        case ToolOrder():
            settled = settle_tool_order(check, talk)
        case EndsCall():
            settled = settle_ends_call(check, talk)
        case EndedByCheck():
            settled = settle_ended_by(check, talk)
        case HandsOffTo():
            settled = settle_hands_off(check, talk)
        case Grounded():
            settled = settle_grounded(check, talk)
        case Components():
            settled = settle_components(check, talk)
        case MaxWords():
            settled = settle_max_words(check, talk)
        case MaxLatency():
            settled = settle_max_latency(check, talk)
        case MaxTurnsUsed():
            settled = settle_max_turns(check, talk)
        case Language():
            settled = settle_language(check, talk)
        case JudgeCheck() | Criterion() | ReplyMeets():
            settled = None
    return settled
