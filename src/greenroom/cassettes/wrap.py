"""Ports that answer from a tape, or ask and record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import TypeAdapter

from greenroom.cassettes.tape import Kind, Tape
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.talk import Brain, BrainReply, BrainRequest, ToolOffer
from greenroom.play.plan import Ports
from greenroom.play.ports import RealCall, RealTools, RemoteAgents, RemoteReply, RemoteRequest, ToolAnswer

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Failure:
    """A model that could not answer, as it is kept on the tape."""

    failed: str
    fault: BrainFault
    status: int | None


_REPLY: TypeAdapter[BrainReply | _Failure] = TypeAdapter(_Failure | BrainReply)
_ANSWER = TypeAdapter(ToolAnswer)
_OFFERS = TypeAdapter(tuple[ToolOffer, ...])
_REMOTE_REPLY = TypeAdapter(RemoteReply)


def with_cassette(ports: Ports, tape: Tape) -> Ports:
    """The same ports, answering from the tape. Scripted brains are asked as ever: they cost nothing."""
    return replace(
        ports,
        brain=TapedBrain(ports.brain, tape),
        tools=TapedTools(ports.tools, tape),
        remote=TapedRemote(ports.remote, tape),
    )


async def _taped(
    tape: Tape,
    scope: str,
    kind: Kind,
    request: Json,
    adapter: TypeAdapter[Answer],
    ask: Callable[[], Awaitable[Answer]],
) -> Answer:
    place, found = tape.find(scope, kind, request)
    if found is not None:
        recorded = adapter.validate_python(found)
        # A model that could not answer then is asked again where it may be: a missing key must not stay for ever.
        if not (tape.mode == "auto" and isinstance(recorded, _Failure)):
            return recorded
    elif tape.mode == "replay":
        raise tape.miss(place)
    answer = await ask()
    tape.keep(place, adapter.dump_python(answer, mode="json"))
    return answer


class TapedBrain:
    """A brain that replays, or asks and records."""

    def __init__(self, brain: Brain, tape: Tape) -> None:
        self._brain = brain
        self._tape = tape

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        """Answer from the tape, else ask.

        Raises:
            CassetteMiss: the tape is replayed and holds no answer.
            BrainFailed: the model could not answer.
        """
        if request.llm.provider == "scripted":
            return await self._brain.reply(request, seconds_left=seconds_left)
        answer = await _taped(
            self._tape, request.scope, "model", describe(request), _REPLY, lambda: self._ask(request, seconds_left)
        )
        if isinstance(answer, _Failure):
            raise BrainFailed(answer.failed, fault=answer.fault, status=answer.status)
        return answer

    async def _ask(self, request: BrainRequest, seconds_left: float | None) -> BrainReply | _Failure:
        # A failure belongs on the tape too: a rehearsed or real failure of the main brain replays as it happened.
        try:
            return await self._brain.reply(request, seconds_left=seconds_left)
        except BrainFailed as failure:
            return _Failure(str(failure), failure.fault, failure.status)


class TapedTools:
    """Real tools that replay, or are called and recorded."""

    def __init__(self, tools: RealTools, tape: Tape) -> None:
        self._tools = tools
        self._tape = tape

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        servers: list[Json] = [{"name": s.name, "url": s.url, "command": s.command} for s in agent.mcp_servers]
        request: Json = {"agent": agent.name, "servers": servers}
        # What a server offers does not depend on the run, so all runs share one entry.
        place = replace(self._tape.find(agent.name, "tool_list", request)[0], number=0)
        held = self._tape.shared(place)
        if held is not None:
            return _OFFERS.validate_python(held)
        if self._tape.mode == "replay":
            raise self._tape.miss(place)
        offers = await self._tools.offers(run_id, agent)
        self._tape.keep(place, _OFFERS.dump_python(offers, mode="json"))
        return offers

    async def call(self, call: RealCall) -> ToolAnswer:
        request: Json = {
            "agent": call.agent.name,
            "tool": call.tool,
            "arguments": call.arguments,
            "variables": dict(call.variables),
        }
        return await _taped(self._tape, call.scope, "tool", request, _ANSWER, lambda: self._tools.call(call))

    async def close(self, run_id: str) -> None:
        await self._tools.close(run_id)


class TapedRemote:
    """Remote agents that replay, or are asked and recorded."""

    def __init__(self, remote: RemoteAgents, tape: Tape) -> None:
        self._remote = remote
        self._tape = tape
        self._replayed: set[str] = set()
        """The runs of which the agent itself has not heard all."""

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        """Answer from the tape, else ask.

        Raises:
            CassetteMiss: the tape holds no answer, and is replayed or held the answers before it: an agent that
                keeps the talk itself cannot go on with one that it has not heard.
            RunError: the agent failed.
        """
        place, found = self._tape.find(request.scope, "remote", describe_remote(request))
        if found is not None:
            self._replayed.add(request.run_id)
            return _REMOTE_REPLY.validate_python(found)
        keeps_the_talk = request.agent.remote is not None and request.agent.remote.stateful
        if self._tape.mode == "replay" or (keeps_the_talk and request.run_id in self._replayed):
            raise self._tape.miss(place)
        answer = await self._remote.reply(request, seconds_left=seconds_left)
        self._tape.keep(place, _REMOTE_REPLY.dump_python(answer, mode="json"))
        return answer

    async def close(self, run_id: str) -> None:
        self._replayed.discard(run_id)
        await self._remote.close(run_id)


def describe_remote(request: RemoteRequest) -> dict[str, Json]:
    """All of a request that decides a remote agent's answer, as JSON: the whole talk, also where the agent is sent
    only what is new; no key, no header, and no session's id."""
    remote = request.agent.remote
    where: dict[str, Json] = (
        remote.model_dump(mode="json", exclude={"headers", "credential", "timeout_seconds"}) if remote else {}
    )
    if isinstance(url := where.get("url"), str):
        where["url"] = url.partition("?")[0]  # a query may hold a key
    return {
        "agent": request.agent.name,
        "remote": where,
        "prompt": request.prompt,
        "variables": dict(request.variables),
        "messages": [_MESSAGE.dump_python(message, mode="json") for message in request.messages],
        "kinds": [type(message).__name__ for message in request.messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ],
    }


def describe(request: BrainRequest) -> dict[str, Json]:
    """All of a request that decides its answer, as JSON: no credential, and nothing that only Greenroom reads."""
    messages: list[Json] = [_MESSAGE.dump_python(message, mode="json") for message in request.messages]
    kinds: list[Json] = [type(message).__name__ for message in request.messages]
    tools: list[Json] = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in request.tools
    ]
    return {
        "role": request.role,
        "model": request.llm.model,
        "base_url": request.llm.base_url,
        "temperature": request.llm.temperature,
        "max_tokens": request.llm.max_tokens,
        "system": request.system,
        "messages": messages,
        "kinds": kinds,
        "tools": tools,
        "tool_choice": request.tool_choice,
        "answer": request.answer.schema if request.answer else None,
    }


_MESSAGE: TypeAdapter[object] = TypeAdapter(object)
