"""The way in: one port for every remote agent, that opens what it needs when it is first asked and closes it at the
end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from greenroom.model.errors import RunError
from greenroom.model.llm import Credential
from greenroom.model.remote import RemoteHttp, RemoteOpenAi, RemotePython, RemoteWebSocket
from greenroom.outgoing.addresses import Guard
from greenroom.play.ports import RemoteAgents, RemoteReply, RemoteRequest
from greenroom.remote.patience import Patience
from greenroom.remote.side import OtherSide, other_side

if TYPE_CHECKING:
    from greenroom.outgoing.http import Outgoing
    from greenroom.remote.http import HttpAgents
    from greenroom.remote.python import PythonAgents
    from greenroom.remote.websocket import SocketAgents

_NO_CREDENTIALS: Mapping[str, Credential] = {}
_NO_FUNCTIONS: Mapping[str, Callable[..., Any]] = {}
_USUAL_PATIENCE = Patience()


@asynccontextmanager
async def open_remote_agents(
    *,
    credentials: Mapping[str, Credential] = _NO_CREDENTIALS,
    allow_private_networks: bool = True,
    allow_programs: bool | None = None,
    functions: Mapping[str, Callable[..., Any]] = _NO_FUNCTIONS,
    patience: Patience = _USUAL_PATIENCE,
) -> AsyncGenerator[RemoteAgents]:
    """Open the way to agents that live elsewhere; leaving closes every connection.

    `credentials` are the accounts that `remote.credential` may name. `allow_private_networks` lets calls reach
    loopback and private addresses; `allow_programs`, by default the same, lets an agent be Python code that is
    imported here. `functions` are Python agents that need no import: `target: "functions:NAME"`.
    """
    programs = allow_private_networks if allow_programs is None else allow_programs
    guard = Guard(allow_private_networks=allow_private_networks)
    agents = _Agents(credentials, guard, functions, patience, allow_programs=programs)
    try:
        yield agents
    finally:
        await agents.close_all()


class _Agents:
    """Sends each request to the connector of its kind. A connector, and the library under it, is loaded at its first
    use."""

    def __init__(
        self,
        credentials: Mapping[str, Credential],
        guard: Guard,
        functions: Mapping[str, Callable[..., Any]],
        patience: Patience,
        *,
        allow_programs: bool,
    ) -> None:
        self._credentials = credentials
        self._guard = guard
        self._functions = functions
        self._patience = patience
        self._allow_programs = allow_programs
        self._outgoing: Outgoing | None = None
        self._http: HttpAgents | None = None
        self._sockets: SocketAgents | None = None
        self._python: PythonAgents | None = None

    async def reply(self, request: RemoteRequest, *, seconds_left: float) -> RemoteReply:
        """Ask a remote agent; see `RemoteAgents.reply`."""
        side = other_side(request, self._credentials)
        match request.agent.remote:
            case RemoteOpenAi() as remote:
                from greenroom.remote.openai import ask_openai

                return await ask_openai(
                    self._opened(), self._patience, request, remote, side, seconds_left=seconds_left
                )
            case RemoteHttp() as remote:
                return await self._http_agents().reply(request, remote, side, seconds_left=seconds_left)
            case RemoteWebSocket() as remote:
                return await self._socket_agents().reply(request, remote, side, seconds_left=seconds_left)
            case RemotePython() as remote:
                return await self._python_agents(remote, side).reply(request, remote, side, seconds_left=seconds_left)
            case None:
                raise RunError(f"The agent {request.agent.name} lives here: it has no `remote`.")

    async def close(self, run_id: str) -> None:
        """Let go of a run's session."""
        if self._http is not None:
            await self._http.close(run_id)
        if self._sockets is not None:
            await self._sockets.close(run_id)

    async def close_all(self) -> None:
        """Close everything that is open."""
        if self._sockets is not None:
            await self._sockets.close_all()
        if self._outgoing is not None:
            await self._outgoing.close()

    def _opened(self) -> Outgoing:
        if self._outgoing is None:
            from greenroom.outgoing.http import Outgoing

            self._outgoing = Outgoing(self._guard)
        return self._outgoing

    def _http_agents(self) -> HttpAgents:
        if self._http is None:
            from greenroom.remote.http import HttpAgents

            self._http = HttpAgents(self._opened(), self._patience)
        return self._http

    def _socket_agents(self) -> SocketAgents:
        if self._sockets is None:
            from greenroom.remote.websocket import SocketAgents

            self._sockets = SocketAgents(self._opened(), self._patience)
        return self._sockets

    def _python_agents(self, remote: RemotePython, side: OtherSide) -> PythonAgents:
        if self._python is None:
            from greenroom.remote.python import PythonAgents

            self._python = PythonAgents(self._functions, self._patience)
        if not self._allow_programs and not self._python.is_given(remote.target):
            raise RunError(f"The agent {side.name} is Python code of this machine, which may not be run here.")
        return self._python
