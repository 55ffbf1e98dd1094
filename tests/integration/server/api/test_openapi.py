"""The description of the API: whole, with examples, and true."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from tests.support.web_service import AGENT, TEST

from greenroom.server.app import create_app
from greenroom.server.settings import Settings


@pytest.fixture
def described() -> dict[str, Any]:
    return create_app(Settings()).openapi()


def operations(described: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_route_says_what_it_does_and_what_it_asks_for(described: dict[str, Any]) -> None:
    for name, operation in operations(described):
        assert operation["summary"], name
        assert operation["description"], name
        assert "default" in operation["responses"], name


def test_every_body_has_an_example(described: dict[str, Any]) -> None:
    for name, operation in operations(described):
        for media in operation.get("requestBody", {}).get("content", {}).values():
            schema = media["schema"]
            while "anyOf" in schema:
                schema = schema["anyOf"][0]
            shown = described["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
            assert "example" in media or "examples" in shown, name


def test_every_reference_leads_somewhere(described: dict[str, Any]) -> None:
    known = described["components"]["schemas"]

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                assert reference.rpartition("/")[2] in known, reference
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(described)


def test_keys_and_idempotency_are_described(described: dict[str, Any]) -> None:
    create = described["paths"]["/v1/agents"]["post"]
    assert create["security"] == [{"bearer": []}]
    assert create["x-scope"] == "agents:write"
    assert "Idempotency-Key" in [each["name"] for each in create["parameters"]]


def test_agents_and_tests_fit_their_schemas(described: dict[str, Any]) -> None:
    for name, value in (("Agent", AGENT), ("Test", TEST)):
        schema = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
        assert jsonschema_rs.validator_for(schema).is_valid(value)
