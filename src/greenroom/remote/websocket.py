"""Agents behind a WebSocket: one connection for each run, from its first request to its end."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

import aiohttp

from greenroom.model.base import Json
from greenroom.model.placeholders import UnknownPlace, fill
from greenroom.model.remote import RemoteWebSocket
from greenroom.outgoing.http import ExchangeFailed, HandshakeRefused, Outgoing
from greenroom.outgoing.json_text import read_json, write_json
from greenroom.play.ports import RemoteCall, RemoteReply, RemoteRequest
from greenroom.remote.answers import calls_done, is_true, words_at
from greenroom.remote.http import DEFAULT_FIELDS
from greenroom.remote.paths import get
from greenroom.remote.patience import AttemptFailed, Patience
from greenroom.remote.side import OtherSide
from greenroom.remote.talk import check_no_history, is_first, no_value, values_of
from greenroom.remote.web import MAX_BYTES, bad_status, filled_headers, filled_url, not_reached

_CLEAN = aiohttp.WSCloseCode.OK
_LARGEST = f"{MAX_BYTES // 1024} KiB"
_LOST = "broke the connection off in the middle of the talk"


class SocketAgents:
    """Asks agents over WebSockets; each run has a connection of its own."""

    def __init__(self, outgoing: Outgoing, patience: Patience) -> None:
        self._outgoing = outgoing
        self._patience = patience
        self._lines: dict[str, dict[str, _Line]] = {}

    async def reply(
        self, request: RemoteRequest, remote: RemoteWebSocket, side: OtherSide, *, seconds_left: float
    ) -> RemoteReply:
        """Say the caller's words, or where the agent is to open the talk nothing, and wait for a whole reply.

        Raises:
            RunError: it failed, or took too long.
        """
        check_no_history(request)
        values = values_of(request, request.session_id)
        message = _message(request, remote.send or DEFAULT_FIELDS, "send") if request.messages else None

        async def attempt(seconds: float) -> RemoteReply:
            clock = asyncio.get_running_loop()
            ends = clock.time() + seconds
            line = await self._line(request, remote, side, values, seconds)
            try:
                async with asyncio.timeout_at(ends):
                    return await line.exchange(message)
            except TimeoutError:
                limit = f"{round(seconds, 2):g} seconds"
                raise side.error(
                    f"gave no whole reply within {limit}: make it faster, raise `remote.timeout_seconds`, "
                    "or correct `remote.reply` and `remote.final`"
                ) from None

        return await self._patience.ask(
            attempt, stateful=True, timeout_seconds=remote.timeout_seconds, seconds_left=seconds_left
        )

    async def _line(
        self,
        request: RemoteRequest,
        remote: RemoteWebSocket,
        side: OtherSide,
        values: dict[str, Json],
        seconds: float,
    ) -> _Line:
        """The run's connection to the agent, opened where it is not yet."""
        lines = self._lines.setdefault(request.run_id, {})
        line = lines.get(request.agent.name)
        if line is not None:
            return line
        if not is_first(request):
            raise side.error("has no open connection for this talk any more, and the talk with it: play the run again")
        first = None if remote.open is None else _message(request, remote.open, "open")
        url = filled_url(request, remote.url, values)
        headers = filled_headers(request, remote.headers, values, {})
        side = side.also_hiding(headers.get(name, "") for name in remote.headers)
        try:
            socket = await self._outgoing.open_websocket(url, headers=headers, seconds=seconds, max_bytes=MAX_BYTES)
        except HandshakeRefused as refused:
            raise _refused(refused, side) from None
        except ExchangeFailed as failure:
            raise not_reached(failure, side) from None
        line = lines[request.agent.name] = _Line(socket, remote, side)
        if first is not None:
            await line.send(first)
        return line

    async def close(self, run_id: str) -> None:
        """Hang up a run's connection."""
        for line in self._lines.pop(run_id, {}).values():
            await line.close()

    async def close_all(self) -> None:
        """Hang up every connection."""
        for run_id in list(self._lines):
            await self.close(run_id)


def _message(request: RemoteRequest, template: Json, where: str) -> str:
    try:
        return write_json(fill(template, values_of(request, request.session_id)))
    except UnknownPlace as place:
        raise no_value(request, place, where) from None


def _refused(refused: HandshakeRefused, side: OtherSide) -> AttemptFailed:
    if 200 <= refused.status < 300 or refused.status == 101:
        return AttemptFailed(side.error("does not speak WebSocket there: check `remote.url`"))
    return bad_status(refused.status, refused.retry_after, side, location=refused.location)


