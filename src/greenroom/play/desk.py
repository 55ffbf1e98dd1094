"""Answers the agent's tool calls: what each becomes in the transcript, what the model is told, and what follows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from greenroom.model.agent import Agent, find_agent
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.model.run import Card, Reason, Source, ToolLine
from greenroom.model.talk import ToolCall
from greenroom.play.arguments import parse_arguments
from greenroom.play.canned import CannedAnswers, Prepared
from greenroom.play.ends import End
from greenroom.play.meter import Meter
from greenroom.play.offers import ACTING_KINDS, OfferedTool, ToolKind
from greenroom.play.plan import Plan, Ports
from greenroom.play.ports import RealCall, RemoteCall, ToolAnswer
from greenroom.play.seat import Seat

PASSAGES_A_SEARCH = 4
_DECISIVE_KINDS = frozenset({ToolKind.END_CALL, ToolKind.TRANSFER, ToolKind.HAND_OFF})
_REAL_KINDS = {ToolKind.ACTION: "webhook", ToolKind.HTTP: "http", ToolKind.MCP: "mcp"}


@dataclass(frozen=True, slots=True)
class Move:
    """The talk moves to another agent."""

    to: Agent
    reason: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A tool call's line, and what follows from it: an end, a move, a card beside the reply, found passages."""

    line: ToolLine
    follows: End | Move | Card | None = None
    passages: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        """The result as the text that the model reads."""
        result = self.line.result
        return result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)

    @property
    def ok(self) -> bool:
        return self.line.reason is None and self.line.source != "refused"


@dataclass(frozen=True, slots=True)
class DeskMark:
    """What a desk remembers at one moment of the talk."""

    mocks_used: Mapping[int, int]
    memory: Mapping[str, str]
    moves: int


