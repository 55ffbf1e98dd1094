"""Signing in, one-time links, members and roles, suspended accounts."""

from __future__ import annotations

from typing import Any

import httpx
from tests.support.web_service import AGENT, Web

from greenroom.server.accounts import service as accounts

PASSWORD = "four plain words here"


async def first_developer(web: Web) -> dict[str, Any]:
    token = await accounts.first_link(web.context)
    wanted = {"token": token, "password": PASSWORD, "email": "Maya@Example.com"}
    answer = await web.visitor().post("/v1/password", json=wanted)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def member(web: Web, client: httpx.AsyncClient, email: str, role: str) -> str:
    """Invite somebody and let them set a password; their session's token."""
    invited = (await client.post("/v1/members", json={"email": email, "role": role})).json()
    wanted = {"token": invited["link"].partition("#")[2], "password": PASSWORD}
    return (await web.visitor().post("/v1/password", json=wanted)).json()["token"]


async def test_the_first_link_makes_an_account_that_owns_the_project(web: Web) -> None:
    session = await first_developer(web)
    me = (await web.with_token(session["token"]).get("/v1/me")).json()
    assert me["kind"] == "developer"
    assert [(each["name"], each["role"]) for each in me["projects"]] == [("default", "admin")]
    shown = (await web.with_token(session["token"]).get("/v1/project")).json()
    assert shown["owner_id"] == session["developer"]["id"]


async def test_a_link_works_once(web: Web) -> None:
    token = await accounts.first_link(web.context)
    wanted = {"token": token, "password": PASSWORD, "email": "maya@example.com"}
    assert (await web.visitor().post("/v1/password", json=wanted)).status_code == 201
    again = await web.visitor().post("/v1/password", json=wanted)
    assert again.status_code == 422
    assert "used" in again.json()["detail"]
    assert await accounts.first_link(web.context) is None


async def test_a_link_that_failed_may_be_tried_again(web: Web) -> None:
    token = await accounts.first_link(web.context)
    refused = await web.visitor().post("/v1/password", json={"token": token, "password": PASSWORD})
    assert refused.json()["errors"][0]["field"] == "email"
    wanted = {"token": token, "password": PASSWORD, "email": "maya@example.com"}
    assert (await web.visitor().post("/v1/password", json=wanted)).status_code == 201


async def test_a_link_grows_old(web: Web) -> None:
    token = await accounts.first_link(web.context)
    web.clock.move(hours=73)
    wanted = {"token": token, "password": PASSWORD, "email": "maya@example.com"}
    assert (await web.visitor().post("/v1/password", json=wanted)).status_code == 422


async def test_weak_passwords_are_refused(web: Web) -> None:
    token = await accounts.first_link(web.context)
    for weak in ("short", "aaaaaaaaaaaaaa", "x" * 300):
        refused = await web.visitor().post("/v1/password", json={"token": token, "password": weak, "email": "a@b.c"})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["field"] == "password"


async def test_signing_in_and_out(web: Web) -> None:
    await first_developer(web)
    wanted = {"email": " MAYA@example.com", "password": PASSWORD}
    session = await web.visitor().post("/v1/sessions", json=wanted)
    assert session.status_code == 201
    client = web.with_token(session.json()["token"])
    assert (await client.get("/v1/me")).status_code == 200
    assert (await client.delete("/v1/sessions/current")).status_code == 204
    assert (await client.get("/v1/me")).status_code == 401


async def test_a_session_ends_after_its_days(web: Web) -> None:
    client = web.with_token((await first_developer(web))["token"])
    web.clock.move(days=15)
    assert (await client.get("/v1/me")).status_code == 401


async def test_a_wrong_password_and_a_wrong_address_sound_the_same(web: Web) -> None:
    await first_developer(web)
    answers = [
        await web.visitor().post("/v1/sessions", json={"email": email, "password": password})
        for email, password in (("maya@example.com", "another password"), ("nobody@example.com", PASSWORD))
    ]
    assert [each.status_code for each in answers] == [401, 401]
    assert answers[0].json()["detail"] == answers[1].json()["detail"]


async def test_changing_the_password_ends_the_other_sessions(web: Web) -> None:
    first = await first_developer(web)
    second = await web.visitor().post("/v1/sessions", json={"email": "maya@example.com", "password": PASSWORD})
    client = web.with_token(second.json()["token"])
    wrong = {"password": "another password", "new_password": "five other plain words"}
    assert (await client.put("/v1/password", json=wrong)).status_code == 403
    right = {"password": PASSWORD, "new_password": "five other plain words"}
    assert (await client.put("/v1/password", json=right)).status_code == 204
    assert (await client.get("/v1/me")).status_code == 200
    assert (await web.with_token(first["token"]).get("/v1/me")).status_code == 401


