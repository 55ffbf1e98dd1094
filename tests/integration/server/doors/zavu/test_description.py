"""The door against its own description."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, settings
from schemathesis import Case
from tests.support.door_schemas import describe_door, send_case
from tests.support.serving import Served, served
from tests.support.zavu_door import TYPES, agent_with

from greenroom.server.doors.zavu.door import ZAVU

api = describe_door(ZAVU)
OPERATION: dict[str, Any] = api.raw_schema["paths"]["/v2/agents/{agentId}/test"]["post"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    limits = {"requests_per_minute": "0", "zavu_runs_per_minute": "0"}
    with served(tmp_path_factory.mktemp("service"), limits) as service:
        yield service


@pytest.fixture(scope="module")
def agent(service: Served) -> str:
    answer = httpx.post(f"{service.url}/v1/agents", json=agent_with(), headers=service.headers)
    assert answer.status_code == 201
    return str(answer.json()["id"])


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library does not say
@settings(
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_no_request_meets_a_bug_and_every_answer_is_as_described(case: Case[Any], service: Served, agent: str) -> None:
    send_case(case, f"{service.url}/zavu", service.headers, {"agentId": lambda: agent})


def test_the_example_of_the_body_is_taken(service: Served, agent: str) -> None:
    schema = api.raw_schema["components"]["schemas"]["TestWanted"]
    for example in schema["examples"]:
        address = f"{service.url}/zavu/v2/agents/{agent}/test"
        assert httpx.post(address, json=example, headers=service.headers).status_code == 200


def test_the_description_names_every_field_and_every_status_of_the_page() -> None:
    schemas = api.raw_schema["components"]["schemas"]
    assert list(schemas["TestAnswer"]["properties"]) == list(TYPES)
    assert schemas["TestAnswer"]["required"] == list(TYPES)
    assert list(schemas["TestWanted"]["properties"]) == ["message", "history", "useKnowledgeBase", "executeTools"]
    assert schemas["TestWanted"]["required"] == ["message"]
    assert {"200", "400", "401", "402", "404", "429"} <= OPERATION["responses"].keys()
    assert OPERATION["summary"]