class Desk:
    """Answers the tool calls of one run."""

    def __init__(self, plan: Plan, ports: Ports, meter: Meter) -> None:
        self._plan = plan
        self._ports = ports
        self._meter = meter
        self._canned = CannedAnswers(plan.test)
        self._memory: dict[str, str] = {}
        self._moves_a_run = 0
        self._moves_a_turn = 0
        self._decided = False
        """Whether a call of this reply already ends the talk or moves it."""

    def mark(self) -> DeskMark:
        """What it remembers now, to go back to."""
        return DeskMark(self._canned.times_used(), dict(self._memory), self._moves_a_run)

    def go_back(self, mark: DeskMark) -> None:
        """Forget what came after the mark. Calls that reached the outside stay done."""
        self._canned.count_from(mark.mocks_used)
        self._memory = dict(mark.memory)
        self._moves_a_run = mark.moves

    def follow(self, plan: Plan) -> None:
        """From the next call on, go by another plan. Mocks that are the same ones count on."""
        canned = CannedAnswers(plan.test)
        if plan.test.tool_mocks == self._plan.test.tool_mocks:
            canned.count_from(self._canned.times_used())
        self._plan, self._canned = plan, canned

    def start_turn(self) -> None:
        self._moves_a_turn = 0

    def start_reply(self) -> None:
        self._decided = False

    def plans(self, tool: OfferedTool | None) -> bool:
        """Whether a call of this tool is only planned: in a dry run, all that would act on the outside or the talk."""
        return self._plan.test.tool_mode == "plan" and tool is not None and tool.kind in ACTING_KINDS

    async def answer(self, call: ToolCall, seat: Seat, turn: int) -> Answered:
        """Answer one call of the agent in `seat`.

        Raises:
            RunError: the call needs something that the agent lacks, such as its webhook's secret.
            OutOfTime: the time limit passed before the answer came.
        """
        tool = seat.tools.get(call.name)
        if tool is None:
            message = f"There is no tool named {call.name}. Go on without it."
            return self._line(call, seat, turn, _raw(call), {"error": message}, "refused", "unknown_tool")
        parsed = parse_arguments(call.arguments, tool.offer.parameters)
        if self.plans(tool):
            arguments: Json = call.arguments if parsed.arguments is None else parsed.arguments
            reason: Reason | None = None if parsed.arguments is not None else "bad_arguments"
            return self._line(call, seat, turn, arguments, None, "planned", reason)
        if parsed.arguments is None:
            source = self._source_of(tool.kind)
            return self._line(call, seat, turn, call.arguments, {"error": parsed.problem}, source, "bad_arguments")
        if tool.kind in _REAL_KINDS:
            return await self._act(call, tool, seat, turn, parsed.arguments)
        return await self._serve(call, tool, seat, turn, parsed.arguments)

    def done_elsewhere(self, call: RemoteCall, seat: Seat, turn: int) -> ToolLine:
        """The line of a tool that a remote agent ran by itself."""
        return ToolLine(
            turn=turn,
            agent=seat.agent.name,
            name=call.name,
            arguments=call.arguments,
            result=call.result,
            source="recorded",
        )

    def _source_of(self, kind: ToolKind) -> Source:
        if kind in _REAL_KINDS:
            if self._plan.test.tool_mode != "real":
                return "canned"
            return "mcp" if kind is ToolKind.MCP else "webhook"
        if kind is ToolKind.KNOWLEDGE:
            return "knowledge"
        if kind is ToolKind.HAND_OFF:
            return "refused"
        return "recorded" if kind is ToolKind.RESCHEDULE else "engine"

    async def _act(
        self, call: ToolCall, tool: OfferedTool, seat: Seat, turn: int, arguments: dict[str, Json]
    ) -> Answered:
        """Answer a tool that acts on the outside: from what the test prepared, or for real."""
        began = self._ports.clock.elapsed()
        source = self._source_of(tool.kind)
        if source == "canned":
            prepared = self._canned.answer(call.name, arguments)
            if prepared.delay_ms:
                await self._meter.in_time(self._ports.clock.sleep(prepared.delay_ms / 1000))
            result = _as_http(prepared) if tool.kind is ToolKind.HTTP else prepared.result
            took = round((self._ports.clock.elapsed() - began) * 1000)
            return self._line(call, seat, turn, arguments, result, source, prepared.reason, took)
        answer = await self._meter.in_time(self._ports.tools.call(self._real_call(call, tool, seat, arguments)))
        return self._line(call, seat, turn, arguments, answer.result, source, _reason(answer), answer.latency_ms)

    def _real_call(self, call: ToolCall, tool: OfferedTool, seat: Seat, arguments: dict[str, Json]) -> RealCall:
        limits = self._plan.limits
        kind = "webhook" if tool.kind is ToolKind.ACTION else "http" if tool.kind is ToolKind.HTTP else "mcp"
        return RealCall(
            run_id=self._plan.run_id,
            call_id=call.id,
            agent=seat.agent,
            tool=call.name,
            kind=kind,
            arguments=arguments,
            variables=seat.variables,
            test_header=self._plan.test_header,
            seconds=min(limits.webhook_seconds, max(self._meter.seconds_left, 0.001)),
            max_bytes=limits.webhook_bytes,
            scope=self._plan.scope,
        )

    async def _serve(
        self, call: ToolCall, tool: OfferedTool, seat: Seat, turn: int, arguments: dict[str, Json]
    ) -> Answered:
        """Answer a tool of the engine's own."""
        if tool.kind is ToolKind.KNOWLEDGE:
            return await self._search(call, seat, turn, arguments)
        if tool.kind in _DECISIVE_KINDS and self._decided:
            message = "Your reply already ends the conversation or hands it over."
            return self._line(call, seat, turn, arguments, {"error": message}, "refused", "not_allowed")
        if tool.kind is ToolKind.HAND_OFF:
            return self._hand_off(call, seat, turn, arguments)
        self._decided = self._decided or tool.kind in _DECISIVE_KINDS
        source = self._source_of(tool.kind)
        if tool.kind is ToolKind.MEMORY:
            return self._line(call, seat, turn, arguments, self._remember(call.name, arguments), source)
        follows: End | Card | None = None
        result: Json = {"ok": True}
        match tool.kind:
            case ToolKind.END_CALL:
                follows = End("agent_hung_up")
            case ToolKind.TRANSFER:
                to = seat.agent.can_transfer
                label = (to.label or to.to) if to else "a person"
                follows, result = End("transferred", f"transferred to {label}"), {"ok": True, "to": label}
            case ToolKind.RESCHEDULE:
                follows = End("rescheduled", f"to be called back: {arguments.get('when', 'later')}")
            case _:
                if tool.card is not None:
                    follows = Card(kind=tool.card, data=arguments)
        return self._line(call, seat, turn, arguments, result, source, follows=follows)

    async def _search(self, call: ToolCall, seat: Seat, turn: int, arguments: dict[str, Json]) -> Answered:
        began = self._ports.clock.elapsed()
        knowledge = seat.knowledge
        found = (
            await self._meter.in_time(
                self._ports.knowledge.search(knowledge, str(arguments.get("query", "")), PASSAGES_A_SEARCH)
            )
            if knowledge
            else ()
        )
        passages: list[Json] = [{"document": passage.document, "text": passage.text} for passage in found]
        result: Json = {"passages": passages} if passages else {"passages": [], "note": "Nothing was found."}
        took = round((self._ports.clock.elapsed() - began) * 1000)
        texts = tuple(passage.text for passage in found)
        return self._line(call, seat, turn, arguments, result, "knowledge", None, took, passages=texts)

    def _hand_off(self, call: ToolCall, seat: Seat, turn: int, arguments: dict[str, Json]) -> Answered:
        wanted = str(arguments.get("agent", ""))
        target = find_agent(wanted, self._plan.others)
        why_not = self._why_not(seat.agent, target, wanted)
        if why_not or target is None:
            return self._line(call, seat, turn, arguments, {"error": why_not}, "refused", "not_allowed")
        self._moves_a_turn += 1
        self._moves_a_run += 1
        self._decided = True
        result: dict[str, Json] = {"ok": True, "agent": target.name}
        if target.id:
            result["agent_id"] = target.id
        move = Move(target, str(arguments.get("reason", "")))
        return self._line(call, seat, turn, arguments, result, "handoff", follows=move)

    def _why_not(self, source: Agent, target: Agent | None, wanted: str) -> str:
        limits = self._plan.limits
        if target is None:
            return f"There is no agent named {wanted} to hand over to."
        if target.name == source.name:
            return "The conversation is already with this agent."
        if not any(find_agent(name, self._plan.others) is target for name in source.can_hand_off):
            return f"This agent may not hand over to {target.name}."
        if target.remote is not None:
            return f"{target.name} lives elsewhere and cannot take over a conversation."
        if not target.enabled:
            return f"{target.name} is switched off."
        if target.pipeline_mode == "realtime":
            return f"{target.name} is a realtime agent and has no text step."
        if self._moves_a_turn >= limits.moves_a_turn or self._moves_a_run >= limits.moves_a_run:
            return "The conversation was handed over too often. Go on yourself."
        return ""

    def _remember(self, tool: str, arguments: dict[str, Json]) -> Json:
        if tool == "recall":
            key = arguments.get("key")
            if key:
                return {"value": self._memory.get(str(key))}
            return {"facts": dict(self._memory)}
        if tool == "remember":
            self._memory[str(arguments["key"])] = str(arguments["value"])
        return {"ok": True}

    def _line(
        self,
        call: ToolCall,
        seat: Seat,
        turn: int,
        arguments: Json,
        result: Json,
        source: Source,
        reason: Reason | None = None,
        latency_ms: int = 0,
        *,
        follows: End | Move | Card | None = None,
        passages: tuple[str, ...] = (),
    ) -> Answered:
        line = ToolLine(
            turn=turn,
            agent=seat.agent.name,
            name=call.name,
            arguments=arguments,
            result=result,
            source=source,
            reason=reason,
            latency_ms=latency_ms,
        )
        return Answered(line, follows, passages)


