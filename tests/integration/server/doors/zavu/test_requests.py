"""Who comes in, what is malformed, and how each refusal is told: a code, a sentence, details."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.support.model_server import ModelServer
from tests.support.web_service import Web
from tests.support.zavu_door import MESSAGE, Guest, agent_on, guest_of, with_key

from greenroom.server.accounts import service as accounts
from greenroom.server.doors.zavu.door import ZAVU
from greenroom.server.projects import service as projects
from greenroom.server.routing import Route
from greenroom.server.security.scopes import Scope

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOBODYS = "agt_00000000000000000000000000"
ROUTES = {"POST /v2/agents/{agentId}/test": Scope.TESTS_RUN}
"""What each route of this door asks for."""


def assert_refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The refusal has the documented shape."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body.keys() <= {"code", "message", "details"}
    assert body["code"] == code
    assert isinstance(body["message"], str)
    assert body["message"]
    for error in body.get("details", {}).get("errors", []):
        assert isinstance(error["path"], list)
        assert isinstance(error["message"], str)
        assert isinstance(error["code"], str)
    return body


@pytest.mark.parametrize(
    ("body", "path", "code", "words"),
    [
        ({}, ["message"], "required", "`message` is missing"),
        ({"message": None}, ["message"], "invalid_type", "text"),
        ({"message": 7}, ["message"], "invalid_type", "text"),
        ({"message": ""}, ["message"], "too_small", "empty"),
        ({"message": " \n\t"}, ["message"], "too_small", "empty"),
        ({"message": "a\x00b"}, ["message"], "invalid_value", "NUL"),
        ({"message": "Hi", "history": None}, ["history"], "invalid_type", "list"),
        ({"message": "Hi", "history": {}}, ["history"], "invalid_type", "list"),
        ({"message": "Hi", "history": ["Hello"]}, ["history", 0], "invalid_type", "object"),
        ({"message": "Hi", "history": [{"content": "x"}]}, ["history", 0, "role"], "required", "missing"),
        ({"message": "Hi", "history": [{"role": "user"}]}, ["history", 0, "content"], "required", "missing"),
        (
            {"message": "Hi", "history": [{"role": "system", "content": "x"}]},
            ["history", 0, "role"],
            "invalid_value",
            "'user' or 'assistant'",
        ),
        (
            {"message": "Hi", "history": [{"role": "user", "content": "x"}, {"role": "user", "content": ""}]},
            ["history", 1, "content"],
            "too_small",
            "empty",
        ),
        (
            {"message": "Hi", "history": [{"role": "user", "content": "\x00"}]},
            ["history", 0, "content"],
            "invalid_value",
            "NUL",
        ),
        (
            {"message": "Hi", "history": [{"role": "user", "content": "x", "name": "Ana"}]},
            ["history", 0, "name"],
            "unrecognized_key",
            "`name`",
        ),
        ({"message": "Hi", "useKnowledgeBase": "no"}, ["useKnowledgeBase"], "invalid_type", "true"),
        ({"message": "Hi", "executeTools": 1}, ["executeTools"], "invalid_type", "true"),
        ({"message": "Hi", "execute_tools": True}, ["execute_tools"], "unrecognized_key", "take it out"),
        ([], [], "invalid_type", "object"),
        ("Hi", [], "invalid_type", "object"),
    ],
)
async def test_a_malformed_request_is_told_at_its_field(
    guest: Guest, body: Any, path: list[str | int], code: str, words: str
) -> None:
    agent = await guest.agent()
    answer = await guest.door.post(f"/v2/agents/{agent}/test", json=body)
    told = assert_refused(answer, 400, "invalid_request")
    (error,) = told["details"]["errors"]
    assert (error["path"], error["code"]) == (path, code)
    assert words in error["message"]
    assert told["message"].casefold() == error["message"].casefold()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "required"),
        (b"{", "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        (b'{"message": "\\ud800"}', "invalid_value"),
        (b'{"message": ' + b"[" * 100_000, "invalid_value"),
    ],
    ids=["empty", "broken", "not utf-8", "half of a character", "deep"],
)
async def test_a_body_that_is_no_message_is_told_so(guest: Guest, content: bytes, code: str) -> None:
    agent = await guest.agent()
    headers = {"Content-Type": "application/json"}
    answer = await guest.door.post(f"/v2/agents/{agent}/test", content=content, headers=headers)
    told = assert_refused(answer, 400, "invalid_request")
    assert [error["code"] for error in told["details"]["errors"]] == [code]


async def test_every_mistake_is_told_at_once(guest: Guest) -> None:
    agent = await guest.agent()
    told = assert_refused(
        await guest.ask(agent, {"message": 1, "history": [{"role": "x", "content": 2}], "executeTools": "yes"}),
        400,
        "invalid_request",
    )
    assert [error["path"] for error in told["details"]["errors"]] == [
        ["message"],
        ["history", 0, "role"],
        ["history", 0, "content"],
        ["executeTools"],
    ]


async def test_a_mistake_in_a_long_history_is_told_where_it_was_sent(guest: Guest) -> None:
    agent = await guest.agent()
    history = [{"role": "user", "content": "x"}] * 250
    history[240] = {"role": "user", "content": "a\x00b"}
    told = assert_refused(await guest.ask(agent, {**MESSAGE, "history": history}), 400, "invalid_request")
    assert told["details"]["errors"][0]["path"] == ["history", 240, "content"]


async def test_a_realtime_agent_has_no_text_to_reply_with(guest: Guest) -> None:
    agent = await guest.agent({"name": "Realtime", "prompt": "You talk.", "pipeline_mode": "realtime"})
    told = assert_refused(await guest.ask(agent), 400, "invalid_request")
    assert told["details"]["errors"][0]["path"] == []
    assert "realtime" in told["message"]


async def test_an_agent_that_keeps_the_talk_itself_takes_no_history(guest: Guest, model: ModelServer) -> None:
    remote = {"type": "openai", "url": model.openai_url, "model": "m", "stateful": True}
    agent = await guest.agent({"name": "Elsewhere", "remote": remote})
    history = [{"role": "user", "content": "Hello"}]
    told = assert_refused(await guest.ask(agent, {**MESSAGE, "history": history}), 400, "invalid_request")
    assert told["details"]["errors"][0]["path"] == ["history"]
    assert (await guest.ask(agent)).json()["success"] is True


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer gr_nobody", "Basic gr_nobody", "Bearer é"])
async def test_without_a_key_or_with_a_wrong_one_nobody_comes_in(
    zavu: Web, guest: Guest, authorization: str | None
) -> None:
    agent = await guest.agent()
    headers = httpx.Headers([] if authorization is None else [(b"Authorization", authorization.encode())])
    answer = await with_key(zavu, None).post(f"/v2/agents/{agent}/test", json=MESSAGE, headers=headers)
    assert_refused(answer, 401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_key_that_has_expired_or_was_revoked_opens_nothing(zavu: Web, guest: Guest) -> None:
    agent = await guest.agent()
    made = await zavu.key(project_id=guest.project_id)
    expiring = await zavu.key(project_id=guest.project_id, expires_at=zavu.clock() + timedelta(seconds=5))
    assert (await guest.native.delete(f"/v1/keys/{made['id']}")).status_code == 204
    before = await with_key(zavu, expiring["key"]).post(f"/v2/agents/{agent}/test", json=MESSAGE)
    zavu.clock.move(seconds=6)
    after = await with_key(zavu, expiring["key"]).post(f"/v2/agents/{agent}/test", json=MESSAGE)
    revoked = await with_key(zavu, made["key"]).post(f"/v2/agents/{agent}/test", json=MESSAGE)
    assert before.status_code == 200
    assert_refused(after, 401, "unauthorized")
    assert_refused(revoked, 401, "unauthorized")


async def test_every_route_of_the_door_is_in_the_table() -> None:
    found: dict[str, Scope | None] = {}
    for route in (route for router in ZAVU.routers for route in router.routes):
        assert isinstance(route, Route), "a route of another kind: it may ask for no access"
        for method in route.methods or ():
            found[f"{method} {route.path_format}"] = route.required_access.scope if route.required_access else None
    assert found == ROUTES


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_scope_opens_what_is_declared_and_nothing_else(zavu: Web, guest: Guest, scope: Scope) -> None:
    agent = await guest.agent()
    key = await zavu.key([scope], guest.project_id)
    for route, wanted in ROUTES.items():
        method, path = route.split(" ")
        answer = await with_key(zavu, key["key"]).request(method, path.format(agentId=agent), json=MESSAGE)
        if scope is wanted:
            assert answer.status_code == 200
        else:
            assert "`agents:test`" in assert_refused(answer, 403, "missing_scope")["message"]


async def test_a_key_of_the_scope_s_other_name_comes_in(zavu: Web, guest: Guest) -> None:
    key = await zavu.key(["agents:test"], guest.project_id)
    assert (
        await with_key(zavu, key["key"]).post(f"/v2/agents/{await guest.agent()}/test", json=MESSAGE)
    ).status_code == 200


async def test_a_suspended_account_is_refused(zavu: Web) -> None:
    context = zavu.context
    async with context.database.writing() as session:
        developer_id = accounts.add_developer(session, context, "late@example.com", None).id
        project_id = projects.add_to(session, context, "theirs", owner_id=developer_id).id
    guest = await guest_of(zavu, project_id)
    agent = await guest.agent()
    await accounts.set_suspended(context, "late@example.com", suspended=True)
    assert "suspended" in assert_refused(await guest.ask(agent), 403, "account_suspended")["message"]


@pytest.mark.parametrize(
    "agent_id", [NOBODYS, "agent_abc123", "agt_", "x" * 300, "run_00000000000000000000000000", "%00"]
)
async def test_an_agent_that_there_is_not_is_not_found(guest: Guest, agent_id: str) -> None:
    assert_refused(await guest.ask(agent_id), 404, "not_found")


async def test_an_agent_of_another_project_is_not_found(zavu: Web, guest: Guest) -> None:
    theirs = await (await guest_of(zavu)).agent()
    assert_refused(await guest.ask(theirs), 404, "not_found")


async def test_an_agent_that_was_deleted_is_not_found(guest: Guest) -> None:
    agent = await guest.agent()
    assert (await guest.native.delete(f"/v1/agents/{agent}")).status_code == 204
    assert_refused(await guest.ask(agent), 404, "not_found")


async def test_an_address_or_a_method_that_there_is_not_is_told_in_the_same_shape(guest: Guest) -> None:
    assert_refused(await guest.door.get("/v2/agents"), 404, "not_found")
    assert_refused(await guest.door.get(f"/v2/agents/{NOBODYS}/test"), 405, "method_not_allowed")


async def test_a_request_with_an_idempotency_key_is_carried_out_once(guest: Guest, model: ModelServer) -> None:
    await guest.add_credits(1_000_000)
    agent = await guest.agent(agent_on(model.openai_url, credential="house"))
    first = await guest.ask(agent, **{"Idempotency-Key": "one"})
    again = await guest.ask(agent, **{"Idempotency-Key": "one"})
    assert first.json() == again.json()
    assert model.count == 1
    assert (await guest.credits()).balance == 1_000_000 - 120
    other = await guest.ask(agent, {"message": "Another"}, **{"Idempotency-Key": "one"})
    told = assert_refused(other, 400, "invalid_request")
    assert told["details"]["errors"][0]["path"] == ["Idempotency-Key"]
