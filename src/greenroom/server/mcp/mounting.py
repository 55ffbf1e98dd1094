"""MCP servers at `/mcp`, of the service and of its doors: streamable HTTP, with a key as for any other request.

They keep no sessions, so that any process of the API can answer any request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from greenroom.server.context import Context
from greenroom.server.security.access import TokenOf, authenticate, bearer_token
from greenroom.server.security.who import Access

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from greenroom.server.mcp.api import Api
    from greenroom.server.mcp.tools import ApiOf, Calling

PATH = "/mcp"


@dataclass(frozen=True, slots=True)
class McpMount:
    """Where the app's state keeps an MCP server, and how its callers carry their key."""

    name: str = "mcp"
    token_of: TokenOf = bearer_token


NATIVE = McpMount()


class Entrance:
    """Lets in who has a key, and hands on to the MCP server."""

    def __init__(self, where: McpMount) -> None:
        self._where = where

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        await authenticate(request, self._where.token_of)
        manager: StreamableHTTPSessionManager = getattr(request.app.state, self._where.name)
        await manager.handle_request(scope, receive, send)


def mount(app: FastAPI, where: McpMount = NATIVE) -> None:
    """Put an MCP server into an app. It answers within `open_mcp`."""
    app.router.routes.append(Route(PATH, endpoint=Entrance(where)))


def make_native(api_of: ApiOf) -> MCPServer:
    """The MCP server of the native API; its library is loaded here."""
    from greenroom.server.mcp.tools import make_server

    return make_server(api_of)


@asynccontextmanager
async def open_mcp(
    app: FastAPI, context: Context, make: Callable[[ApiOf], MCPServer], where: McpMount = NATIVE
) -> AsyncGenerator[None]:
    """Run an MCP server of the app until the end of the block. Its tools ask the API in this process, as who calls."""
    from mcp.server.transport_security import TransportSecuritySettings

    from greenroom.server.mcp.api import open_local

    def api_of(calling: Calling) -> AbstractAsyncContextManager[Api]:
        request: Request | None = calling.request_context.request
        assert request is not None  # noqa: S101 - over HTTP, every call is part of a request
        access: Access = request.scope["state"]["access"]
        return open_local(app, access)

    server = make(api_of)
    server.streamable_http_app(
        stateless_http=True,
        max_request_body_size=context.settings.body_bytes,
        # Every request carries a key, which a page of another site does not have.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    setattr(app.state, where.name, server.session_manager)
    # In a task of its own: whoever starts the app need not be the one that ends it, which anyio would insist on.
    ready, over = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        async with server.session_manager.run():
            ready.set()
            await over.wait()

    task = asyncio.create_task(run(), name=where.name)
    task.add_done_callback(lambda _: ready.set())
    await ready.wait()
    try:
        yield
    finally:
        over.set()
        await task
