"""The door `dvaarik`: for the tests of a module with somebody who plays the runs, and for all others with nobody."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import httpx
import pytest
import pytest_asyncio
from tests.support.door_service import DoorService, open_door_service
from tests.support.dvaarik_door import KEY, Clients, Crowd, settings_in, sign_in
from tests.support.web_service import Web, open_web

from greenroom.server.security.scopes import Role


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[DoorService]:
    """All of the service behind a real port."""
    async with open_door_service(settings_in(tmp_path_factory.mktemp("service"))) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def clients(service: DoorService) -> AsyncGenerator[Clients]:
    key = await service.key()
    async with service.native(key) as native, service.door("dvaarik", **{KEY: key}) as door:
        yield Clients(native, door)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def crowd(service: DoorService) -> AsyncGenerator[Crowd]:
    """Clients of several projects, each of which has an owner of its own: two runs of each play at once."""
    async with AsyncExitStack() as stack:
        members: list[Clients] = []
        for _ in range(4):
            key = await service.key(project_id=await service.other_project())
            native = await stack.enter_async_context(service.native(key))
            members.append(Clients(native, await stack.enter_async_context(service.door("dvaarik", **{KEY: key}))))
        yield Crowd(tuple(members))


@dataclass(frozen=True)
class House:
    """The API with nobody to play runs, a clock of its own, and three people: an owner, a viewer and a stranger."""

    web: Web
    clients: Clients
    owner: str
    viewer: str
    stranger: str

    def with_key(self, key: str | None) -> httpx.AsyncClient:
        """A client of the door with another key, or none."""
        client = self.web.visitor(**({} if key is None else {KEY: key}))
        client.base_url = "http://greenroom/dvaarik"
        return client

    def console(self, token: str | None = None, project_id: str | None = None) -> httpx.AsyncClient:
        """A client of the console door: the owner's unless another token is given."""
        headers = {} if token == "" else {"Authorization": f"Bearer {token or self.owner}"}
        client = self.web.visitor(**headers)
        client.base_url = f"http://greenroom/dvaarik/console/v2/projects/{project_id or self.web.project_id}"
        return client

    async def of_project(self, project_id: str) -> Clients:
        """The clients of another project."""
        key = (await self.web.key(project_id=project_id))["key"]
        return Clients(self.web.with_token(key), self.with_key(key))

    async def alone(self) -> Clients:
        """The clients of a new project, which has an owner of its own."""
        return await self.of_project(await self.web.other_project())


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[House]:
    async with open_web(settings_in(tmp_path_factory.mktemp("house")), with_runs=True) as web:
        owner = await sign_in(web.context, web.project_id, "owner@example.com", Role.ADMIN)
        viewer = await sign_in(web.context, web.project_id, "viewer@example.com", Role.VIEWER)
        other = await web.other_project()
        stranger = await sign_in(web.context, other, "stranger@example.com", Role.ADMIN)
        bare = House(web, Clients(web.visitor(), web.visitor()), owner, viewer, stranger)
        yield replace(bare, clients=await bare.of_project(web.project_id))


@pytest_asyncio.fixture(loop_scope="session")
async def alone(house: House) -> Clients:
    """The clients of a project that nothing is in."""
    return await house.alone()
