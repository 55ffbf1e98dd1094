"""The native API, as the tools of the MCP server ask it: over the network, or in this process.

Going through the routes keeps one set of rules: whoever may not do a thing over the API may not do it here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
from mcp.server.mcpserver.exceptions import ToolError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from greenroom.server.security.who import Access

_SECONDS = 660.0
"""The longest that one request takes: drafting asks a model twice."""


class Api:
    """The native API. What it refuses is raised as a `ToolError` in its own words."""

    def __init__(self, client: httpx.AsyncClient, where: str) -> None:
        self._client = client
        self._where = where

    async def get(self, path: str, **query: object) -> dict[str, Any]:
        """What a GET request answers. Parameters that are `None` are left out.

        Raises:
            ToolError: it is refused, or the service cannot be reached.
        """
        return await self._ask("GET", path, params={name: each for name, each in query.items() if each is not None})

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What a POST request answers. Fields that are `None` are left out.

        Raises:
            ToolError: it is refused, or the service cannot be reached.
        """
        return await self._ask("POST", path, json={name: each for name, each in body.items() if each is not None})

    async def _ask(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        try:
            answer = await self._client.request(method, path, **content)
        except (httpx.HTTPError, httpx.InvalidURL):
            raise ToolError(f"{self._where} cannot be reached: check that it runs, and its address.") from None
        try:
            body: Any = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise ToolError(f"{self._where} did not answer as Greenroom does (status {answer.status_code}).")
        told: dict[str, Any] = body  # pyright: ignore[reportUnknownVariableType] - JSON
        if answer.is_success:
            return told
        raise ToolError(_refusal(told))


def _refusal(problem: Mapping[str, Any]) -> str:
    detail = str(problem.get("detail") or "The request was refused.")
    errors: list[Mapping[str, Any]] = problem.get("errors") or []
    if len(errors) < 2:
        return detail
    return "\n".join([detail, *(f"- {each.get('field')}: {each.get('message')}" for each in errors)])


@asynccontextmanager
async def open_remote(server: str, key: str) -> AsyncGenerator[Api]:
    """The API of a server elsewhere."""
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=server, headers=headers, timeout=_SECONDS) as client:
        yield Api(client, f"The server {server}")


@asynccontextmanager
async def open_local(app: ASGIApp, access: Access) -> AsyncGenerator[Api]:
    """The API of this process, for somebody whose access is known already."""

    async def as_known(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = {"access": access}
        await app(scope, receive, send)

    transport = httpx.ASGITransport(as_known, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://greenroom", timeout=_SECONDS) as client:
        yield Api(client, "The service")
