"""What a process of the API reaches by itself, outside of runs: models, with the accounts of a project."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from greenroom.server.context import Context
from greenroom.server.credits.prices import PriceList, price_list
from greenroom.server.queue.client import Queue
from greenroom.server.runs.accounts import Purses
from greenroom.server.runs.outside import Outside, open_outside


@dataclass(frozen=True, slots=True)
class Reach:
    """The outside, and what models cost there."""

    outside: Outside
    prices: PriceList


@asynccontextmanager
async def open_reach(context: Context) -> AsyncGenerator[Reach]:
    """Open the outside for the routes; connections are made when they are first needed."""
    networks = context.settings.allow_private_networks
    async with open_outside(Purses(context).of_project, allow_private_networks=networks) as outside:
        yield Reach(outside, price_list(context.settings))


def _reach(request: Request) -> Reach:
    reach: Reach = request.app.state.reach
    return reach


CurrentReach = Annotated[Reach, Depends(_reach)]
"""What the process reaches, as a parameter of a route."""


def _queue(request: Request) -> Queue | None:
    queue: Queue | None = getattr(request.app.state, "queue", None)
    return queue


CurrentQueue = Annotated[Queue | None, Depends(_queue)]
"""The queue of runs, as a parameter of a route; `None` where the process has none, and so starts no runs."""