@dataclass(frozen=True, slots=True)
class _Over:
    """The connection is over: what the other side said of it, or what was wrong."""

    code: int | None = None
    why: str = ""


class _Line:
    """One open connection. A task reads it all the time, so that pings are answered while the caller thinks."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, remote: RemoteWebSocket, side: OtherSide) -> None:
        self._socket = socket
        self._remote = remote
        self._side = side
        self._come: deque[Json | _Over] = deque()
        self._unread = 0
        self._arrived = asyncio.Event()
        self._has_spoken = False
        self._reading = asyncio.create_task(self._read(), name="websocket of a remote agent")

    async def send(self, message: str) -> None:
        """Send one message. That the connection is lost shows when it is read."""
        try:
            await self._socket.send_str(message)
        except (aiohttp.ClientError, OSError):
            return

    async def exchange(self, message: str | None) -> RemoteReply:
        """Send the caller's words, if there are any, and join what comes to one reply.

        Raises:
            RunError: the connection was lost, or what came is no reply.
        """
        if message is not None and not self._is_over():
            await self.send(message)
        parts: list[str] = []
        done: tuple[RemoteCall, ...] = ()
        size = 0
        while True:
            item = await self._next()
            if isinstance(item, _Over):
                # Kept, so that whoever asks next learns it too.
                self._come.appendleft(item)
                self._check_hung_up(item)
                return RemoteReply("".join(parts), done=done, ended=True)
            ran, words, last = self._look_at(item)
            done = (*done, *ran)
            parts.append(words)
            size += len(words)
            if size > MAX_BYTES:
                raise self._side.error(f"sent more than {_LARGEST} before its reply was whole: see its logs")
            self._has_spoken = self._has_spoken or bool(words)
            ended = is_true(get(item, self._remote.ended))
            if last or ended:
                return RemoteReply("".join(parts), done=done, ended=ended)

    def _look_at(self, item: Json) -> tuple[tuple[RemoteCall, ...], str, bool]:
        """The tools that a message tells of, its words, and whether a reply is whole with it."""
        remote = self._remote
        words = words_at(get(item, remote.reply), "remote.reply", self._side)
        done = calls_done(get(item, remote.tool_calls), "remote.tool_calls", self._side)
        last = is_true(get(item, remote.final)) if remote.final is not None else bool(words.strip())
        return done, words, last

    def _is_over(self) -> bool:
        return any(isinstance(item, _Over) for item in self._come)

    def _check_hung_up(self, over: _Over) -> None:
        """An agent that has spoken and then closes the connection properly hung up; any other end is an error.

        Raises:
            RunError: it is such an end.
        """
        if not (over.code == _CLEAN and self._has_spoken):
            raise self._side.error(f"{over.why}: see its logs")

    async def _next(self) -> Json | _Over:
        while not self._come:
            self._arrived.clear()
            await self._arrived.wait()
        item = self._come.popleft()
        if not self._come:
            self._unread = 0
        return item

    async def _read(self) -> None:
        over: _Over | None = None
        while over is None:
            try:
                item = self._item(await self._socket.receive())
            except (aiohttp.ClientError, OSError, RuntimeError):
                item = _Over(why=_LOST)
            over = item if isinstance(item, _Over) else None
            self._come.append(item)
            self._arrived.set()

    def _item(self, message: aiohttp.WSMessage) -> Json | _Over:
        if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            data: str | bytes = message.data
            self._unread += len(data)
            if self._unread > MAX_BYTES:
                return _Over(why=f"sent more than {_LARGEST} before its reply was whole")
            try:
                return read_json(data)
            except ValueError:
                if isinstance(data, bytes):
                    return None  # Sound, say.
                return _Over(why="sent a message that is not JSON")
        code = self._socket.close_code
        if message.type is aiohttp.WSMsgType.ERROR:
            too_big = code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG
            return _Over(why=f"sent a message larger than {_LARGEST}" if too_big else "broke the WebSocket protocol")
        if message.type is aiohttp.WSMsgType.CLOSE:
            said = f", in its words {self._side.quote(message.extra)}" if message.extra else ""
            return _Over(code, f"closed the connection in the middle of the talk (code {code}{said})")
        return _Over(why=_LOST)

    async def close(self) -> None:
        """Hang up."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        await self._socket.close()
