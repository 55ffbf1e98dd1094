"""What `greenroom mcp` does. Standard output belongs to the protocol: everything else goes to standard error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.cli.exits import ExitCode
from greenroom.cli.server_client import check_server
from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from fastapi import FastAPI

    from greenroom.server.context import Context
    from greenroom.server.mcp.api import Api
    from greenroom.server.mcp.tools import Calling


def serve_mcp(server: str | None, key: str | None, data: Path | None, project: str) -> int:
    """Serve MCP until standard input ends.

    Raises:
        UserMistake: address or key are wrong, or the service's data cannot be used.
    """
    if server is not None and data is not None:
        raise UserMistake("--server and --data exclude each other: take one out")
    if server is not None:
        address, secret = check_server(server, key)
        asyncio.run(_serve_remote(address, secret))
    else:
        asyncio.run(_serve_local(data, project))
    return ExitCode.ALL_PASSED


async def _serve_remote(server: str, key: str) -> None:
    from greenroom.server.mcp.api import open_remote
    from greenroom.server.mcp.tools import make_server

    async with open_remote(server, key) as api:

        @asynccontextmanager
        async def api_of(_calling: Calling) -> AsyncGenerator[Api]:
            yield api

        await make_server(api_of).run_stdio_async()


async def _serve_local(data: Path | None, project: str) -> None:
    from greenroom.cli.serve_extra import settings_for

    settings = settings_for(data)
    from greenroom.server.app import create_app
    from greenroom.server.logs import keep_log
    from greenroom.server.mcp.api import open_local
    from greenroom.server.mcp.tools import make_server
    from greenroom.server.projects import service as projects
    from greenroom.server.security.who import operator
    from greenroom.server.serving import open_runs

    keep_log("warning")

    @asynccontextmanager
    async def companion(app: FastAPI, context: Context) -> AsyncGenerator[None]:
        async with open_runs(app, context, worker=True):
            yield

    app = create_app(settings, companions=(companion,))
    async with app.router.lifespan_context(app):
        access = operator((await projects.find_by_word(app.state.context, project)).id)

        def api_of(_calling: Calling) -> AbstractAsyncContextManager[Api]:
            return open_local(app, access)

        await make_server(api_of).run_stdio_async()
