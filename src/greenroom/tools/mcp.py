"""An agent's MCP servers for real: what they offer, and calls of their tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable
from dataclasses import dataclass, field

from greenroom.model.agent import Agent, McpServer, McpTool
from greenroom.model.base import Json
from greenroom.model.errors import RunError
from greenroom.model.talk import ToolOffer
from greenroom.outgoing.addresses import Guard
from greenroom.play.ports import RealCall, ToolAnswer
from greenroom.tools.answers import failed, without_secrets
from greenroom.tools.mcp_failures import ServerFailed, view_of
from greenroom.tools.mcp_names import offered_name
from greenroom.tools.mcp_results import answer_of
from greenroom.tools.mcp_session import McpSession

_TEST_HEADER = "X-Greenroom-Test"
_MOST_PAGES = 50

# The client logs what its servers do wrong with tracebacks; where nobody set up logs, a terminal is no place for them.
logging.getLogger("mcp").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class _Offered:
    """A tool under the name that the agent sees, and where it is found."""

    offer: ToolOffer
    server: McpServer
    tool: str


@dataclass(slots=True)
class _Run:
    """What is open for one run. Agents that hand over to each other share the servers that they share."""

    sessions: dict[Hashable, McpSession] = field(default_factory=dict[Hashable, McpSession])
    opened: list[McpSession] = field(default_factory=list[McpSession])
    listings: dict[Hashable, asyncio.Task[list[McpTool]]] = field(
        default_factory=dict[Hashable, "asyncio.Task[list[McpTool]]"]
    )


class McpTools:
    """The tools of MCP servers. A run has one session with each server, opened when it is first needed.

    `opening_seconds` is how long all servers of an agent may take to say which tools they have.
    """

    def __init__(self, guard: Guard, *, allow_programs: bool, opening_seconds: float = 30.0) -> None:
        self._guard = guard
        self._opening_seconds = opening_seconds
        self._allow_programs = allow_programs
        self._runs: dict[str, _Run] = {}

    async def offers(self, run_id: str, agent: Agent) -> tuple[ToolOffer, ...]:
        """The tools of all the agent's servers, server by server; each server is asked once a run.

        Raises:
            RunError: a server could not be asked.
        """
        try:
            async with asyncio.timeout(self._opening_seconds):
                catalog = await self._catalog(run_id, agent, _TEST_HEADER)
        except _ServerError as error:
            raise RunError(str(error)) from None
        except TimeoutError:
            await self._forget_unfinished(run_id)
            raise RunError(
                f"The MCP servers of the agent `{agent.name}` did not say within {self._opening_seconds:g} seconds "
                "which tools they have: check that they run, or write their `tools` down."
            ) from None
        return tuple(offered.offer for offered in catalog.values())

    async def call(self, call: RealCall) -> ToolAnswer:
        """Call a tool. Each failure of the server is an answer."""
        secrets = frozenset[str]().union(*(view_of(server).secrets for server in call.agent.mcp_servers))
        try:
            async with asyncio.timeout(call.seconds):
                catalog = await self._catalog(call.run_id, call.agent, call.test_header)
                offered = catalog.get(call.tool)
                if offered is None:
                    return failed("unknown_tool", f"There is no tool `{call.tool}`.")
                answer = await self._call(call, offered)
        except _ServerError as error:
            answer = failed(error.failure.reason, str(error))
        except TimeoutError:
            answer = failed("timeout", f"The tool did not answer within {call.seconds:g} seconds.")
        return without_secrets(answer, secrets)

    async def close(self, run_id: str) -> None:
        """Close the sessions of a run."""
        run = self._runs.pop(run_id, None)
        if run is None:
            return
        for listing in run.listings.values():
            listing.cancel()
        await asyncio.gather(*run.listings.values(), return_exceptions=True)
        await asyncio.gather(*(session.close() for session in run.opened))

    async def close_all(self) -> None:
        """Close the sessions of all runs."""
        await asyncio.gather(*(self.close(run_id) for run_id in tuple(self._runs)))

    async def _call(self, call: RealCall, offered: _Offered) -> ToolAnswer:
        session = self._session(call.run_id, offered.server, call.test_header)
        try:
            client = await session.client()
            session.mark(call.test_header)
            result = await client.call_tool(offered.tool, call.arguments)
        except ServerFailed as failure:
            raise _ServerError(offered.server, failure) from None
        except (asyncio.CancelledError, TimeoutError):
            raise
        except Exception as error:  # noqa: BLE001 - the client raises whatever its transport met
            raise _ServerError(offered.server, await session.failed(error)) from None
        return answer_of(result, call.max_bytes)

    async def _catalog(self, run_id: str, agent: Agent, test_header: str) -> dict[str, _Offered]:
        run = self._runs.setdefault(run_id, _Run())
        listings = await asyncio.gather(
            *(self._listing(run_id, run, server, test_header) for server in agent.mcp_servers),
            return_exceptions=True,
        )
        catalog: dict[str, _Offered] = {}
        taken = {tool.name for tool in agent.tools}
        for server, listing in zip(agent.mcp_servers, listings, strict=True):
            if isinstance(listing, BaseException):
                raise listing
            for tool in listing:
                name = offered_name(server.name, tool.name, taken | catalog.keys())
                catalog[name] = _Offered(ToolOffer(name, tool.description, tool.parameters), server, tool.name)
        return catalog

    async def _listing(self, run_id: str, run: _Run, server: McpServer, test_header: str) -> list[McpTool]:
        if server.tools is not None:
            return _distinct(server.tools)
        key = _identity(server)
        task = run.listings.get(key)
        if task is None:
            task = run.listings[key] = asyncio.create_task(self._ask(run_id, server, test_header))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                raise
            raise _ServerError(server, ServerFailed("unreachable", "was closed before it answered")) from None
        except _ServerError:
            # So that a later call asks again.
            if run.listings.get(key) is task:
                del run.listings[key]
            raise

    async def _ask(self, run_id: str, server: McpServer, test_header: str) -> list[McpTool]:
        session = self._session(run_id, server, test_header)
        try:
            client = await session.client()
            tools: list[McpTool] = []
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                page = await client.list_tools(cursor=cursor)
                tools += [_written(tool.name, tool.description, tool.input_schema) for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    break
        except ServerFailed as failure:
            raise _ServerError(server, failure) from None
        except Exception as error:  # noqa: BLE001 - the client raises whatever its transport met
            raise _ServerError(server, await session.failed(error)) from None
        return _distinct(tools)

    def _session(self, run_id: str, server: McpServer, test_header: str) -> McpSession:
        """The run's session with `server`; a new one where the last has ended."""
        if server.command is not None and not self._allow_programs:
            raise _ServerError(
                server, ServerFailed("blocked_address", "may not be started here: give the server's `url` instead")
            )
        run = self._runs.setdefault(run_id, _Run())
        key = _identity(server)
        session = run.sessions.get(key)
        if session is None or session.is_over:
            session = run.sessions[key] = McpSession(server, self._guard, test_header)
            run.opened.append(session)
        return session

    async def _forget_unfinished(self, run_id: str) -> None:
        """Give up on the servers that have not said what they offer."""
        run = self._runs.setdefault(run_id, _Run())
        for key, listing in tuple(run.listings.items()):
            if listing.done():
                continue
            listing.cancel()
            await asyncio.wait({listing})
            run.listings.pop(key, None)
            if key in run.sessions:
                await run.sessions[key].close()


class _ServerError(Exception):
    """A server failed; the message is one sentence that names it."""

    def __init__(self, server: McpServer, failure: ServerFailed) -> None:
        super().__init__(f"{view_of(server).title} {failure.words}.")
        self.failure = failure


def _written(name: str, description: str | None, parameters: dict[str, Json]) -> McpTool:
    return McpTool(name=name, description=description or "", parameters=parameters)


def _distinct(tools: list[McpTool]) -> list[McpTool]:
    """`tools` without the later ones of the same name."""
    return list({tool.name: tool for tool in reversed(tools)}.values())[::-1]


def _identity(server: McpServer) -> Hashable:
    """What makes two servers the same: all that they are, secrets included."""
    return (
        server.name,
        server.url,
        server.command,
        tuple(server.args),
        tuple(sorted((name, value.get_secret_value()) for name, value in server.headers.items())),
        tuple(sorted((name, value.get_secret_value()) for name, value in server.env.items())),
    )
