"""What runs may reach: models with their project's credentials, tools, remote agents. Opened once for many runs."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from greenroom.brains.accounts import Bounds
from greenroom.brains.connect import connect_brain
from greenroom.engine import Ports
from greenroom.local import WallClock
from greenroom.model.llm import Credential
from greenroom.outgoing.addresses import Guard
from greenroom.play.ports import KnowledgeSearch, RealTools
from greenroom.remote.connect import open_remote_agents
from greenroom.tools.knowledge import Bm25Search
from greenroom.tools.real import open_real_tools

MOST_PROJECTS = 100
"""For how many projects connections are kept open while none of their runs plays."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """The provider accounts that a project's agents may name; `platform` names those that the operator pays for."""

    credentials: Mapping[str, Credential] = field(default_factory=dict[str, Credential])
    platform: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[tuple[str, str, str | None], ...]:
        """The same for the same accounts."""
        return tuple(
            (name, credential.api_key.get_secret_value(), credential.base_url)
            for name, credential in sorted(self.credentials.items())
        )


AccountsOf = Callable[[str], Awaitable[Accounts]]
"""The accounts of a project."""


@dataclass(slots=True)
class _Open:
    ports: Ports
    stack: AsyncExitStack
    users: int = 0


class Outside:
    """Ports for the runs of every project."""

    def __init__(self, accounts_of: AccountsOf, *, allow_private_networks: bool, tools: RealTools) -> None:
        self._accounts_of = accounts_of
        self._allow_private_networks = allow_private_networks
        self._tools = tools
        self._knowledge: KnowledgeSearch = Bm25Search()
        self._open: OrderedDict[object, _Open] = OrderedDict()
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def of_project(self, project_id: str) -> AsyncGenerator[tuple[Ports, Accounts]]:
        """What the runs of a project may use."""
        accounts = await self._accounts_of(project_id)
        key = (project_id, accounts.key)
        async with self._opening:
            entry = self._open.get(key) or await self._open_for(accounts)
            self._open[key] = entry
            self._open.move_to_end(key)
            entry.users += 1
        try:
            yield entry.ports, accounts
        finally:
            entry.users -= 1
            await self._close_idle()

    async def _open_for(self, accounts: Accounts) -> _Open:
        stack = AsyncExitStack()
        # No environment: a key that the operator happens to have set is not the tenants'.
        brain = await stack.enter_async_context(
            connect_brain(credentials=accounts.credentials, environ={}, bounds=self._bounds(accounts))
        )
        remote = await stack.enter_async_context(
            open_remote_agents(
                credentials=accounts.credentials,
                allow_private_networks=self._allow_private_networks,
                functions={},
            )
        )
        ports = Ports(brain=brain, tools=self._tools, knowledge=self._knowledge, remote=remote, clock=WallClock())
        return _Open(ports, stack)

    def _bounds(self, accounts: Accounts) -> Bounds:
        own_address = {name for name, credential in accounts.credentials.items() if credential.base_url}
        return Bounds(
            Guard(allow_private_networks=self._allow_private_networks),
            bound=accounts.platform | own_address,
            trusted=accounts.platform,
        )

    async def _close_idle(self) -> None:
        if len(self._open) <= MOST_PROJECTS:
            return
        for key, entry in list(self._open.items()):
            if entry.users == 0 and len(self._open) > MOST_PROJECTS:
                del self._open[key]
                await entry.stack.aclose()

    async def close(self) -> None:
        """Close everything that is open."""
        while self._open:
            _, entry = self._open.popitem()
            await entry.stack.aclose()


@asynccontextmanager
async def open_outside(accounts_of: AccountsOf, *, allow_private_networks: bool) -> AsyncGenerator[Outside]:
    """Open what runs may reach, and close it at the end. Tenants never start programs on this machine."""
    async with open_real_tools(allow_private_networks=allow_private_networks, allow_programs=False) as tools:
        outside = Outside(accounts_of, allow_private_networks=allow_private_networks, tools=tools)
        try:
            yield outside
        finally:
            await outside.close()
