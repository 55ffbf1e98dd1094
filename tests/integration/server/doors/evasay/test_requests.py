"""Who comes in at the door `evasay`, with what, and what they do not get to see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from tests.support.dvaarik_door import add_project
from tests.support.evasay_door import AGENT, SIMULATION, VOICE, Clients, refusal

from greenroom.server.accounts import service as accounts
from greenroom.server.doors.evasay.door import EVASAY
from greenroom.server.doors.opening import open_door
from greenroom.server.security.access import Requires
from greenroom.server.security.scopes import Scope

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What each route asks for, and a body that it takes. A route that is not here fails the tests.
ROUTES: Mapping[str, tuple[Scope, Any]] = {
    "POST /agents/{agent_id}/tests": (Scope.TESTS_WRITE, SIMULATION),
    "GET /agents/{agent_id}/tests": (Scope.TESTS_READ, None),
    "POST /agents/{agent_id}/tests/generate": (Scope.TESTS_WRITE, {"count": 1}),
    "GET /agents/{agent_id}/tests/{test_id}": (Scope.TESTS_READ, None),
    "PATCH /agents/{agent_id}/tests/{test_id}": (Scope.TESTS_WRITE, {"max_turns": 2}),
    "DELETE /agents/{agent_id}/tests/{test_id}": (Scope.TESTS_WRITE, None),
    "POST /agents/{agent_id}/test-runs": (Scope.TESTS_RUN, {}),
    "GET /test-runs/{run_id}": (Scope.TESTS_READ, None),
    "GET /agents/{agent_id}/tools": (Scope.AGENTS_READ, None),
    "POST /tools/{tool_id}/test": (Scope.TESTS_RUN, {"arguments": {}}),
}
NOBODYS = {
    "agent_id": "agt_00000000000000000000000000",
    "test_id": "tst_00000000000000000000000000",
    "run_id": "run_00000000000000000000000000",
    "tool_id": "agt_00000000000000000000000000.book_slot",
}
MALFORMED = {"agent_id": "front-desk", "test_id": "Wants another day", "run_id": "1", "tool_id": "book_slot"}


async def send(client: httpx.AsyncClient, route: str, ids: Mapping[str, str]) -> httpx.Response:
    method, path = route.split(" ")
    return await client.request(method, VOICE + path.format_map(ids), json=ROUTES[route][1])


async def ids_of(clients: Clients) -> dict[str, str]:
    """One thing of each kind in the project of the clients."""
    agent_id = await clients.agent()
    test = await clients.test(agent_id)
    [run] = (await clients.started(agent_id))["runs"]
    return {"agent_id": agent_id, "test_id": test["id"], "run_id": run["id"], "tool_id": f"{agent_id}.book_slot"}


async def test_every_route_is_in_the_table(house: Any) -> None:
    found: dict[str, Scope | None] = {}
    for each in iter_route_contexts(open_door(EVASAY, house.web.app).routes):
        route = each.original_route
        if isinstance(route, APIRoute):
            needed = next(one.call.scope for one in route.dependant.dependencies if isinstance(one.call, Requires))
            path = str(each.path_format).removeprefix(VOICE)
            found |= {f"{method} {path}": needed for method in route.methods or ()}
    assert found == {route: scope for route, (scope, _) in ROUTES.items()}


# Keys


@pytest.mark.parametrize("token", [None, "", "gr_wrong", "sk-wrong", "sk-", "grs_wrong", "sk-grs_wrong"])
async def test_without_a_key_or_with_a_wrong_one_nothing_opens(house: Any, token: str | None) -> None:
    async with house.with_token(token) as client:
        for route in ROUTES:
            answer = await send(client, route, NOBODYS)
            refusal(answer, 401, "unauthorized")
            assert answer.headers["WWW-Authenticate"] == "Bearer"


async def test_a_key_opens_as_it_is_and_written_with_sk_before_it(house: Any) -> None:
    key = (await house.web.key())["key"]
    for written in (key, f"sk-{key}"):
        async with house.with_token(written) as client:
            assert refusal(await send(client, "GET /agents/{agent_id}/tests", NOBODYS), 404, "not_found")
    async with house.with_token(f"sk-sk-{key}") as client:
        refusal(await send(client, "GET /agents/{agent_id}/tests", NOBODYS), 401, "unauthorized")


async def test_a_key_in_another_place_opens_nothing(house: Any) -> None:
    key = (await house.web.key())["key"]
    async with house.with_token(None) as client:
        for headers in ({"X-API-Key": key}, {"Authorization": key}, {"Authorization": f"Basic {key}"}):
            client.headers.update(headers)
            answer = await send(client, "GET /agents/{agent_id}/tests", NOBODYS)
            assert refusal(answer, 401, "unauthorized").startswith("Send a key with the request")


async def test_a_revoked_key_opens_nothing(house: Any, mine: Clients) -> None:
    made = await house.web.key()
    assert (await mine.native.delete(f"/v1/keys/{made['id']}")).status_code == 204
    async with house.with_token(f"sk-{made['key']}") as client:
        answer = await send(client, "GET /agents/{agent_id}/tests", NOBODYS)
        assert refusal(answer, 401, "unauthorized") == "This key was revoked: make a new one."


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_scope_opens_what_is_declared_and_nothing_else(house: Any, scope: Scope) -> None:
    found: dict[str, bool] = {}
    async with house.with_token((await house.web.key([scope]))["key"]) as client:
        for route, (wanted, _) in ROUTES.items():
            answer = await send(client, route, NOBODYS)
            found[route] = answer.status_code == 404
            if not found[route]:
                message = refusal(answer, 403, "forbidden")
                assert message == f"This needs the scope `{wanted}`, which your key does not have."
    assert found == {route: wanted is scope for route, (wanted, _) in ROUTES.items()}


async def test_a_suspended_account_opens_nothing(house: Any) -> None:
    context = house.web.context
    async with context.database.writing() as session:
        developer_id = accounts.add_developer(session, context, "evasay@example.com", None).id
    clients = await house.of_project(await add_project(context, developer_id))
    ids = await ids_of(clients)
    await accounts.set_suspended(context, "evasay@example.com", suspended=True)
    for route in ROUTES:
        assert "suspended" in refusal(await send(clients.door, route, ids), 403, "forbidden")


# What is not there


async def test_what_belongs_to_another_project_is_not_found(house: Any, mine: Clients) -> None:
    theirs = await ids_of(mine)
    other = await house.of_project(await house.web.other_project())
    own = await ids_of(other)
    for route in ROUTES:
        for name in (name for name in theirs if f"{{{name}}}" in route):
            refusal(await send(other.door, route, {**own, name: theirs[name]}), 404, "not_found")
    foreign = {"test_ids": [theirs["test_id"]]}
    refused = await other.door.post(f"{VOICE}/agents/{own['agent_id']}/test-runs", json=foreign)
    assert refusal(refused, 404, "not_found") == f"This agent has no test `{theirs['test_id']}`."
    assert (await mine.door.get(f"{VOICE}/agents/{theirs['agent_id']}/tests")).json()["tests"]


async def test_an_id_of_no_form_of_ours_is_not_found(mine: Clients) -> None:
    own = await ids_of(mine)
    for route in ROUTES:
        for name in (name for name in own if f"{{{name}}}" in route):
            for wrong in (MALFORMED[name], NOBODYS[name], "%00", "x" * 500):
                refusal(await send(mine.door, route, {**own, name: wrong}), 404, "not_found")
    refused = await mine.door.post(f"{VOICE}/agents/{own['agent_id']}/test-runs", json={"test_ids": ["\x00"]})
    refusal(refused, 404, "not_found")


async def test_what_belongs_to_another_agent_is_not_found(mine: Clients) -> None:
    one, other = await ids_of(mine), await ids_of(mine)
    for route in ROUTES:
        if "{test_id}" in route:
            refusal(await send(mine.door, route, {**one, "agent_id": other["agent_id"]}), 404, "not_found")
    wrong = {"test_ids": [one["test_id"], other["test_id"]]}
    refused = await mine.door.post(f"{VOICE}/agents/{one['agent_id']}/test-runs", json=wrong)
    assert other["test_id"] in refusal(refused, 404, "not_found")
    assert len((await mine.native.get(f"/v1/runs?agent_id={one['agent_id']}")).json()["items"]) == 1


async def test_runs_of_tests_that_this_door_cannot_show_are_not_there(mine: Clients) -> None:
    agent_id = await mine.agent(AGENT)
    script = {"name": "Script", "caller": {"messages": ["Hello."]}}
    checks = [{"type": "criterion", "text": "c"}]
    beside = {"name": "Beside", "caller": {"persona": "P", "facts": {"a": 1}}, "checks": checks}
    for test in (script, beside):
        assert (await mine.native.post(f"/v1/agents/{agent_id}/tests", json=test)).status_code == 201
    unsaved = {"tests": [{"name": "Unsaved", "caller": {"persona": "P"}, "checks": checks}]}
    runs = [
        *(await mine.native.post(f"/v1/agents/{agent_id}/runs", json={})).json()["runs"],
        *(await mine.native.post(f"/v1/agents/{agent_id}/runs", json=unsaved)).json()["runs"],
    ]
    assert len(runs) == 3
    for run in runs:
        answer = await mine.door.get(f"{VOICE}/test-runs/{run['id']}")
        assert refusal(answer, 404, "not_found")


async def test_an_address_or_a_method_that_there_is_not_is_told_in_a_sentence(mine: Clients) -> None:
    nothing = await mine.door.get(f"{VOICE}/nothing")
    assert refusal(nothing, 404, "not_found") == "There is nothing at this address."
    refusal(await mine.door.put(f"{VOICE}/agents/x/tests/y", json={}), 405, "method_not_allowed")


async def test_a_run_that_waits_is_told_as_running(mine: Clients) -> None:
    ids = await ids_of(mine)
    assert (await mine.native.get(f"/v1/runs/{ids['run_id']}")).json()["status"] == "queued"
    run = (await mine.door.get(f"{VOICE}/test-runs/{ids['run_id']}")).json()
    assert (run["status"], run["reason"], run["transcript"], run["credits"]) == ("running", None, None, 3)
