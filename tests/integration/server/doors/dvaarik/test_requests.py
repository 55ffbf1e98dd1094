"""Who may ask what at the two doors, and what is not found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute, iter_route_contexts
from tests.support.dvaarik_door import TEST, Clients, add_project, sentence, sign_in

from greenroom.server.doors.dvaarik.door import DVAARIK
from greenroom.server.doors.opening import open_door
from greenroom.server.security.access import Requires
from greenroom.server.security.scopes import Role, Scope

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ, WRITE, RUN = Scope.TESTS_READ, Scope.TESTS_WRITE, Scope.TESTS_RUN
# What each route of the machine door asks for, and a body that it takes.
ROUTES: Mapping[str, tuple[Scope, Any]] = {
    "POST /v2/agents/{agent_id}/tests": (WRITE, TEST),
    "GET /v2/agents/{agent_id}/tests": (READ, None),
    "GET /v2/agents/{agent_id}/tests/{test_id}": (READ, None),
    "PUT /v2/agents/{agent_id}/tests/{test_id}": (WRITE, TEST),
    "DELETE /v2/agents/{agent_id}/tests/{test_id}": (WRITE, None),
    "POST /v2/agents/{agent_id}/tests/run-all": (RUN, {}),
    "POST /v2/agents/{agent_id}/tests/{test_id}/run": (RUN, {}),
    "GET /v2/agents/{agent_id}/test-runs": (READ, None),
    "GET /v2/agents/{agent_id}/test-runs/{run_id}": (READ, None),
    "POST /v2/agents/{agent_id}/test-runs/{run_id}/cancel": (RUN, None),
}
STOP_ALL = "POST /v2/agents/{agent_id}/test-runs/cancel-all"
AT_THE_CONSOLE = {**ROUTES, STOP_ALL: (RUN, None)}
NOBODYS = {
    "agent_id": "agt_00000000000000000000000000",
    "test_id": "tst_00000000000000000000000000",
    "run_id": "run_00000000000000000000000000",
}
MALFORMED = {"agent_id": "northline", "test_id": "Moves a booking", "run_id": "1"}


async def send(client: httpx.AsyncClient, route: str, ids: Mapping[str, str]) -> httpx.Response:
    method, path = route.split(" ")
    return await client.request(method, path.format_map(ids), json=AT_THE_CONSOLE[route][1])


async def ask_console(client: httpx.AsyncClient, route: str, ids: Mapping[str, str]) -> httpx.Response:
    method, path = route.split(" ")
    return await client.request(method, path.removeprefix("/v2").format_map(ids), json=AT_THE_CONSOLE[route][1])


async def ids_of(clients: Clients) -> dict[str, str]:
    """One thing of each kind in the project of the clients."""
    agent = await clients.agent()
    test = await clients.test(agent)
    run = await clients.started(test)
    return {name: path.rpartition("/")[2] for name, path in (("agent_id", agent), ("test_id", test), ("run_id", run))}


# Routes


async def test_every_route_of_both_doors_is_in_the_table(house: Any) -> None:
    app = open_door(DVAARIK, house.web.app)
    found: dict[str, Scope | None] = {}
    for each in iter_route_contexts(app.routes):
        route = each.original_route
        if isinstance(route, APIRoute):
            needed = _requires(route)
            found |= {f"{method} {each.path_format}": needed for method in route.methods or ()}
    console = {
        route.replace("/v2/", "/console/v2/projects/{project_id}/"): scope
        for route, (scope, _) in AT_THE_CONSOLE.items()
    }
    assert found == {**{route: scope for route, (scope, _) in ROUTES.items()}, **console}


def _requires(route: APIRoute) -> Scope | None:
    return next(each.call.scope for each in route.dependant.dependencies if isinstance(each.call, Requires))


# Keys and sessions


async def test_without_a_key_or_with_a_wrong_one_nothing_opens(house: Any) -> None:
    for key in (None, "gr_wrong", "", house.owner):
        async with house.with_key(key) as client:
            codes = {route: (await send(client, route, NOBODYS)).status_code for route in ROUTES}
            assert codes == dict.fromkeys(ROUTES, 401), key
    async with house.with_key(None) as client:
        refused = await send(client, "GET /v2/agents/{agent_id}/tests", NOBODYS)
        assert sentence(refused, 401) == "Send a key with the request, as `X-Api-Key: KEY`."
        assert refused.headers["WWW-Authenticate"] == "ApiKey"


async def test_a_key_in_another_header_does_not_open_the_machine_door(house: Any) -> None:
    key = (await house.web.key())["key"]
    async with house.with_key(None) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        assert (await send(client, "GET /v2/agents/{agent_id}/tests", NOBODYS)).status_code == 401


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_scope_opens_what_is_declared_and_nothing_else(house: Any, scope: Scope) -> None:
    found: dict[str, bool] = {}
    async with house.with_key((await house.web.key([scope]))["key"]) as client:
        for route, (wanted, _) in ROUTES.items():
            answer = await send(client, route, NOBODYS)
            assert answer.status_code in (403, 404), (route, answer.text)
            found[route] = answer.status_code == 404
            if not found[route]:
                name = "voice:read" if wanted is READ else "voice:write"
                assert sentence(answer, 403) == f"This needs the scope `{name}`, which your key does not have."
    assert found == {route: wanted is scope for route, (wanted, _) in ROUTES.items()}


@pytest.mark.parametrize(("name", "opened"), [("voice:read", {READ}), ("voice:write", {WRITE, RUN})])
async def test_the_scopes_of_the_page_open_what_the_page_says(house: Any, name: str, opened: set[Scope]) -> None:
    async with house.with_key((await house.web.key([name]))["key"]) as client:
        for route, (wanted, _) in ROUTES.items():
            answer = await send(client, route, NOBODYS)
            assert answer.status_code == (404 if wanted in opened else 403), route


async def test_the_console_door_is_the_same_with_the_session_of_an_account(house: Any) -> None:
    ids = await ids_of(house.clients)
    async with house.console() as console, house.console(house.viewer) as viewer:
        for route, (wanted, _) in AT_THE_CONSOLE.items():
            answer = await ask_console(viewer, route, NOBODYS)
            assert answer.status_code == (404 if wanted is READ else 403), route
            if wanted is not READ:
                assert sentence(answer, 403) == "This needs the scope `voice:write`, which your role does not have."
        house.web.clock.move(seconds=60)
        for route in (route for route in AT_THE_CONSOLE if not route.startswith("DELETE")):
            assert (await ask_console(console, route, ids)).is_success, route
        for path in (f"/tests/{ids['test_id']}", f"/test-runs/{ids['run_id']}", "/tests", "/test-runs"):
            told = await console.get(f"/agents/{ids['agent_id']}{path}")
            assert told.json() == (await house.clients.door.get(f"/v2/agents/{ids['agent_id']}{path}")).json()
        assert (await ask_console(console, "DELETE /v2/agents/{agent_id}/tests/{test_id}", ids)).status_code == 204


async def test_the_console_door_takes_no_keys_and_no_strangers(house: Any) -> None:
    key = (await house.web.key())["key"]
    for token in ("", key, "grs_wrong"):
        async with house.console(token) as console:
            for route in AT_THE_CONSOLE:
                assert (await ask_console(console, route, NOBODYS)).status_code == 401, route
    for project_id in (house.web.project_id, "prj_00000000000000000000000000", "default"):
        token = house.stranger if project_id == house.web.project_id else house.owner
        async with house.console(token, project_id) as console:
            for route in AT_THE_CONSOLE:
                answer = await ask_console(console, route, NOBODYS)
                assert sentence(answer, 404) == "You have no project with this id."


async def test_a_header_does_not_change_which_project_the_path_names(house: Any) -> None:
    async with house.console(house.stranger) as console:
        console.headers["X-Greenroom-Project"] = house.web.project_id
        assert (await console.get(f"/agents/{NOBODYS['agent_id']}/tests")).status_code == 404


async def test_a_suspended_account_opens_neither_door(house: Any) -> None:
    from greenroom.server.accounts import service as accounts

    context = house.web.context
    async with context.database.writing() as session:
        developer_id = accounts.add_developer(session, context, "late@example.com", None).id
    project_id = await add_project(context, developer_id)
    clients = await house.of_project(project_id)
    token = await sign_in(context, project_id, "colleague@example.com", Role.EDITOR)
    agent = await clients.agent()
    async with house.console(token, project_id) as console:
        assert (await console.get(f"{agent.removeprefix('/v2')}/tests")).status_code == 200
        await accounts.set_suspended(context, "late@example.com", suspended=True)
        for answer in (
            await console.get(f"{agent.removeprefix('/v2')}/tests"),
            await clients.door.get(f"{agent}/tests"),
        ):
            assert "suspended" in sentence(answer, 403)


# What is not there


async def test_what_belongs_to_another_project_is_not_found(house: Any) -> None:
    theirs = await ids_of(house.clients)
    other = await house.alone()
    mine = await ids_of(other)
    for route in ROUTES:
        for name in (name for name in theirs if f"{{{name}}}" in route):
            answer = await send(other.door, route, {**mine, name: theirs[name]})
            assert sentence(answer, 404), (route, name)
    house.web.clock.move(seconds=60)
    async with house.console() as console:
        for route in AT_THE_CONSOLE:
            for name in (name for name in mine if f"{{{name}}}" in route):
                answer = await ask_console(console, route, {**theirs, name: mine[name]})
                assert sentence(answer, 404), (route, name)
    assert (await house.clients.door.get(f"/v2/agents/{theirs['agent_id']}/tests")).json()["tests"]


async def test_an_id_of_no_form_of_ours_is_not_found(house: Any) -> None:
    mine = await ids_of(house.clients)
    for route in ROUTES:
        for name in (name for name in mine if f"{{{name}}}" in route):
            for wrong in (MALFORMED[name], NOBODYS[name], "%00", "x" * 500):
                answer = await send(house.clients.door, route, {**mine, name: wrong})
                assert sentence(answer, 404), (route, name, wrong)


async def test_what_belongs_to_another_agent_is_not_found(house: Any) -> None:
    clients: Clients = house.clients
    one, other = await ids_of(clients), await ids_of(clients)
    for route in ROUTES:
        if "{test_id}" in route or "{run_id}" in route:
            assert sentence(await send(clients.door, route, {**one, "agent_id": other["agent_id"]}), 404), route
    runs = await clients.door.get(f"/v2/agents/{one['agent_id']}/test-runs?test_id={other['test_id']}")
    assert runs.json()["runs"] == []


async def test_an_address_or_a_method_that_there_is_not_is_told_in_a_sentence(house: Any) -> None:
    assert sentence(await house.clients.door.get("/v2/nothing"), 404) == "There is nothing at this address."
    assert sentence(await house.clients.door.patch("/v2/agents/x/tests/y", json={}), 405)


@pytest.mark.parametrize(("query", "field"), [("limit=0", "limit"), ("limit=many", "limit"), ("cursor=é", "cursor")])
async def test_a_wrong_page_of_runs_is_told_at_its_parameter(house: Any, query: str, field: str) -> None:
    answer = await house.clients.door.get(f"{await house.clients.agent()}/test-runs?{query}")
    assert answer.status_code == 422
    [told] = answer.json()["detail"]
    assert (told["loc"], told["field"]) == (["query", field], field)
