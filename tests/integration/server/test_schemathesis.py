"""The whole API against its own description: requests made from the OpenAPI document, over HTTP, with a real key.

Path parameters are the ids of real things most of the time, since made-up ids would only ever meet a 404.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Generator, Mapping
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.config._checks import NegativeDataRejectionConfig, NotAServerErrorConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.serving import Served, served

from greenroom.server.app import create_app
from greenroom.server.settings import Settings

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
SECONDS = 30

document: dict[str, Any] = create_app(Settings()).openapi()
api = schemathesis.openapi.from_dict(document)
api.config.phases.coverage.enabled = False
api.config.generation.with_security_parameters = False  # the key is real
api.config.generation.allow_extra_parameters = False  # an unknown query parameter is nobody's mistake
# What a model answers may be of no use, and that is no bug of the service.
api.config.checks.not_a_server_error = NotAServerErrorConfig(expected_statuses=["2xx", "3xx", "4xx", 502])
# A request may be refused for another reason before its body is read.
api.config.checks.negative_data_rejection = NegativeDataRejectionConfig(
    expected_statuses=[400, 401, 402, 403, 404, 405, 409, 412, 413, 415, 422, 428, 502]
)
OPERATIONS = [
    (method, path, operation)
    for path, operations in document["paths"].items()
    for method, operation in operations.items()
]
WITH_BODIES = [(method, path, operation) for method, path, operation in OPERATIONS if "requestBody" in operation]
NEED_ACCOUNTS = ("/v1/sessions", "/v1/password")
"""Where an example can only be refused with a key: they are for people with a password or a link."""

DRAFTED: dict[str, Any] = {
    "name": "Changes their mind",
    "persona": "Ravi, who cannot decide.",
    "criteria": [{"text": "Stays patient", "required": True}],
}
SCRIPTED: dict[str, Any] = {
    "name": "Front desk",
    "prompt": "You book visits.",
    "tools": [{"name": "book_slot", "description": "Book a visit", "http": {"url": "http://127.0.0.1:9/book"}}],
    "llm": {
        "model": "scripted:desk",
        "script": [
            {"say": "Very well."},
            {"role": "caller", "say": "Bye.", "hang_up": True},
            {"role": "judge", "answer": "yes", "reason": "It was."},
            {"role": "author", "say": json.dumps({"tests": [DRAFTED]})},
        ],
    },
}
TEST: dict[str, Any] = {
    "name": "Fails, so that tests can be drafted from it",
    "tags": ["booking"],
    "caller": {"persona": "Ravi."},
    "max_turns": 2,
    "checks": [{"type": "says", "text": "Sunday"}, {"type": "judge", "question": "Was it polite?"}],
}


class Things:
    """Real things to name in paths. What a request deleted is made anew when it is next needed."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self._ids: dict[str, str] = {}
        self._count = 0
        self._makers: dict[str, Callable[[], str]] = {
            "agent_id": lambda: self._make("/v1/agents", SCRIPTED),
            "test_id": lambda: self._make(f"/v1/agents/{self['agent_id']}/tests", TEST),
            "document_id": lambda: self._make(
                f"/v1/agents/{self['agent_id']}/knowledge", {"name": self._name(), "text": "9 to 5."}
            ),
            "key_id": lambda: self._make("/v1/keys", {"name": "spare", "scopes": ["all"]}),
            "credential_id": lambda: self._make("/v1/credentials", {"name": self._name(), "api_key": "sk-EXAMPLE"}),
            "developer_id": lambda: self._make("/v1/members", {"email": f"{self._name()}@example.com"}, "developer"),
            "batch_id": lambda: self._start()["batch_id"],
            "run_id": lambda: self._start()["runs"][0]["id"],
            "number": lambda: "1",
            "name": lambda: "book_slot",
        }

    def __getitem__(self, name: str) -> str:
        if name not in self._ids:
            self._ids[name] = self._makers[name]()
        return self._ids[name]

    def __contains__(self, name: str) -> bool:
        return name in self._makers

    def forget(self) -> None:
        """They are not to be relied on any more: something was deleted, and what belonged to it with it."""
        self._ids.clear()

    def _name(self) -> str:
        self._count += 1
        return f"thing-{self._count}"

    def _make(self, path: str, body: Mapping[str, Any], inside: str | None = None) -> str:
        answer = self.client.post(path, json=body)
        assert answer.status_code == 201, answer.text
        made = answer.json()
        return str((made[inside] if inside else made)["id"])

    def _start(self) -> dict[str, Any]:
        test_id = self["test_id"]
        answer = self.client.post(f"/v1/agents/{self['agent_id']}/runs", json={"test_ids": [test_id], "wait": SECONDS})
        assert answer.status_code == 200, answer.text
        return answer.json()


