"""The MCP server at `/mcp`: streamable HTTP, with a key as for any other request.

It keeps no sessions, so that any process of the API can answer any request.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from greenroom.server.context import Context
from greenroom.server.security.access import authenticate
from greenroom.server.security.who import Access

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from greenroom.server.mcp.api import Api
    from greenroom.server.mcp.tools import Calling

PATH = "/mcp"


class Door:
    """Lets in who has a key, and hands on to the MCP server."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        await authenticate(request)
        manager: StreamableHTTPSessionManager = request.app.state.mcp
        await manager.handle_request(scope, receive, send)


def mount(app: FastAPI) -> None:
    """Put the MCP server into the app. It answers within `open_mcp`."""
    app.router.routes.append(Route(PATH, endpoint=Door()))


@asynccontextmanager
async def open_mcp(app: FastAPI, context: Context) -> AsyncGenerator[None]:
    """Run the MCP server of the app until the end of the block."""
    from mcp.server.transport_security import TransportSecuritySettings

    from greenroom.server.mcp.api import open_local
    from greenroom.server.mcp.tools import make_server

    def api_of(calling: Calling) -> AbstractAsyncContextManager[Api]:
        request: Request | None = calling.request_context.request
        assert request is not None  # noqa: S101 - over HTTP, every call is part of a request
        access: Access = request.scope["state"]["access"]
        return open_local(app, access)

    server = make_server(api_of)
    server.streamable_http_app(
        stateless_http=True,
        max_request_body_size=context.settings.body_bytes,
        # Every request carries a key, which a page of another site does not have.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    app.state.mcp = server.session_manager
    # In a task of its own: whoever starts the app need not be the one that ends it, which anyio would insist on.
    ready, over = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        async with server.session_manager.run():
            ready.set()
            await over.wait()

    task = asyncio.create_task(run(), name="mcp")
    task.add_done_callback(lambda _: ready.set())
    await ready.wait()
    try:
        yield
    finally:
        over.set()
        await task
