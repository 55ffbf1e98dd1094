"""Every route with every scope, and every route with ids of another project. A route that is not in the table here
fails the tests: whoever adds one says what it asks for, and what it must not show."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts
from tests.support.web_service import AGENT, TEST, Web, open_web

from greenroom.server.app import create_app
from greenroom.server.openapi import native_routes
from greenroom.server.security.scopes import Scope
from greenroom.server.settings import Settings

READ, WRITE = Scope.AGENTS_READ, Scope.AGENTS_WRITE
NO_SCOPE = None

# What each route of these rooms asks for, and a body that it takes.
ROUTES: Mapping[str, tuple[Scope | None, Any]] = {
    "GET /v1/project": (NO_SCOPE, None),
    "PATCH /v1/project": (Scope.ADMIN, {"name": "Renamed"}),
    "DELETE /v1/sessions/current": (NO_SCOPE, None),
    "PUT /v1/password": (NO_SCOPE, {"password": "four plain words", "new_password": "five other plain words"}),
    "GET /v1/me": (NO_SCOPE, None),
    "GET /v1/members": (Scope.ADMIN, None),
    "POST /v1/members": (Scope.ADMIN, {"email": "new@example.com"}),
    "GET /v1/members/{developer_id}": (Scope.ADMIN, None),
    "PATCH /v1/members/{developer_id}": (Scope.ADMIN, {"role": "viewer"}),
    "DELETE /v1/members/{developer_id}": (Scope.ADMIN, None),
    "GET /v1/keys": (Scope.ADMIN, None),
    "POST /v1/keys": (Scope.ADMIN, {"name": "x", "scopes": ["admin"]}),
    "GET /v1/keys/{key_id}": (Scope.ADMIN, None),
    "DELETE /v1/keys/{key_id}": (Scope.ADMIN, None),
    "GET /v1/credentials": (READ, None),
    "POST /v1/credentials": (Scope.ADMIN, {"name": "x", "api_key": "y"}),
    "GET /v1/credentials/{credential_id}": (READ, None),
    "PATCH /v1/credentials/{credential_id}": (Scope.ADMIN, {"api_key": "z"}),
    "DELETE /v1/credentials/{credential_id}": (Scope.ADMIN, None),
    "GET /v1/agents": (READ, None),
    "POST /v1/agents": (WRITE, AGENT),
    "GET /v1/agents/{agent_id}": (READ, None),
    "PATCH /v1/agents/{agent_id}": (WRITE, {"greeting": "Hi"}),
    "DELETE /v1/agents/{agent_id}": (WRITE, None),
    "GET /v1/agents/{agent_id}/draft": (READ, None),
    "PATCH /v1/agents/{agent_id}/draft": (WRITE, {"greeting": "Hi"}),
    "DELETE /v1/agents/{agent_id}/draft": (WRITE, None),
    "POST /v1/agents/{agent_id}/publish": (WRITE, {}),
    "GET /v1/agents/{agent_id}/versions": (READ, None),
    "GET /v1/agents/{agent_id}/versions/{number}": (READ, None),
    "GET /v1/agents/{agent_id}/diff": (READ, None),
    "GET /v1/agents/{agent_id}/knowledge": (READ, None),
    "POST /v1/agents/{agent_id}/knowledge": (WRITE, {"name": "More", "text": "Text"}),
    "GET /v1/agents/{agent_id}/knowledge/{document_id}": (READ, None),
    "PUT /v1/agents/{agent_id}/knowledge/{document_id}": (WRITE, {"text": "Text"}),
    "DELETE /v1/agents/{agent_id}/knowledge/{document_id}": (WRITE, None),
    "GET /v1/agents/{agent_id}/tests": (Scope.TESTS_READ, None),
    "POST /v1/agents/{agent_id}/tests": (Scope.TESTS_WRITE, TEST),
    "GET /v1/agents/{agent_id}/tests/{test_id}": (Scope.TESTS_READ, None),
    "PUT /v1/agents/{agent_id}/tests/{test_id}": (Scope.TESTS_WRITE, TEST),
    "PATCH /v1/agents/{agent_id}/tests/{test_id}": (Scope.TESTS_WRITE, {"max_turns": 3}),
    "DELETE /v1/agents/{agent_id}/tests/{test_id}": (Scope.TESTS_WRITE, None),
    "GET /v1/audit": (Scope.ADMIN, None),
    "POST /v1/agents/{agent_id}/runs": (Scope.TESTS_RUN, {"tests": [TEST]}),
    "POST /v1/agents/{agent_id}/cancel-all": (Scope.TESTS_RUN, {}),
    "POST /v1/agents/{agent_id}/reply": (Scope.TESTS_RUN, {"messages": [{"role": "caller", "text": "Hello"}]}),
    "POST /v1/agents/{agent_id}/tools/{name}/try": (Scope.TESTS_RUN, {"arguments": {}}),
    "POST /v1/agents/{agent_id}/tests/generate": (Scope.TESTS_WRITE, {"count": 1}),
    "GET /v1/runs": (Scope.TESTS_READ, None),
    "GET /v1/runs/{run_id}": (Scope.TESTS_READ, None),
    "GET /v1/runs/{run_id}/events": (Scope.TESTS_READ, None),
    "POST /v1/runs/{run_id}/cancel": (Scope.TESTS_RUN, {}),
    "GET /v1/runs/{run_id}/labels": (Scope.TESTS_READ, None),
    "POST /v1/runs/{run_id}/labels": (Scope.TESTS_WRITE, {"check": 0, "right": True}),
    "GET /v1/agreement": (Scope.TESTS_READ, None),
    "GET /v1/batches/{batch_id}": (Scope.TESTS_READ, None),
    "GET /v1/usage": (Scope.TESTS_READ, None),
    "GET /v1/credits": (Scope.TESTS_READ, None),
    "GET /v1/credits/ledger": (Scope.TESTS_READ, None),
    "PUT /v1/credits/bounds": (Scope.ADMIN, {}),
}
OPEN_TO_ANYBODY = {
    "POST /v1/sessions",
    "POST /v1/password",
    "GET /livez",
    "GET /readyz",
    "GET /metrics",
    "GET /welcome",
    "GET /openapi.json",
    "HEAD /openapi.json",
}
# Whether a scope opens a route is told before anything is looked up.
NOBODYS = {
    "agent_id": "agt_00000000000000000000000000",
    "test_id": "tst_00000000000000000000000000",
    "document_id": "doc_0",
    "number": "1",
    "key_id": "key_00000000000000000000000000",
    "credential_id": "crd_00000000000000000000000000",
    "developer_id": "dev_00000000000000000000000000",
    "run_id": "run_00000000000000000000000000",
    "batch_id": "bat_00000000000000000000000000",
    "name": "book_slot",
}
NAMES = ("number", "name")  # what is no id of anybody's
WITH_IDS = [route for route in ROUTES if "{" in route]


@pytest.fixture
async def web(settings: Settings) -> AsyncGenerator[Web]:
    async with open_web(settings.model_copy(update={"requests_per_minute": 0}), with_runs=True) as opened:
        yield opened


def routes_of(settings: Settings) -> dict[str, Scope | None]:
    """What the app's routes say that they ask for."""
    return {
        f"{method} {route.path_format}": route.required_access.scope
        for route in native_routes(create_app(settings))
        for method in route.methods or ()
        if route.required_access is not None
    }


async def ids_of(client: httpx.AsyncClient) -> dict[str, str]:
    """One thing of each kind in the project of the client."""
    agent = (await client.post("/v1/agents", json=AGENT)).json()["id"]
    await client.patch(f"/v1/agents/{agent}", json={"language": "en"})
    document = await client.post(f"/v1/agents/{agent}/knowledge", json={"name": "Hours", "text": "8 to 17"})
    member = await client.post("/v1/members", json={"email": f"{agent}@example.com", "role": "editor"})
    started = (await client.post(f"/v1/agents/{agent}/runs", json={"tests": [TEST]})).json()
    return {
        "agent_id": agent,
        "run_id": started["runs"][0]["id"],
        "batch_id": started["batch_id"],
        "name": "book_slot",
        "test_id": (await client.post(f"/v1/agents/{agent}/tests", json=TEST)).json()["id"],
        "document_id": document.json()["id"],
        "number": "1",
        "key_id": (await client.post("/v1/keys", json={"name": "k", "scopes": ["admin"]})).json()["id"],
        "credential_id": (await client.post("/v1/credentials", json={"name": "c", "api_key": "k"})).json()["id"],
        "developer_id": member.json()["developer"]["id"],
    }


async def send(client: httpx.AsyncClient, route: str, ids: Mapping[str, str]) -> httpx.Response:
    method, path = route.split(" ")
    return await client.request(method, path.format_map(ids), json=ROUTES[route][1])


def test_every_route_is_in_the_table(settings: Settings) -> None:
    assert routes_of(settings) == {route: scope for route, (scope, _) in ROUTES.items()}


def test_every_other_route_is_meant_for_anybody(settings: Settings) -> None:
    app = create_app(settings)
    every = {
        f"{method} {each.path_format or each.path}"
        for each in iter_route_contexts(app.routes)
        for method in getattr(each.original_route, "methods", None) or ()
    }
    assert every - set(routes_of(settings)) == OPEN_TO_ANYBODY


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_scope_opens_what_is_declared_and_nothing_else(web: Web, scope: Scope) -> None:
    found: dict[str, bool] = {}
    for route in ROUTES:
        answer = await send(await web.client([scope]), route, NOBODYS)
        assert answer.status_code < 500, (route, answer.text)
        refused = answer.status_code == 403 and "scope" in answer.json()["detail"]
        found[route] = not refused
    assert found == {route: wanted in (None, scope) for route, (wanted, _) in ROUTES.items()}


async def test_nobody_comes_in_without_a_key(web: Web) -> None:
    codes = {route: (await send(web.visitor(), route, NOBODYS)).status_code for route in ROUTES}
    assert codes == dict.fromkeys(ROUTES, 401)


async def test_what_belongs_to_another_project_is_not_found(web: Web, client: httpx.AsyncClient) -> None:
    theirs = await ids_of(client)
    other = await web.client(project_id=await web.other_project())
    mine = await ids_of(other)
    for route in WITH_IDS:
        assert (await send(other, route, theirs)).status_code == 404, route
        # One foreign id among one's own is as little of use.
        names = [name for name in theirs if f"{{{name}}}" in route and name not in NAMES]
        for name in names:
            if len(names) > 1:
                assert (await send(other, route, {**mine, name: theirs[name]})).status_code == 404, (route, name)
    assert (await client.get(f"/v1/agents/{theirs['agent_id']}")).status_code == 200


async def test_lists_show_nothing_of_another_project(web: Web, client: httpx.AsyncClient) -> None:
    theirs = await ids_of(client)
    other = await web.client(project_id=await web.other_project())
    for path in (
        "/v1/agents",
        "/v1/keys",
        "/v1/credentials",
        "/v1/members",
        "/v1/audit",
        "/v1/runs",
        "/v1/credits/ledger",
        "/v1/usage",
    ):
        text = (await other.get(path)).text
        shown = [each for name, each in theirs.items() if name not in NAMES and each in text]
        assert not shown, path
    audit = (await other.get(f"/v1/audit?subject_id={theirs['agent_id']}")).json()
    assert audit["items"] == []
