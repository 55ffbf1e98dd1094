"""The whole service in this process behind a real port, for clients that speak HTTP as those of a door do."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import uvicorn
from fastapi import FastAPI
from tests.support.full_service import FullService, open_full

from greenroom.server.settings import Settings


@dataclass(frozen=True)
class DoorService(FullService):
    """The service, and where it listens."""

    url: str

    def native(self, key: str) -> httpx.AsyncClient:
        """A client of the native API."""
        return httpx.AsyncClient(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def door(self, name: str, **headers: str) -> httpx.AsyncClient:
        """A client of a door, with the headers that carry its key."""
        return httpx.AsyncClient(base_url=f"{self.url}/{name}", headers=headers, timeout=60)


@asynccontextmanager
async def open_door_service(settings: Settings) -> AsyncGenerator[DoorService]:
    """Start all of the service and listen on a free port of this machine."""
    async with open_full(settings) as full, listening(full.app) as url:
        yield DoorService(full.app, full.project_id, url)


@asynccontextmanager
async def listening(app: FastAPI) -> AsyncGenerator[str]:
    """Let an app that is started listen on a free port of this machine; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False)
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue] - the test's own
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving
