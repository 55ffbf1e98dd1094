"""Both doors of dvaarik against their own description."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from schemathesis import Case
from tests.support.door_schemas import describe_door, send_case
from tests.support.dvaarik_door import AGENT, KEY, TEST, sign_in
from tests.support.serving import served

from greenroom.server.context import open_context
from greenroom.server.doors.dvaarik.door import DVAARIK
from greenroom.server.projects import service as projects
from greenroom.server.security.scopes import Role
from greenroom.server.settings import Settings

api = describe_door(DVAARIK)


class Things:
    """Real things to name in paths, and what opens the doors. What is deleted is made anew when it is next needed."""

    def __init__(self, native: httpx.Client, door: httpx.Client, project_id: str) -> None:
        self.native = native
        self.door = door
        self.project_id = project_id
        self.agent_id = self.agent(AGENT)
        self._test_id = ""
        self._run_id = ""

    def agent(self, agent: Any) -> str:
        return str(self.native.post("/v1/agents", json=agent).json()["id"])

    def test_id(self) -> str:
        address = f"/v2/agents/{self.agent_id}/tests"
        if not self._test_id or not self.door.get(f"{address}/{self._test_id}").is_success:
            self._test_id = str(self.door.post(address, json=TEST).json()["id"])
        return self._test_id

    def run_id(self) -> str:
        agent = f"/v2/agents/{self.agent_id}"
        if not self._run_id or not self.door.get(f"{agent}/test-runs/{self._run_id}").is_success:
            self._run_id = str(self.door.post(f"{agent}/tests/{self.test_id()}/run").json()["runs"][0]["id"])
        return self._run_id

    @property
    def by_name(self) -> dict[str, Callable[[], str]]:
        return {
            "project_id": lambda: self.project_id,
            "agent_id": lambda: self.agent_id,
            "test_id": self.test_id,
            "run_id": self.run_id,
        }


async def come_in(folder: Path) -> tuple[str, str]:
    """The project of a service, and a session of its owner's."""
    async with open_context(Settings(data=folder), migrate=False) as context:
        project_id = (await projects.find_by_word(context, "default")).id
        return project_id, await sign_in(context, project_id, "owner@example.com", Role.ADMIN)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Generator[Things]:
    folder = tmp_path_factory.mktemp("service")
    with served(folder, {"requests_per_minute": "0"}) as service:
        project_id, session = asyncio.run(come_in(folder))
        headers = {KEY: service.key, "Authorization": f"Bearer {session}"}
        with (
            httpx.Client(base_url=service.url, headers=service.headers) as native,
            httpx.Client(base_url=f"{service.url}/dvaarik", headers=headers) as door,
        ):
            yield Things(native, door, project_id)


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library does not say
@settings(
    max_examples=3,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_no_request_meets_a_bug_and_every_answer_is_as_described(case: Case[Any], things: Things) -> None:
    send_case(case, str(things.door.base_url).rstrip("/"), things.door.headers, things.by_name)


def test_every_example_of_a_body_is_taken(things: Things) -> None:
    agent = things.agent({**AGENT, "tools": [{"name": "cancel_visit"}]})
    document = api.raw_schema
    test_id = ""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if "requestBody" not in operation or path.startswith("/console"):
                continue
            example = operation["requestBody"]["content"]["application/json"]["example"]
            answer = things.door.request(method, path.format(agent_id=agent, test_id=test_id), json=example)
            assert answer.is_success, f"{method} {path}: {answer.text}"
            test_id = test_id or answer.json()["id"]


def test_every_operation_says_what_it_does(things: Things) -> None:
    for operations in api.raw_schema["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert {"401", "403", "404", "422", "429"} <= operation["responses"].keys()