async def test_roles_decide_what_a_member_may_do(web: Web, client: httpx.AsyncClient) -> None:
    codes: dict[str, list[int]] = {}
    for role in ("viewer", "editor", "admin"):
        person = web.with_token(await member(web, client, f"{role}@example.com", role))
        codes[role] = [
            (await person.get("/v1/agents")).status_code,
            (await person.post("/v1/agents", json=AGENT)).status_code,
            (await person.get("/v1/keys")).status_code,
        ]
    assert codes == {"viewer": [200, 403, 403], "editor": [200, 201, 403], "admin": [200, 201, 200]}


async def test_a_member_whose_role_changes_may_do_less_at_once(web: Web, client: httpx.AsyncClient) -> None:
    person = web.with_token(await member(web, client, "ravi@example.com", "editor"))
    who = (await person.get("/v1/me")).json()["id"]
    changed = await client.patch(f"/v1/members/{who}", json={"role": "viewer"})
    assert changed.json()["role"] == "viewer"
    assert (await person.post("/v1/agents", json=AGENT)).status_code == 403
    assert (await client.delete(f"/v1/members/{who}")).status_code == 204
    assert (await person.get("/v1/agents")).status_code == 403


async def test_a_project_never_loses_its_last_admin(web: Web) -> None:
    session = await first_developer(web)
    client, who = web.with_token(session["token"]), session["developer"]["id"]
    assert (await client.patch(f"/v1/members/{who}", json={"role": "viewer"})).status_code == 409
    assert (await client.delete(f"/v1/members/{who}")).status_code == 409


async def test_a_member_is_added_once(web: Web, client: httpx.AsyncClient) -> None:
    await member(web, client, "ravi@example.com", "editor")
    assert (await client.post("/v1/members", json={"email": "RAVI@example.com"})).status_code == 409


async def test_a_developer_of_several_projects_says_which(web: Web, client: httpx.AsyncClient) -> None:
    other = await web.other_project()
    token = await member(web, client, "ravi@example.com", "editor")
    elsewhere = await web.client(project_id=other)
    await elsewhere.post("/v1/members", json={"email": "ravi@example.com", "role": "viewer"})
    assert (await web.with_token(token).get("/v1/me")).status_code == 403
    chosen = web.with_token(token, **{"X-Greenroom-Project": other})
    assert (await chosen.get("/v1/me")).json()["project_id"] == other
    stranger = web.with_token(token, **{"X-Greenroom-Project": "prj_00000000000000000000000000"})
    assert (await stranger.get("/v1/me")).status_code == 403


async def test_a_suspended_account_is_kept_out_with_its_keys(web: Web) -> None:
    session = await first_developer(web)
    client = web.with_token(session["token"])
    key = (await client.post("/v1/keys", json={"name": "ci", "scopes": ["agents:read"]})).json()["key"]
    await accounts.set_suspended(web.context, "maya@example.com", suspended=True)
    signing_in = await web.visitor().post("/v1/sessions", json={"email": "maya@example.com", "password": PASSWORD})
    codes = [signing_in.status_code, (await web.with_token(key).get("/v1/agents")).status_code]
    assert codes == [403, 403]
    assert (await client.get("/v1/me")).status_code == 401
    await accounts.set_suspended(web.context, "maya@example.com", suspended=False)
    assert (await web.with_token(key).get("/v1/agents")).status_code == 200


async def test_a_new_link_sets_a_forgotten_password(web: Web) -> None:
    await first_developer(web)
    token = await accounts.new_link(web.context, "maya@example.com")
    wanted = {"token": token, "password": "five other plain words"}
    assert (await web.visitor().post("/v1/password", json=wanted)).status_code == 201
    old = await web.visitor().post("/v1/sessions", json={"email": "maya@example.com", "password": PASSWORD})
    assert old.status_code == 401


async def test_too_many_attempts_from_one_address_wait_and_others_do_not(web: Web) -> None:
    wanted = {"email": "maya@example.com", "password": "another password"}
    codes = [(await web.visitor().post("/v1/sessions", json=wanted)).status_code for _ in range(11)]
    assert codes == [401] * 10 + [429]
    refused = await web.visitor().post("/v1/sessions", json=wanted)
    assert refused.headers["retry-after"] == "60"
    assert (await web.visitor("203.0.113.8").post("/v1/sessions", json=wanted)).status_code == 401
    web.clock.move(seconds=60)
    assert (await web.visitor().post("/v1/sessions", json=wanted)).status_code == 401


async def test_the_welcome_page_runs_only_its_own_script(web: Web) -> None:
    page = await web.visitor().get("/welcome")
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
