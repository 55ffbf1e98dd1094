"""Requests to run tests that are wrong: what is wrong with their bodies, and with the tests that they name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.dvaarik_door import Clients, items

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What a run may be asked with, and what is wrong with it.
WRONG_RUNS: dict[str, tuple[str, list[tuple[list[Any], str, str | None]]]] = {
    "not JSON": ("{", [([], "json_invalid", None)]),
    "a list": ("[]", [([], "dict_type", None)]),
    "a field that there is not": ('{"force": true}', [(["force"], "extra_forbidden", "force")]),
    "a switch as a number": (
        '{"force_primary_failure": 1}',
        [(["force_primary_failure"], "bool_type", "force_primary_failure")],
    ),
    "overrides as text": ('{"overrides": "shorter"}', [(["overrides"], "model_type", "overrides")]),
    "another brain": (
        '{"overrides": {"llm": {}, "prompt": 3}}',
        [
            (["overrides", "prompt"], "string_type", "overrides.prompt"),
            (["overrides", "llm"], "extra_forbidden", "overrides.llm"),
        ],
    ),
    "a blank prompt": (
        '{"overrides": {"prompt": " "}}',
        [(["overrides", "prompt"], "value_error", "overrides.prompt")],
    ),
    "no prompt at all": (
        '{"overrides": {"prompt": null}}',
        [(["overrides", "prompt"], "string_type", "overrides.prompt")],
    ),
    "tools that are no objects": (
        '{"overrides": {"tools": ["book_slot"]}}',
        [(["overrides", "tools", 0], "dict_type", "overrides.tools[0]")],
    ),
    "a tool against the agent's own rules": (
        '{"overrides": {"tools": [{"name": "book slot"}]}}',
        [(["overrides", "tools", 0, "name"], "value_error", "overrides.tools[0].name")],
    ),
    "a tool named as one of the engine's": (
        '{"overrides": {"tools": [{"name": "end_call"}]}}',
        [(["overrides"], "value_error", "overrides")],
    ),
    "a greeting that is too long": (
        json.dumps({"overrides": {"greeting": "x" * 4001}}),
        [(["overrides", "greeting"], "value_error", "overrides.greeting")],
    ),
    "a variable of none of its types": (
        '{"overrides": {"variables": {"a b": []}}}',
        [
            (["overrides", "variables", "a b", form], kind, 'overrides.variables["a b"]')
            for form, kind in (
                ("str", "string_type"),
                ("int", "int_type"),
                ("float", "float_type"),
                ("bool", "bool_type"),
            )
        ],
    ),
}


@pytest.mark.parametrize("name", WRONG_RUNS)
async def test_what_is_wrong_with_the_body_of_a_run_is_told_at_both_addresses(name: str, house: Any) -> None:
    clients: Clients = house.clients
    agent = await clients.agent()
    test = await clients.test(agent)
    body, expected = WRONG_RUNS[name]
    for address in (f"{test}/run", f"{agent}/tests/run-all"):
        told = items(await clients.door.post(address, content=body))
        assert [(each["loc"][1:], each["type"], each["field"]) for each in told] == expected
    assert (await clients.door.get(f"{agent}/test-runs")).json()["runs"] == []


@pytest.mark.parametrize(
    ("test_ids", "field"),
    [
        ([], "test_ids"),
        (["tst_00000000000000000000000000"] * 7, "test_ids"),
        (["tst_00000000000000000000000000"], "test_ids[0]"),
        (["Moves a booking"], "test_ids[0]"),
        ([5], "test_ids[0]"),
        ("all", "test_ids"),
    ],
)
async def test_the_tests_to_run_are_named_by_up_to_six_ids_of_the_agent(test_ids: Any, field: str, house: Any) -> None:
    agent = await house.clients.agent()
    told = items(await house.clients.door.post(f"{agent}/tests/run-all", json={"test_ids": test_ids}))
    assert [each["field"] for each in told] == [field]