def require_webhook(agent: Agent) -> None:
    """Make sure that the actions of an agent can be called for real. Its HTTP tools and MCP servers need no webhook.

    Raises:
        RunError: it has actions, and a webhook without URL or signing secret, or none.
    """
    webhook = agent.tool_webhook
    url, secret = (webhook.url, webhook.secret) if webhook else (None, None)
    if url and url.strip() and secret and secret.get_secret_value().strip():
        return
    action = next((tool.name for tool in agent.tools if tool.enabled and tool.http is None), None)
    if action is not None:
        raise RunError(
            f"The agent {agent.name} cannot call {action} for real, since its tool webhook has no URL or no signing "
            "secret: set `tool_webhook.url` and `tool_webhook.secret`, or let the test answer."
        )


def _as_http(prepared: Prepared) -> Json:
    """What an HTTP tool's model is handed: the status beside the result."""
    if prepared.reason == "timeout":
        return prepared.result
    return {"status": 200 if prepared.ok else 500, "result": prepared.result}


def _reason(answer: ToolAnswer) -> Reason | None:
    return None if answer.ok else answer.reason or "tool_error"


def _raw(call: ToolCall) -> Json:
    try:
        return json.loads(call.arguments) if call.arguments.strip() else {}
    except (ValueError, RecursionError):
        return call.arguments
