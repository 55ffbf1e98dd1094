"""Both doors of dvaarik against their own description."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from schemathesis import Case
from tests.support.door_schemas import Threaded, describe_door, send_case, service_in_thread
from tests.support.dvaarik_door import AGENT, KEY, TEST, settings_in, sign_in

from greenroom.server.doors.dvaarik.door import DVAARIK
from greenroom.server.security.scopes import Role

api = describe_door(DVAARIK)


class Things:
    """Real things to name in paths, and what opens the doors. What is deleted is made anew when it is next needed."""

    def __init__(self, threaded: Threaded) -> None:
        service = threaded.service
        key = threaded.do(service.key())
        session = threaded.do(sign_in(service.context, service.project_id, "owner@example.com", Role.ADMIN))
        self.url = f"{service.url}/dvaarik"
        self.headers = {KEY: key, "Authorization": f"Bearer {session}"}
        native = {"Authorization": f"Bearer {key}"}
        made = httpx.post(f"{service.url}/v1/agents", json=AGENT, headers=native)
        self.agent_id = str(made.json()["id"])
        self.project_id = service.project_id
        self._test_id = ""
        self._run_id = ""

    def test_id(self) -> str:
        address = f"{self.url}/v2/agents/{self.agent_id}/tests"
        if not self._test_id or not httpx.get(f"{address}/{self._test_id}", headers=self.headers).is_success:
            self._test_id = str(httpx.post(address, json=TEST, headers=self.headers).json()["id"])
        return self._test_id

    def run_id(self) -> str:
        agent = f"{self.url}/v2/agents/{self.agent_id}"
        if not self._run_id or not httpx.get(f"{agent}/test-runs/{self._run_id}", headers=self.headers).is_success:
            started = httpx.post(f"{agent}/tests/{self.test_id()}/run", headers=self.headers)
            self._run_id = str(started.json()["runs"][0]["id"])
        return self._run_id

    @property
    def by_name(self) -> dict[str, Callable[[], str]]:
        return {
            "project_id": lambda: self.project_id,
            "agent_id": lambda: self.agent_id,
            "test_id": self.test_id,
            "run_id": self.run_id,
        }


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Generator[Things]:
    with service_in_thread(settings_in(tmp_path_factory.mktemp("service"))) as threaded:
        yield Things(threaded)


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library does not say
@settings(
    max_examples=5,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_no_request_meets_a_bug_and_every_answer_is_as_described(case: Case[Any], things: Things) -> None:
    send_case(case, things.url, things.headers, things.by_name)


def test_every_example_of_a_body_is_taken(things: Things) -> None:
    native = {"Authorization": f"Bearer {things.headers[KEY]}"}
    agent = httpx.post(
        f"{things.url.removesuffix('/dvaarik')}/v1/agents",
        json={**AGENT, "tools": [{"name": "cancel_visit"}]},
        headers=native,
    ).json()["id"]
    document = api.raw_schema
    test_id = ""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if "requestBody" not in operation or path.startswith("/console"):
                continue
            example = operation["requestBody"]["content"]["application/json"]["example"]
            address = things.url + path.format(agent_id=agent, test_id=test_id)
            answer = httpx.request(method, address, json=example, headers=things.headers)
            assert answer.is_success, f"{method} {path}: {answer.text}"
            test_id = test_id or answer.json()["id"]


def test_every_operation_says_what_it_does(things: Things) -> None:
    for operations in api.raw_schema["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert {"401", "403", "404", "422", "429"} <= operation["responses"].keys()
