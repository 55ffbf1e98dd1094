"""A webhook receiver on loopback: real HTTP that checks signatures, records requests and misbehaves on demand.

In a test:

    async with WebhookReceiver(secret="whsec_…") as receiver:
        receiver.answer = Answer(status=500)
        ... receiver.url ... receiver.requests[0].json

For a program that runs in another process: `with WebhookReceiver.in_thread() as receiver:`.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from aiohttp import web
from standardwebhooks import Webhook, WebhookVerificationError

SECRET = "whsec_Z3JlZW5yb29tLXRlc3Qtc2VjcmV0LWtleQ=="


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came; headers are found by their names in any case.

    `signed` is whether its Standard Webhooks signature is right.
    """

    method: str
    path: str
    """Path and query, as they were sent."""
    headers: Mapping[str, str]
    body: bytes
    signed: bool

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the receiver answers.

    `body` is sent as it is where it is bytes, else as JSON. `misbehave`: `wait` answers only once released, `reset`
    cuts the connection before the answer, `break` in the middle of it, `endless` never ends, `garbage` is no HTTP,
    `stall` sends the head and nothing else until released.
    """

    body: object = field(default_factory=lambda: {"ok": True})
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    misbehave: Literal["wait", "reset", "break", "endless", "garbage", "stall"] | None = None
    compressed: bool = False

    @property
    def content(self) -> bytes:
        content = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return gzip.compress(content) if self.compressed else content


class WebhookReceiver:
    """The receiver. `answer` is what it replies: an answer, or a function of the request."""

    def __init__(self, answer: Answer | Callable[[Received], Answer] = Answer(), *, secret: str = SECRET) -> None:
        self.answer: Answer | Callable[[Received], Answer] = answer
        self.secret = secret
        self.requests: list[Received] = []
        self.bytes_sent = 0
        self.url = ""
        self._runner: web.AppRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._released = asyncio.Event()
        self._arrived = asyncio.Condition()

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=16 * 1024 * 1024)
        application.router.add_route("*", "/{path:.*}", self._receive)
        self._loop = asyncio.get_running_loop()
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/hook"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._released.set()
        if self._runner is not None:
            await self._runner.cleanup()

    @classmethod
    @contextmanager
    def in_thread(
        cls, answer: Answer | Callable[[Received], Answer] = Answer(), *, secret: str = SECRET
    ) -> Generator[Self]:
        """A receiver in a thread of its own, for a test that is not asynchronous."""
        started: threading.Event = threading.Event()
        receivers: list[Self] = []
        ending: list[Callable[[], object]] = []

        async def serve() -> None:
            over = asyncio.Event()
            loop = asyncio.get_running_loop()
            async with cls(answer, secret=secret) as receiver:
                receivers.append(receiver)
                ending.append(lambda: loop.call_soon_threadsafe(over.set))
                started.set()
                await over.wait()

        thread = threading.Thread(target=lambda: asyncio.run(serve()), name="webhook receiver")
        thread.start()
        started.wait()
        try:
            yield receivers[0]
        finally:
            ending[0]()
            thread.join()

    def release(self) -> None:
        """Let the answers that wait go; callable from any thread."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._released.set)

    async def wait_for(self, count: int) -> None:
        """Return once `count` requests have come."""
        async with self._arrived:
            await self._arrived.wait_for(lambda: len(self.requests) >= count)

    async def _receive(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        received = Received(
            request.method, request.raw_path, request.headers, body, self._is_signed(request.headers, body)
        )
        async with self._arrived:
            self.requests.append(received)
            self._arrived.notify_all()
        answer = self.answer(received) if callable(self.answer) else self.answer
        return await self._reply(request, answer)

    def _is_signed(self, headers: Mapping[str, str], body: bytes) -> bool:
        secret: str | bytes = self.secret if self.secret.startswith("whsec_") else self.secret.encode()
        try:
            Webhook(secret).verify(body, dict(headers), json_parse=False)
        except (WebhookVerificationError, UnicodeDecodeError):
            return False
        return True

    async def _reply(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        assert request.transport is not None
        if answer.misbehave == "wait":
            await self._released.wait()
        if answer.misbehave == "reset":
            request.transport.abort()
        if answer.misbehave == "garbage":
            request.transport.write(b"this is no HTTP at all\r\n\r\n")
            request.transport.close()
        if answer.misbehave in ("break", "endless", "stall"):
            return await self._stream(request, answer)
        headers = {"Content-Type": "application/json", **answer.headers}
        if answer.compressed:
            headers["Content-Encoding"] = "gzip"
        return web.Response(body=answer.content, status=answer.status, headers=headers)

    async def _stream(self, request: web.Request, answer: Answer) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status, headers={"Content-Type": "application/json"})
        if answer.misbehave == "break":
            response.content_length = len(answer.content) + 100
        await response.prepare(request)
        if answer.misbehave == "stall":
            await self._released.wait()
        await response.write(answer.content)
        assert request.transport is not None
        if answer.misbehave == "break":
            request.transport.abort()
        while answer.misbehave == "endless" and not request.transport.is_closing():
            await response.write(b"x" * 8192)
            self.bytes_sent += 8192
        return response
