"""From a request of this door to what is replied to, and from the reply to its answer."""

from __future__ import annotations

import json

from greenroom.model.agent import KNOWLEDGE_TOOL
from greenroom.model.base import Json
from greenroom.model.case import HistoryLine
from greenroom.model.run import ToolLine
from greenroom.server.credits.prices import PriceList
from greenroom.server.doors.zavu.schemas import ExecutedCall, PlannedCall, TestAnswer, TestWanted
from greenroom.server.runs.immediate import Replied, ReplyAsked


def asked_of(wanted: TestWanted) -> ReplyAsked:
    """What is to be replied to."""
    lines = [
        HistoryLine(role="caller" if turn.role == "user" else "agent", text=turn.content) for turn in wanted.history
    ]
    return ReplyAsked(
        history=(*lines, HistoryLine(role="caller", text=wanted.message)),
        tools="real" if wanted.execute_tools else "plan",
        use_knowledge=wanted.use_knowledge_base,
    )


def answer_of(replied: Replied, wanted: TestWanted, prices: PriceList) -> TestAnswer:
    """The answer of this door."""
    run = replied.run
    input_tokens, output_tokens = run.tokens()
    calls = replied.calls
    return TestAnswer(
        success=run.status != "error",
        text=replied.text,
        error=run.error,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        latency_ms=replied.latency_ms,
        knowledge_chunks_used=replied.knowledge_chunks,
        executed_tool_calls=[executed(line) for line in calls if line.name != KNOWLEDGE_TOOL]
        if wanted.execute_tools
        else [],
        warnings=list(replied.warnings),
        cost=float(prices.in_dollars(replied.charged)),
        planned_tool_calls=[planned(line) for line in calls if line.source == "planned"],
    )


def executed(line: ToolLine) -> ExecutedCall:
    """A call that was answered, or refused: what the agent saw of it."""
    ok = line.reason is None and line.source != "refused"
    return ExecutedCall(name=line.name, ok=ok, error=None if ok else _words(line))


def planned(line: ToolLine) -> PlannedCall:
    """A call that was picked. Arguments that are no JSON object stay as the model wrote them."""
    arguments = line.arguments
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return PlannedCall(name=line.name, arguments=written)


def _words(line: ToolLine) -> str:
    told: Json = line.result.get("error") if isinstance(line.result, dict) else line.result
    if isinstance(told, str) and told.strip():
        return told
    return line.reason or "the call was refused"
