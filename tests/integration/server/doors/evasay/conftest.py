"""The door `evasay`: with somebody who plays the runs, and for what needs no runs with nobody."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import httpx
import pytest
import pytest_asyncio
from tests.support.door_service import DoorService, open_door_service
from tests.support.dvaarik_door import settings_in
from tests.support.evasay_door import PLATFORM, Clients
from tests.support.web_service import Web, open_web


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[DoorService]:
    """All of the service behind a real port."""
    async with open_door_service(settings_in(tmp_path_factory.mktemp("service"), **PLATFORM)) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def clients(service: DoorService) -> AsyncGenerator[Clients]:
    key = await service.key()
    async with service.native(key) as native, service.door("evasay", Authorization=f"Bearer sk-{key}") as door:
        yield Clients(native, door)


@dataclass(frozen=True)
class House:
    """The API with nobody to play runs, and a clock of its own."""

    web: Web

    def with_token(self, token: str | None) -> httpx.AsyncClient:
        """A client of the door with another key, or none."""
        client = self.web.visitor(**({} if token is None else {"Authorization": f"Bearer {token}"}))
        client.base_url = "http://greenroom/evasay"
        return client

    async def of_project(self, project_id: str) -> Clients:
        """The clients of a project."""
        key = (await self.web.key(project_id=project_id))["key"]
        return Clients(self.web.with_token(key), self.with_token(key))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    settings = settings_in(tmp_path_factory.mktemp("house"), evasay_credits_per_run=3, project_active_runs=59)
    async with open_web(settings, with_runs=True) as web:
        yield House(web)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def mine(house: House) -> Clients:
    """The clients of the first project."""
    return await house.of_project(house.web.project_id)
