"""What a door is: its routes, how it tells what it refuses, its policies, and its MCP tools where it has any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastapi import APIRouter, Request
from starlette.responses import Response

from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Refusal
from greenroom.server.security.access import TokenOf
from greenroom.server.settings import Settings

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from greenroom.server.mcp.tools import ApiOf


class Dialect(Protocol):
    """How a door tells what it does not carry out."""

    def refused(self, request: Request, refusal: Refusal) -> Response:
        """The answer to a request that a room or the door itself refuses."""
        ...

    def misread(self, request: Request, errors: Sequence[Any]) -> Response:
        """The answer to a request whose parameters or body FastAPI could not read; `errors` are pydantic's."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """The MCP server of a door, at `/mcp` under its prefix. `make` builds it over the API that the calls come through;
    `token_of` reads the key off a request."""

    make: Callable[[ApiOf], MCPServer]
    token_of: TokenOf


@dataclass(frozen=True, slots=True)
class Door:
    """A door. `name` is its prefix and, for a door of one policy, the policy's name."""

    name: str
    title: str
    routers: Sequence[APIRouter]
    dialect: Dialect
    policies: Callable[[Settings], Sequence[Policy]]
    tools: Tools | None = None

    @property
    def prefix(self) -> str:
        return f"/{self.name}"
