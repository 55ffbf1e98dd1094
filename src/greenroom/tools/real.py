"""The tools that reach the outside, behind the port of the engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from greenroom.model.agent import Agent
from greenroom.model.talk import ToolOffer
from greenroom.outgoing.addresses import Guard
from greenroom.play.ports import RealCall, RealTools, ToolAnswer

if TYPE_CHECKING:
    from greenroom.outgoing.http import Outgoing
    from greenroom.tools.mcp import McpTools


@asynccontextmanager
async def open_real_tools(
    *, allow_private_networks: bool = True, allow_programs: bool | None = None
) -> AsyncGenerator[RealTools]:
    """Open the tools that reach the outside: webhooks, HTTP tools and MCP servers; leaving closes what they opened.

    `allow_private_networks` lets calls reach loopback and private addresses. `allow_programs` lets MCP servers be
    programs on this machine; by default as `allow_private_networks`.
    """
    guard = Guard(allow_private_networks=allow_private_networks)
    tools = GuardedTools(guard, allow_programs=allow_private_networks if allow_programs is None else allow_programs)
    try:
        yield tools
    finally:
        await tools.close_all()


class GuardedTools:
    """Calls tools for real, within what `guard` allows. Each kind of tool is loaded at its first call."""

    def __init__(self, guard: Guard, *, allow_programs: bool) -> None:
        self._guard = guard
        self._allow_programs = allow_programs
        self._outgoing: Outgoing | None = None
        self._mcp: McpTools | None = None

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        """The tools of the agent's MCP servers, in the order of the servers.

        Raises:
            RunError: a server could not be asked.
        """
        if not agent.mcp_servers:
            return ()
        return await self._mcp_tools().offers(run_id, agent)

    async def call(self, call: RealCall) -> ToolAnswer:
        """Call a tool; a failure of the other side is an answer.

        Raises:
            RunError: the agent lacks what the call needs.
        """
        started = perf_counter()
        answer = await self._answer(call)
        return replace(answer, latency_ms=round((perf_counter() - started) * 1000))

    async def close(self, run_id: str) -> None:
        """Close the MCP sessions of a run."""
        if self._mcp is not None:
            await self._mcp.close(run_id)

    async def close_all(self) -> None:
        """Close everything that is open."""
        if self._mcp is not None:
            await self._mcp.close_all()
        if self._outgoing is not None:
            await self._outgoing.close()

    async def _answer(self, call: RealCall) -> ToolAnswer:
        if call.kind == "mcp":
            return await self._mcp_tools().call(call)
        if self._outgoing is None:
            from greenroom.outgoing.http import Outgoing

            self._outgoing = Outgoing(self._guard)
        if call.kind == "webhook":
            from greenroom.tools.webhook import call_webhook

            return await call_webhook(self._outgoing, call)
        from greenroom.tools.http import call_http

        return await call_http(self._outgoing, call)

    def _mcp_tools(self) -> McpTools:
        if self._mcp is None:
            from greenroom.tools.mcp import McpTools

            self._mcp = McpTools(self._guard, allow_programs=self._allow_programs)
        return self._mcp