LIMITS = {"requests_per_minute": "0", "sign_ins_per_minute": "1000000", "project_active_runs": "1000000"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with served(tmp_path_factory.mktemp("service"), LIMITS) as service:
        yield service


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Generator[Things]:
    """Things of a service in which only examples are made: a name can be taken once."""
    with (
        served(tmp_path_factory.mktemp("fresh"), LIMITS) as service,
        httpx.Client(base_url=service.url, headers=service.headers, timeout=SECONDS) as client,
    ):
        yield Things(client)


@pytest.fixture(scope="module")
def client(service: Served) -> Generator[httpx.Client]:
    with httpx.Client(base_url=service.url, headers=service.headers, timeout=SECONDS) as client:
        yield client


@pytest.fixture(scope="module")
def things(client: httpx.Client) -> Things:
    return Things(client)


@api.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator] - the library does not say
@settings(
    max_examples=8,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
def test_no_request_meets_a_bug_and_every_answer_is_as_described(
    case: Case[Any], service: Served, things: Things
) -> None:
    for name, drawn in case.path_parameters.items():
        # By what was drawn, not by chance: the same case is the same request whenever it is tried again.
        if name in things and (name != "number" or type(drawn) is int) and zlib.crc32(str(drawn).encode()) % 4:
            case.path_parameters[name] = things[name]
    body: Any = case.body
    if isinstance(body, dict) and type(body.get("requests_per_minute")) is int:
        body["requests_per_minute"] *= 1000  # a few requests a minute would be the end of all that follows
    answer = case.call(base_url=service.url, headers=service.headers, timeout=SECONDS)
    if case.method == "DELETE":
        things.forget()
    case.validate_response(answer, checks=CHECKS)


@pytest.mark.parametrize(
    ("method", "path", "operation"), WITH_BODIES, ids=[f"{method.upper()} {path}" for method, path, _ in WITH_BODIES]
)
def test_every_example_of_a_body_is_taken(method: str, path: str, operation: dict[str, Any], fresh: Things) -> None:
    examples = _examples(operation)
    assert examples, "a body without an example"
    fresh.forget()  # other examples may have changed them
    assert fresh["test_id"]  # what there is to run
    for example in examples:
        url = path.format_map({name: fresh[name] for name in _names(path)})
        answer = fresh.client.request(method, url, json=_with_real_ids(example, fresh))
        if path in NEED_ACCOUNTS:
            assert answer.status_code in (401, 403, 404, 422), answer.text
            assert answer.headers["content-type"] == "application/problem+json"
        else:
            assert answer.is_success, f"{answer.status_code} {answer.text}"


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=[f"{method.upper()} {path}" for method, path, _ in OPERATIONS]
)
def test_every_operation_says_what_it_does_and_how_problems_are_told(
    method: str, path: str, operation: dict[str, Any]
) -> None:
    assert operation["summary"]
    if path.startswith("/v1/"):
        assert "application/problem+json" in operation["responses"]["default"]["content"]


def _with_real_ids(example: Any, things: Things) -> Any:
    if not isinstance(example, dict):
        return example
    return {name: things[name] if name in things and name.endswith("_id") else value for name, value in example.items()}


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _examples(operation: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for media in operation["requestBody"]["content"].values():
        if "example" in media:
            found.append(media["example"])
        found += [each["value"] for each in media.get("examples", {}).values()]
        found += _examples_of_schema(media["schema"])
    return found


def _examples_of_schema(schema: dict[str, Any]) -> list[Any]:
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    found = list(schema.get("examples", []))
    for one in schema.get("anyOf", []):
        found += _examples_of_schema(one)
    return found
