"""Agents that live elsewhere, on loopback: a WebSocket server, answers in OpenAI's shape, and ways to ask them.

HTTP endpoints are played by `WebhookReceiver`, which takes any request and misbehaves on demand.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import WSMsgType, web
from tests.support.talks import Played, play
from tests.support.webhook_receiver import Answer, Received

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.llm import Credential
from greenroom.model.talk import Message, UserSaid
from greenroom.play.ports import RemoteAgents, RemoteReply, RemoteRequest
from greenroom.remote.connect import open_remote_agents
from greenroom.remote.patience import Patience


@dataclass
class Waits:
    """Stands in for sleeping between tries: waits for nothing, and keeps how long it should have been."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)

    @property
    def patience(self) -> Patience:
        return Patience(sleep=self.sleep, chance=lambda: 0.0)


def remote_agent(remote: Mapping[str, Any], **fields: Any) -> Agent:
    """A remote agent named Maya."""
    return Agent.model_validate({"name": "Maya", "remote": dict(remote), **fields})


def asked(agent: Agent, *messages: Message | str, run_id: str = "run_1", **fields: Any) -> RemoteRequest:
    """A request to an agent; plain texts are the caller's words."""
    talk = tuple(UserSaid(message) if isinstance(message, str) else message for message in messages)
    last = talk[-1] if talk else None
    fields.setdefault("session_id", run_id)
    fields.setdefault("prompt", agent.prompt)
    fields.setdefault("variables", agent.variables)
    new = last.text if isinstance(last, UserSaid) else ""
    return RemoteRequest(run_id=run_id, agent=agent, messages=talk, new_message=new, **fields)


async def ask(agent: Agent, *messages: Message | str, seconds_left: float = 60, **opened: Any) -> RemoteReply:
    """The answer of an agent that is asked once, without real waits between tries."""
    opened.setdefault("patience", Waits().patience)
    async with open_remote_agents(**opened) as agents:
        return await agents.reply(asked(agent, *messages), seconds_left=seconds_left)


async def talk_with(agent: Agent, test: Test, *, credentials: Mapping[str, Credential] | None = None) -> Played:
    """A whole talk with a remote agent."""
    async with open_remote_agents(credentials=credentials or {}, patience=Waits().patience) as agents:
        return await play(agent, test, remote=agents)


def completion(text: str | None, *calls: tuple[str, Mapping[str, Any]], **fields: Any) -> Answer:
    """A chat completion with these words, and calls as `(name, arguments)`."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for number, (name, arguments) in enumerate(calls)
        ]
    finish = "tool_calls" if calls else "stop"
    return Answer({"object": "chat.completion", "choices": [{"message": message, "finish_reason": finish}], **fields})


def sequence(answers: Iterable[Answer]) -> Callable[[Received], Answer]:
    """One answer after the other, whatever is asked."""
    rest = iter(answers)
    return lambda _: next(rest)


@dataclass
class Caller:
    """One connection to a WebSocket agent, as the agent sees it."""

    socket: web.WebSocketResponse
    headers: Mapping[str, str]
    path: str
    server: SocketAgent

    async def say(self, *messages: object) -> None:
        """Send messages: text and bytes as they are, all else as JSON."""
        for message in messages:
            if isinstance(message, bytes):
                await self.socket.send_bytes(message)
            else:
                await self.socket.send_str(message if isinstance(message, str) else json.dumps(message))

    async def hear(self) -> Any:
        """The next message, read as JSON; `None` when the caller hung up."""
        message = await self.socket.receive()
        if message.type is not WSMsgType.TEXT:
            return None
        heard = json.loads(message.data)
        self.server.heard.append(heard)
        return heard

    async def everything(self) -> AsyncIterator[Any]:
        """Each message until the caller hangs up."""
        while (heard := await self.hear()) is not None:
            yield heard


class SocketAgent:
    """A WebSocket server. `answer` plays the agent on each connection that is opened to it."""

    def __init__(self, answer: Callable[[Caller], Awaitable[None]]) -> None:
        self._answer = answer
        self._runner: web.AppRunner | None = None
        self.url = ""
        self.heard: list[Any] = []
        self.callers: list[Caller] = []
        self.left = 0
        """How many connections are over."""
        self._gone = asyncio.Condition()

    async def __aenter__(self) -> Self:
        application = web.Application()
        application.router.add_get("/{path:.*}", self._talk)
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"ws://127.0.0.1:{self._runner.addresses[0][1]}/talk"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def all_left(self, count: int) -> None:
        """Return once so many connections are over."""
        async with self._gone:
            await self._gone.wait_for(lambda: self.left >= count)

    async def _talk(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        caller = Caller(socket, request.headers, request.raw_path, self)
        self.callers.append(caller)
        try:
            await self._answer(caller)
        finally:
            async with self._gone:
                self.left += 1
                self._gone.notify_all()
        return socket


@asynccontextmanager
async def opened(**options: Any) -> AsyncGenerator[RemoteAgents]:
    """The port to remote agents, without real waits between tries."""
    options.setdefault("patience", Waits().patience)
    async with open_remote_agents(**options) as agents:
        yield agents
