"""A real MCP server for tests, built with the official SDK.

Over streamable HTTP: `async with McpTestServer() as server: ... server.url ... server.headers`.
As a program: `python tests/support/mcp_server.py`, with `--fail-at-start` for one that dies at once.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import socket
import sys
from collections.abc import Generator
from typing import Any, Self

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Slot(BaseModel):
    """A free slot."""

    day: str
    hour: int


def build_server(released: asyncio.Event | None = None) -> MCPServer[Any]:
    """The server: its `slow` tool answers once `released` is set."""
    server: MCPServer[Any] = MCPServer("test server", log_level="CRITICAL")

    @server.tool(description="Says back what it got")
    def echo(text: str, times: int = 1) -> str:
        return " ".join([text] * times)

    @server.tool(description="Finds a free slot")
    def find_slot(day: str) -> Slot:
        return Slot(day=day, hour=10)

    @server.tool(structured_output=False)
    def fails(why: str = "the calendar is locked") -> str:
        raise ToolError(why)

    @server.tool(structured_output=False)
    async def slow() -> str:
        await (released or asyncio.Event()).wait()
        return "at last"

    @server.tool(name="calendar.look/up", structured_output=False)
    def look_up() -> str:
        return "looked up"

    @server.tool(structured_output=False)
    def large(size: int) -> str:
        return "x" * size

    @server.tool(structured_output=False)
    def environment(name: str) -> str:
        return os.environ.get(name, "not set")

    @server.tool(structured_output=False)
    def dies(last_words: str) -> str:
        sys.stderr.write(f"{last_words}\n")
        sys.stderr.flush()
        os._exit(3)

    _add_unusual_results(server)
    return server


def _add_unusual_results(server: MCPServer[Any]) -> None:
    @server.tool()
    def mixed() -> CallToolResult:
        return CallToolResult(
            content=[
                TextContent(text="Here it is."),
                ImageContent(data=base64.b64encode(b"0" * 3000).decode(), mime_type="image/png"),
                AudioContent(data="AAAA", mime_type="audio/wav"),
                ResourceLink(name="plan", uri="file:///plan.txt"),
                EmbeddedResource(resource=TextResourceContents(uri="file:///note.txt", text="Ring twice.")),
            ]
        )

    @server.tool()
    def silent() -> CallToolResult:
        return CallToolResult(content=[], is_error=True)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """The test's own process keeps its signals."""
        yield


class McpTestServer:
    """The server over streamable HTTP. `headers` lists the headers of each request; with `status`, every request is
    answered with it; `huge` answers with more bytes than anyone should read, `mute` not until released.
    With `legacy` it knows only the protocol of 2025, with its handshake and sessions."""

    def __init__(
        self,
        *,
        status: int | None = None,
        huge: bool = False,
        not_mcp: bool = False,
        mute: bool = False,
        legacy: bool = False,
        port: int = 0,
    ) -> None:
        self.legacy = legacy
        self.status = status
        self.huge = huge
        self.not_mcp = not_mcp
        self.mute = mute
        self._port = port
        self.headers: list[dict[str, str]] = []
        self.methods: list[str] = []
        self.asked = asyncio.Event()
        self.released = asyncio.Event()
        self.url = ""
        self._uvicorn: _Server | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        listener = socket.create_server(("127.0.0.1", self._port))
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        application = self._recording(build_server(self.released).streamable_http_app())
        self._uvicorn = _Server(
            uvicorn.Config(application, log_level="critical", ws="none", timeout_graceful_shutdown=1)
        )
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[listener]))
        await self._uvicorn.ready.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Stop serving."""
        self.released.set()
        if self._uvicorn is not None and self._task is not None:
            self._uvicorn.should_exit = True
            self._uvicorn.force_exit = True
            await self._task

    def _recording(self, application: ASGIApp) -> ASGIApp:
        async def record(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await application(scope, receive, send)
                return
            self.headers.append({name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]})
            self.methods.append(scope["method"])
            self.asked.set()
            if self.mute:
                await self.released.wait()
            if self.status is not None or self.huge or self.not_mcp:
                await self._misbehave(send)
            elif self.legacy and self.headers[-1].get("mcp-method") == "server/discover":
                await send({"type": "http.response.start", "status": 400, "headers": []})
                await send({"type": "http.response.body", "body": b""})
            else:
                await application(scope, receive, send)

        return record

    async def _misbehave(self, send: Send) -> None:
        start: Message = {
            "type": "http.response.start",
            "status": self.status or 200,
            "headers": [(b"content-type", b"application/json")],
        }
        await send(start)
        pieces = 400 if self.huge else 1
        for piece in range(pieces):
            body = b"x" * 16_384 if self.huge else b'{"not": "mcp"}'
            await send({"type": "http.response.body", "body": body, "more_body": piece + 1 < pieces})


if __name__ == "__main__":
    if "--fail-at-start" in sys.argv:
        sys.exit("Cannot start: no calendar is configured, and the key was " + os.environ.get("CALENDAR_KEY", "unset"))
    build_server().run("stdio")
