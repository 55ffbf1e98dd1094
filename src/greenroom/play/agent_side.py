"""The agent's side of a turn: the brain is asked, its tool calls are answered, and it is asked again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from greenroom.model.agent import Agent
from greenroom.model.errors import RunError
from greenroom.model.run import AgentLine, Card
from greenroom.model.talk import BrainReply, ModelSaid, ToolAnswered, ToolCall
from greenroom.model.text import cut, speakable
from greenroom.play.desk import Answered, Move
from greenroom.play.ends import End
from greenroom.play.seat import Seat
from greenroom.play.stage import Stage
from greenroom.play.voices import VoiceReply

WITHHELD = "(the reply was withheld)"


class AgentSide:
    """Plays the agent, and every agent that it hands the talk to."""

    def __init__(self, stage: Stage, agent: Agent) -> None:
        self._stage = stage
        self._agent = agent
        self._waited_ms = 0
        self._cards: list[Card] = []
        self._last_line: int | None = None
        self._chunks = 0
        self._end: End | None = None
        self._spoke = False
        """Whether the brain has said something in this turn: then it may fall silent after a tool's result."""

    @property
    def agent(self) -> Agent:
        """Who is at the telephone now."""
        return self._agent

    def put_on(self, agent: Agent) -> None:
        """Put another agent at the telephone, from the next words on."""
        self._agent = agent

    async def greet(self) -> End | None:
        """Turn 0: the greeting, or the brain's own first words; nothing where the other side opens the talk."""
        if not self._agent.opens_the_talk:
            return None
        if self._agent.greeting is None:
            return await self.answer()
        seat = await self._stage.seat(self._agent)
        text = await self._stage.fill(self._agent.greeting, self._agent, "greeting")
        await self._say(seat, text, None)
        seat.said(text)
        seat.heard_upto = len(self._stage.spoken)
        return None

    async def answer(self) -> End | None:
        """The agent's side of the turn, up to its answer in words or the end of the talk."""
        stage = self._stage
        stage.desk.start_turn()
        self._waited_ms, self._cards, self._last_line, self._end, self._spoke = 0, [], None, None, False
        self._chunks = 0
        seat = await stage.seat(self._agent)
        stage.catch_up(seat)
        if not seat.messages and seat.agent.remote is None:
            seat.hear(seat.opening_marker)
        heard_tool: str | None = None
        heard = stage.last_caller_words
        rounds = stage.plan.limits.tool_rounds
        for round_number in range(rounds):
            may_call = round_number < rounds - 1
            spoken = await self._ask(seat, heard, heard_tool, may_call)
            calls = _with_own_ids(spoken.reply.calls, seat) if may_call else ()
            answered = await self._take(seat, spoken, calls)
            if spoken.ended:
                self._end = self._end or End("agent_hung_up")
            if not calls or spoken.ended:
                return await self._conclude()
            if any(one.line.source == "planned" for one in answered):
                self._end = End("replied", "the reply stopped at the tools it picked")
                return await self._conclude()
            move = self._follow(answered)
            if any(isinstance(one.follows, End) and one.follows.by != "rescheduled" for one in answered):
                return await self._conclude()
            heard, heard_tool = answered[-1].content, answered[-1].line.name
            if move is not None:
                seat = await self._change_seat(seat, move)
                heard, heard_tool = stage.last_caller_words, None
        raise AssertionError("the last round offers no tools, so it always concludes")

    async def _ask(self, seat: Seat, heard: str, heard_tool: str | None, may_call: bool) -> VoiceReply:
        """One reply that has words or calls. An empty one is asked for once more, where that changes nothing else."""
        calls_only, times = False, ""
        for attempt in range(2 if seat.voice.may_be_asked_again else 1):
            spoken = await seat.voice.reply(seat, heard=heard, heard_tool=heard_tool, may_call=may_call)
            self._waited_ms += spoken.reply.latency_ms
            calls_only = bool(spoken.reply.calls) and not may_call and not spoken.reply.text.strip()
            if not (spoken.says_nothing or calls_only) or (self._spoke and not spoken.reply.calls):
                return spoken
            times = "twice in a row" if attempt else "once"
        said = "nothing but tool calls" if calls_only else "an empty reply"
        where = "its logs" if seat.agent.remote else "the prompt and `llm.max_tokens`"
        raise RunError(f"{seat.voice.name} gave {said} {times} as the agent {seat.agent.name}: check {where}.")

    async def _take(self, seat: Seat, spoken: VoiceReply, calls: tuple[ToolCall, ...]) -> list[Answered]:
        """Record what a reply says and answer what it calls."""
        stage, reply = self._stage, spoken.reply
        for done in spoken.done:
            await stage.recorder.add(stage.desk.done_elsewhere(done, seat, stage.turn))
        text = speakable(reply.text).strip()
        if reply.finish == "refused":
            await stage.recorder.warn(f"{spoken.model} refused to answer, or its content filter stopped the reply.")
        text, was_cut = cut(text, stage.plan.limits.reply_chars)
        if text or reply.finish == "refused":
            truncated = was_cut or reply.finish == "cut"
            await self._say(seat, text, reply, truncated=truncated, fallback=spoken.fallback)
        if text or calls or reply.finish == "refused":
            said = ModelSaid(text or ("" if calls else WITHHELD), calls, reply.provider_state, spoken.model)
            seat.messages.append(said)
        await self._say_before_calls(seat, calls, spoken.fallback)
        answered = await self._answer_calls(seat, calls)
        for call, one in zip(calls, answered, strict=True):
            seat.messages.append(ToolAnswered(call.id, call.name, one.content, one.ok))
            await stage.recorder.add(one.line)
            seat.searched.extend(one.passages)
            self._chunks += len(one.passages)
        seat.heard_upto = len(stage.spoken)
        self._waited_ms += max((one.line.latency_ms for one in answered), default=0)
        return answered

    async def _say_before_calls(self, seat: Seat, calls: tuple[ToolCall, ...], fallback: bool) -> None:
        for call in calls:
            tool = seat.tools.get(call.name)
            message = tool.declared.pre_call_message if tool and tool.declared else None
            if message and not self._stage.desk.plans(tool):
                await self._say(seat, message, None, fallback=fallback)

    async def _answer_calls(self, seat: Seat, calls: tuple[ToolCall, ...]) -> list[Answered]:
        """Answer all calls of a reply at once; the answers come in the order asked."""
        stage = self._stage
        stage.desk.start_reply()
        if len(calls) <= 1:
            return [await stage.desk.answer(call, seat, stage.turn) for call in calls]
        tasks = [asyncio.ensure_future(stage.desk.answer(call, seat, stage.turn)) for call in calls]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    def _follow(self, answered: list[Answered]) -> Move | None:
        move: Move | None = None
        for one in answered:
            match one.follows:
                case End() as end if self._end is None:
                    self._end = end
                case Move() as to if move is None:
                    move = to
                case Card() as card:
                    self._cards.append(card)
                case _:
                    pass
        return move

    async def _change_seat(self, source: Seat, move: Move) -> Seat:
        """Let another agent take over, with what was said aloud as its talk so far."""
        self._agent = move.to
        seat = await self._stage.seat(move.to)
        self._stage.catch_up(seat)
        reason = f" {move.reason.strip()}" if move.reason.strip() else ""
        seat.hear(f"(the conversation is handed over to you by {source.agent.name}.{reason})")
        return seat

    async def _say(
        self,
        seat: Seat,
        text: str,
        reply: BrainReply | None,
        *,
        truncated: bool = False,
        fallback: bool = False,
    ) -> None:
        stage = self._stage
        knowledge = seat.knowledge
        line = AgentLine(
            turn=stage.turn,
            agent=seat.agent.name,
            text=text,
            latency_ms=self._waited_ms if reply is not None else None,
            truncated=truncated,
            fallback=fallback,
            refused=reply is not None and reply.finish == "refused",
            components=self._cards,
        )
        passages = tuple(seat.searched)
        if knowledge and knowledge.is_inline:
            passages = tuple(document.text for document in knowledge.documents)
        if knowledge and knowledge.documents and reply is not None:
            line.knowledge_chunks_used = len(passages) if knowledge.is_inline else self._chunks
        self._cards = []
        if reply is not None:
            self._waited_ms = 0
            self._spoke = self._spoke or bool(text)
        index = await stage.recorder.add(line)
        if knowledge and knowledge.documents:
            stage.recorder.passages[index] = passages
        self._last_line = index
        if text:
            stage.say(text, seat.agent.name)

    async def _conclude(self) -> End | None:
        """Close the turn: a card that no words followed goes to the last words of the turn."""
        if self._cards and self._last_line is not None:
            line = self._stage.recorder.run.transcript[self._last_line]
            if isinstance(line, AgentLine):
                line.components = [*line.components, *self._cards]
                await self._stage.recorder.line_changed(self._last_line)
            self._cards = []
        return self._end


def _with_own_ids(calls: tuple[ToolCall, ...], seat: Seat) -> tuple[ToolCall, ...]:
    """The calls, each with an id that no other call of the seat has: some servers leave ids out or give one twice,
    and some providers refuse a talk in which one comes twice."""
    named: list[ToolCall] = []
    for number, call in enumerate(calls):
        usable = call.id and call.id not in seat.call_ids
        named.append(call if usable else replace(call, id=f"call_{len(seat.messages)}_{number}"))
        seat.call_ids.add(named[-1].id)
    return tuple(named)
