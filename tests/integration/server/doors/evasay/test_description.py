"""The door `evasay` against its own description."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from schemathesis import Case
from tests.support.door_schemas import describe_door, send_case
from tests.support.evasay_door import AGENT, SIMULATION, VOICE
from tests.support.serving import served

from greenroom.server.doors.evasay.door import EVASAY

api = describe_door(EVASAY)
# What a model answers may be of no use, and that is no bug of the service.
api.config.checks.not_a_server_error.expected_statuses = ["2xx", "3xx", "4xx", "502"]


class Things:
    """Real things to name in paths. What is deleted is made anew when it is next needed."""

    def __init__(self, native: httpx.Client, door: httpx.Client) -> None:
        self.native = native
        self.door = door
        self._agent_id = ""
        self._test_id = ""
        self._run_id = ""

    def agent_id(self) -> str:
        address = f"{VOICE}/agents/{self._agent_id}/tests"
        if not self._agent_id or len(self.door.get(address).json()["tests"]) > 20:
            tools = [{**AGENT["tools"][0], "name": name} for name in ("book_slot", "cancel_visit")]
            agent = {**AGENT, "tools": [{**tool, "http": {"url": "http://127.0.0.1:9/x"}} for tool in tools]}
            self._agent_id = str(self.native.post("/v1/agents", json=agent).json()["id"])
        return self._agent_id

    def test_id(self) -> str:
        address = f"{VOICE}/agents/{self.agent_id()}/tests"
        if not self._test_id or not self.door.get(f"{address}/{self._test_id}").is_success:
            self._test_id = str(self.door.post(address, json=SIMULATION).json()["id"])
        return self._test_id

    def run_id(self) -> str:
        if not self._run_id or not self.door.get(f"{VOICE}/test-runs/{self._run_id}").is_success:
            body = {"test_ids": [self.test_id()]}
            started = self.door.post(f"{VOICE}/agents/{self.agent_id()}/test-runs", json=body)
            self._run_id = str(started.json()["runs"][0]["id"])
        return self._run_id

    @property
    def by_name(self) -> dict[str, Callable[[], str]]:
        return {
            "agent_id": self.agent_id,
            "test_id": self.test_id,
            "run_id": self.run_id,
            "tool_id": lambda: f"{self.agent_id()}.book_slot",
        }


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Generator[Things]:
    with (
        served(tmp_path_factory.mktemp("service"), {"requests_per_minute": "0"}) as service,
        httpx.Client(base_url=service.url, headers=service.headers) as native,
        httpx.Client(base_url=f"{service.url}/evasay", headers=service.headers) as door,
    ):
        yield Things(native, door)


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library does not say
@settings(
    max_examples=4,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_no_request_meets_a_bug_and_every_answer_is_as_described(case: Case[Any], things: Things) -> None:
    send_case(case, str(things.door.base_url).rstrip("/"), things.door.headers, things.by_name)


def test_every_example_of_a_body_is_taken(things: Things) -> None:
    ids = {name: make() for name, make in things.by_name.items()}
    taken = 0
    for path, operations in api.raw_schema["paths"].items():
        for method, operation in operations.items():
            if "requestBody" not in operation:
                continue
            for example in operation["requestBody"]["content"]["application/json"]["schema"]["examples"]:
                answer = things.door.request(method, path.format_map(ids), json=example)
                assert answer.is_success, f"{method} {path}: {answer.text}"
                taken += 1
    assert taken == 5


def test_every_operation_says_what_it_does() -> None:
    for operations in api.raw_schema["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert {"401", "402", "403", "404", "409", "422", "429"} <= operation["responses"].keys()
