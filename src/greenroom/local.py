"""Everything that one process needs to play runs: models, tools, remote agents, knowledge and time."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from greenroom.brains.connect import connect_brain
from greenroom.engine import Ports
from greenroom.model.llm import Credential
from greenroom.remote.connect import open_remote_agents
from greenroom.tools.knowledge import Bm25Search
from greenroom.tools.real import open_real_tools


class WallClock:
    """The real clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@asynccontextmanager
async def open_ports(
    credentials: Mapping[str, Credential] | None = None,
    environ: Mapping[str, str] | None = None,
    *,
    allow_private_networks: bool = True,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> AsyncGenerator[Ports]:
    """Open what runs may use, and close it all at the end.

    `credentials` are the named ones of the test files; `environ` (the process's by default) holds the providers' usual
    variables. `allow_private_networks` lets tools and remote agents reach addresses of this machine and its networks.
    `functions` are remote agents given in Python: `target: "functions:NAME"`.
    """
    variables = os.environ if environ is None else environ
    async with (
        connect_brain(credentials=credentials or {}, environ=variables) as brain,
        open_real_tools(allow_private_networks=allow_private_networks) as tools,
        open_remote_agents(
            credentials=credentials or {}, allow_private_networks=allow_private_networks, functions=functions or {}
        ) as remote,
    ):
        yield Ports(brain=brain, tools=tools, knowledge=Bm25Search(), remote=remote, clock=WallClock())
