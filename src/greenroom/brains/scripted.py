"""A brain without a model: it answers by the rules of `llm.script`, the same way every time and for nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from greenroom.brains.tokens import estimate_usage
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Role, ScriptRule, ToolResultHeard
from greenroom.model.marker import HANG_UP
from greenroom.model.patterns import BadPattern, found
from greenroom.model.talk import BrainReply, BrainRequest, JudgeTask, ToolCall
from greenroom.model.text import shorten, speakable

_SHOWN = 200


class ScriptedBrain:
    """Answers from `request.llm.script`. It keeps nothing between requests: `request.fired` says which rules have
    fired so far, and the reply's `fired` which ones this request fired, once for each time."""

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:  # noqa: ARG002
        """Answer by the first rule that matches what was heard.

        Raises:
            BrainFailed: no rule matches, or a pattern is not valid RE2.
        """
        reply = _judge(request) if request.role == "judge" else _speak(request)
        return replace(reply, usage=estimate_usage(request, reply))


def _speak(request: BrainRequest) -> BrainReply:
    may_call = request.tool_choice == "auto"
    index = _first_match(request, request.heard, request.heard_tool, request.fired, _Speaking(may_call))
    if index is None:
        raise _no_rule(request, request.heard)
    rule = request.llm.script[index]
    said = rule.say or ""
    if request.role == "caller":
        text = f"{said} {HANG_UP}".strip() if rule.hang_up else said
        return BrainReply(text=text, fired=(index,))
    return BrainReply(text=said, calls=_calls(rule, len(request.messages)) if may_call else (), fired=(index,))


def _calls(rule: ScriptRule, message_count: int) -> tuple[ToolCall, ...]:
    wanted = [
        (call.tool, call.arguments if isinstance(call.arguments, str) else _dump(call.arguments)) for call in rule.calls
    ]
    if rule.hang_up:
        wanted.append(("end_call", "{}"))
    # The talk grows with each reply, so its length makes an id that no other call of the talk has.
    return tuple(
        ToolCall(f"call_{message_count}_{position}", name, arguments)
        for position, (name, arguments) in enumerate(wanted)
    )


def _judge(request: BrainRequest) -> BrainReply:
    task = request.task or JudgeTask("question", (request.heard,))
    return _grade_scorecard(request, task) if task.kind == "scorecard" else _answer_question(request, task)


def _answer_question(request: BrainRequest, task: JudgeTask) -> BrainReply:
    rule, index = _judging_rule(request, "\n".join(task.items), request.fired)
    answer = {"answer": rule.answer, "reason": _reason(rule), "quote": rule.quote or ""}
    return BrainReply(text=_dump(answer), fired=(index,))


def _grade_scorecard(request: BrainRequest, task: JudgeTask) -> BrainReply:
    fired: list[int] = []
    criteria: list[dict[str, object]] = []
    for number, criterion in enumerate(task.items, start=1):
        rule, index = _judging_rule(request, criterion, (*request.fired, *fired))
        fired.append(index)
        met = rule.answer == "yes"
        criteria.append({"number": number, "met": met, "reason": _reason(rule), "quote": rule.quote or ""})
    met_count = sum(bool(entry["met"]) for entry in criteria)
    score = round(100 * met_count / len(criteria)) if criteria else 100
    summary = f"{met_count} of {len(criteria)} criteria are met."
    scoring = _summing_rule(request, task, _carries_score)
    if scoring is not None:
        score = request.llm.script[scoring].score
    summing = _summing_rule(request, task, _carries_summary)
    if summing is not None:
        summary = request.llm.script[summing].summary or ""
    fired.extend(index for index in sorted({scoring, summing} - {None, *fired}, key=str) if index is not None)
    return BrainReply(text=_dump({"criteria": criteria, "score": score, "summary": summary}), fired=tuple(fired))


def _judging_rule(request: BrainRequest, item: str, fired: Sequence[int]) -> tuple[ScriptRule, int]:
    index = _first_match(request, item, None, fired, _answers)
    if index is None:
        raise _no_rule(request, item)
    return request.llm.script[index], index


def _summing_rule(request: BrainRequest, task: JudgeTask, serves: _Serves) -> int | None:
    """The first rule with a score (or summary) that matches any of the criteria."""
    # A rule that has answered a criterion of this very scorecard has not run out for its score: only earlier
    # requests count.
    matching = [_first_match(request, item, None, request.fired, serves) for item in task.items or ("",)]
    return min((index for index in matching if index is not None), default=None)


def _reason(rule: ScriptRule) -> str:
    if rule.reason is not None:
        return rule.reason
    return "The script of this brain says yes." if rule.answer == "yes" else "The script of this brain says no."


class _Serves(Protocol):
    def __call__(self, rule: ScriptRule, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Speaking:
    """Whether a rule has something to give: where calls are not allowed, one that only calls has nothing."""

    may_call: bool

    def __call__(self, rule: ScriptRule, /) -> bool:
        return self.may_call or rule.role != "agent" or rule.say is not None


def _answers(rule: ScriptRule, /) -> bool:
    return rule.answer is not None


def _carries_score(rule: ScriptRule, /) -> bool:
    return rule.score is not None


def _carries_summary(rule: ScriptRule, /) -> bool:
    return rule.summary is not None


def _first_match(
    request: BrainRequest, heard: str, heard_tool: str | None, fired: Sequence[int], serves: _Serves
) -> int | None:
    heard = speakable(heard)
    for index, rule in enumerate(request.llm.script):
        if rule.role != request.role or not serves(rule):
            continue
        if rule.times is not None and fired.count(index) >= rule.times:
            continue
        if _matches(request, index, rule, heard, heard_tool):
            return index
    return None


def _matches(request: BrainRequest, index: int, rule: ScriptRule, heard: str, heard_tool: str | None) -> bool:
    if rule.when is None:
        return True
    if isinstance(rule.when, ToolResultHeard):
        return rule.when.tool == heard_tool
    if heard_tool is not None:
        return False
    try:
        return found(rule.when, heard)
    except BadPattern as bad:
        raise BrainFailed(
            f"Rule {index + 1} of {request.llm.model} has a pattern that is not valid RE2 syntax, `{rule.when}`: "
            f"{str(bad).rstrip('.') or 'it cannot be read'}.",
            fault=BrainFault.NO_RULE,
        ) from None


def _no_rule(request: BrainRequest, heard: str) -> BrainFailed:
    return BrainFailed(
        f"No rule of {request.llm.model} matches what {_hearer(request.role)} heard, {_shown(request, heard)}: "
        f"add one whose `when` fits it, or one without `when`{_hint(request)}.",
        fault=BrainFault.NO_RULE,
    )


def _hearer(role: Role) -> str:
    return f"the {role}"


def _shown(request: BrainRequest, heard: str) -> str:
    quoted = f"“{shorten(speakable(heard), _SHOWN)}”"
    if request.role == "judge":
        return quoted
    if request.heard_tool is not None:
        return f"the result of the tool `{request.heard_tool}`, {quoted}"
    return quoted if heard.strip() else "nothing yet (its first words were asked for)"


def _hint(request: BrainRequest) -> str:
    if request.role == "judge":
        return ", with `role: judge` and `answer`"
    if request.role == "caller":
        return ", with `role: caller`"
    return " (a reply without tool calls was asked for)" if request.tool_choice == "none" else ""


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
