"""A model server on loopback: real HTTP in the wire formats of OpenAI, Anthropic and Gemini, scripted per test.

In a test:

    async with ModelServer() as server:
        server.queue(Status(429), Answer(text="Hello"))
        ... server.openai_url ... server.requests[0].system

For a program that runs in another process, `with ModelServer.in_thread() as server:`. On its own:
`python -m tests.support.model_server --port 0 --latency-ms 200 --script rules.yaml`, which prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import threading
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from aiohttp import web
from tests.support import model_server_wires as wires
from tests.support.model_server_director import Director
from tests.support.model_server_types import Answer, Answering, Broken, Call, Heard, Reply, Status, Tokens, Wire

from greenroom.model.llm import ScriptRule

__all__ = ["Answer", "Broken", "Call", "Heard", "ModelServer", "RefusingFirst", "Reply", "Status", "Tokens"]

_HELLO = Answer(text="Hello from the model server.")


class ModelServer:
    """The server. `answer` is what it replies when nothing is queued: a reply, or a function of the request. With
    `keep=False` requests are counted but not kept in `requests`, for servers that run for long."""

    def __init__(
        self, answer: Reply | Answering = _HELLO, *, latency_ms: float = 0, port: int = 0, keep: bool = True
    ) -> None:
        self.answer: Reply | Answering = answer
        self.latency_ms = latency_ms
        self.requests: list[Heard] = []
        self.url = ""
        self._port = port
        self._keep = keep
        self._queued: deque[Reply | Answering] = deque()
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._released: asyncio.Event | None = None
        self._arrivals = threading.Condition()
        self._count = 0

    @classmethod
    def playing(cls, rules: Sequence[ScriptRule], *, latency_ms: float = 0, port: int = 0) -> Self:
        """A server that plays agent, caller and judge by the rules of a scripted brain."""
        return cls(Director(rules), latency_ms=latency_ms, port=port)

    @classmethod
    @contextmanager
    def in_thread(cls, answer: Reply | Answering = _HELLO, *, latency_ms: float = 0) -> Generator[Self]:
        """The server in a thread of its own, for programs that are started as a person starts them."""
        server = cls(answer, latency_ms=latency_ms)
        ready, ended = threading.Event(), asyncio.Event()

        async def serve() -> None:
            async with server:
                ready.set()
                await ended.wait()

        thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
        thread.start()
        ready.wait()
        try:
            yield server
        finally:
            assert server._loop is not None
            server._loop.call_soon_threadsafe(ended.set)
            thread.join()

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    @property
    def google_url(self) -> str:
        return self.url

    def base_url(self, wire: Wire) -> str:
        return self.openai_url if wire == "openai" else self.url

    @property
    def count(self) -> int:
        """How many requests have come in."""
        return self._count

    def queue(self, *replies: Reply | Answering) -> None:
        """Replies for the next requests, in order, before `answer`."""
        self._queued.extend(replies)

    def release(self) -> None:
        """Let everything that hangs or is slow go on."""
        assert self._loop is not None
        assert self._released is not None
        self._loop.call_soon_threadsafe(self._released.set)

    def begin_anew(self) -> None:
        """Forget what came and what was queued, for a server that tests share. From the server's own loop."""
        assert self._released is not None
        self._released.set()
        self._released = asyncio.Event()
        self._queued.clear()
        self.requests.clear()
        self._count = 0

    def wait_for(self, count: int, timeout: float = 30) -> None:
        """Block until `count` requests have come in. Not from the server's own loop: see `arrived`."""
        with self._arrivals:
            if not self._arrivals.wait_for(lambda: self._count >= count, timeout):
                raise TimeoutError(f"{self._count} of {count} requests came in")

    async def arrived(self, count: int) -> None:
        """Wait until `count` requests have come in."""
        await asyncio.to_thread(self.wait_for, count)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._released = asyncio.Event()
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", partial(self._serve, "openai"))
        app.router.add_post("/v1/messages", partial(self._serve, "anthropic"))
        app.router.add_post("/v1beta/models/{model}", partial(self._serve, "google"))
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=2048)
        await site.start()
        port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        assert self._released is not None
        self._released.set()
        await self._runner.cleanup()

    async def _serve(self, wire: Wire, request: web.Request) -> web.StreamResponse:
        heard = wires.read(wire, request.path, request.headers, await request.read())
        if self._keep:
            self.requests.append(heard)
        with self._arrivals:
            self._count += 1
            number = self._count
            self._arrivals.notify_all()
        if self.latency_ms:
            await asyncio.sleep(self.latency_ms / 1000)
        reply = self._queued.popleft() if self._queued else self.answer
        if callable(reply):
            outcome = reply(heard)
            reply = await outcome if inspect.isawaitable(outcome) else outcome
        match reply:
            case Answer():
                if reply.delay_ms:
                    await asyncio.sleep(reply.delay_ms / 1000)
                return _json(wires.write(heard, reply, number))
            case Status():
                headers = {} if reply.retry_after is None else {"Retry-After": reply.retry_after}
                return _json(wires.write_error(wire, reply), status=reply.code, headers=headers)
            case Broken():
                return await self._misbehave(request, heard, reply, number)

    async def _misbehave(self, request: web.Request, heard: Heard, broken: Broken, number: int) -> web.StreamResponse:
        assert self._released is not None
        good = json.dumps(wires.write(heard, broken.then, number), ensure_ascii=False).encode()
        match broken.kind:
            case "drop":
                _abort(request)
                return web.Response()
            case "reset" | "slow":
                return await self._send_a_part(request, good, broken.kind == "reset")
            case "hang":
                await self._released.wait()
                return _body(good)
            case "malformed":
                return _body(good[: len(good) // 2])
            case "empty":
                return _json(wires.write_empty(heard.wire))
            case "html":
                return _body(b"<html><body><h1>Welcome to the proxy</h1></body></html>", "text/html")
            case "text":
                return _body(good, "text/plain")
            case "not_an_object":
                return _body(b"[1, 2, 3]")
            case "huge":
                return await _send_much(request, broken.size)
            case "bad_utf8":
                return _body(good.replace(b"Late", b"L\xff\xfete"))
            case "raw":
                packed = {} if broken.encoding is None else {"Content-Encoding": broken.encoding}
                return _body(broken.body, broken.content_type, broken.status, packed)

    async def _send_a_part(self, request: web.Request, body: bytes, reset: bool) -> web.StreamResponse:
        assert self._released is not None
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": str(len(body))})
        await response.prepare(request)
        await response.write(body[:10])
        if reset:
            _abort(request)
            return response
        await self._released.wait()
        with suppress(ConnectionError):  # who asked may have given up
            await response.write(body[10:])
        return response


async def _send_much(request: web.Request, size: int) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"choices": "')
    chunk = b"x" * 65_536
    try:
        for _ in range(size // len(chunk)):
            await response.write(chunk)
        await response.write(b'"}')
    except ConnectionError:
        _abort(request)
    return response


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()  # pyright: ignore[reportAttributeAccessIssue]  # a socket transport always has it


def _body(
    body: bytes,
    content_type: str = "application/json",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    return web.Response(body=body, status=status, headers={"Content-Type": content_type, **(headers or {})})


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    content = json.dumps(body, ensure_ascii=False).encode()
    return web.Response(body=content, status=status, headers={"Content-Type": "application/json", **(headers or {})})


class RefusingFirst:
    """Answers half of the requests with `status`: each one when it is seen for the first time."""

    def __init__(self, status: Status, answer: Reply | Answering = _HELLO) -> None:
        self._status = status
        self._answer = answer
        self._seen: set[bytes] = set()

    async def __call__(self, heard: Heard) -> Reply:
        if heard.raw not in self._seen:
            self._seen.add(heard.raw)
            return self._status
        if not callable(self._answer):
            return self._answer
        outcome = self._answer(heard)
        return await outcome if inspect.isawaitable(outcome) else outcome


def read_rules(path: Path) -> list[ScriptRule]:
    """Script rules from a YAML or JSON file: a list."""
    from ruamel.yaml import YAML

    return [ScriptRule.model_validate(rule) for rule in YAML(typ="safe").load(path.read_text(encoding="utf-8"))]


async def _serve_alone(server: ModelServer) -> None:
    async with server:
        print(server.url, flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    """Serve until stopped, with a fixed reply or by rules."""
    parser = argparse.ArgumentParser(description="A model server on loopback, for tests and benchmarks.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency-ms", type=float, default=0, help="how long each reply takes")
    parser.add_argument("--say", default=_HELLO.text, help="what it replies, when it plays no rules")
    parser.add_argument("--script", type=Path, help="a YAML or JSON file with the rules of a scripted brain")
    options = parser.parse_args()
    answer: Reply | Answering = Director(read_rules(options.script)) if options.script else Answer(text=options.say)
    server = ModelServer(answer, latency_ms=options.latency_ms, port=options.port, keep=False)
    try:
        asyncio.run(_serve_alone(server))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
