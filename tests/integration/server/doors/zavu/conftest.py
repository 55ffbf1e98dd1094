"""The door `zavu` in one service for all of its tests, and a project for each."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from tests.support.door_service import listening
from tests.support.model_server import ModelServer
from tests.support.web_service import Web, open_web
from tests.support.zavu_door import Guest, guest_of, settings_in


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def house() -> AsyncGenerator[ModelServer]:
    """A model server at which the operator has an account, for all tests."""
    async with ModelServer() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def zavu(tmp_path_factory: pytest.TempPathFactory, house: ModelServer) -> AsyncGenerator[Web]:
    """A service in which nobody plays runs: the door needs none."""
    async with open_web(settings_in(tmp_path_factory.mktemp("zavu"), house.openai_url), with_runs=True) as web:
        yield web


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def url(zavu: Web) -> AsyncGenerator[str]:
    """Where the same service listens on a real port."""
    async with listening(zavu.app) as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def guest(zavu: Web) -> Guest:
    """A project that nothing is in."""
    return await guest_of(zavu)


@pytest.fixture
def model(house: ModelServer) -> ModelServer:
    """The model server, which answers what a test says."""
    house.begin_anew()
    return house
