"""Keys, credentials, and the record of changes."""

from __future__ import annotations

from datetime import timedelta

import httpx
from cryptography.fernet import Fernet
from sqlalchemy import text
from tests.support.web_service import AGENT, Web

from greenroom.server.agents.resealing import reseal_all as reseal_agents
from greenroom.server.agents.service import load
from greenroom.server.context import Context
from greenroom.server.credentials import service as credentials
from greenroom.server.security.vault import Vault


async def test_a_key_is_shown_once_and_only_its_digest_is_kept(web: Web, client: httpx.AsyncClient) -> None:
    made = (await client.post("/v1/keys", json={"name": "ci", "scopes": ["tests:run"]})).json()
    shown = await client.get(f"/v1/keys/{made['id']}")
    assert "key" not in shown.json()
    assert made["key"].startswith(shown.json()["prefix"])
    async with web.context.database.reading() as session:
        rows = (await session.execute(text("SELECT * FROM keys"))).all()
    assert made["key"] not in str(rows)


async def test_a_revoked_key_opens_nothing(web: Web, client: httpx.AsyncClient) -> None:
    made = await web.key()
    assert (await client.delete(f"/v1/keys/{made['id']}")).status_code == 204
    assert (await client.delete(f"/v1/keys/{made['id']}")).status_code == 204
    assert (await web.with_token(made["key"]).get("/v1/me")).status_code == 401


async def test_a_key_ends_when_its_time_is_over(web: Web, client: httpx.AsyncClient) -> None:
    until = web.clock() + timedelta(hours=1)
    wanted = {"name": "ci", "scopes": ["agents:read"], "expires_at": until.isoformat()}
    key = (await client.post("/v1/keys", json=wanted)).json()["key"]
    assert (await web.with_token(key).get("/v1/me")).status_code == 200
    web.clock.move(hours=1)
    assert (await web.with_token(key).get("/v1/me")).status_code == 401
    assert (await client.post("/v1/keys", json=wanted)).status_code == 422


async def test_the_last_use_of_a_key_is_shown(web: Web, client: httpx.AsyncClient) -> None:
    made = await web.key()
    assert (await client.get(f"/v1/keys/{made['id']}")).json()["last_used_at"] is None
    await web.with_token(made["key"]).get("/v1/me")
    assert (await client.get(f"/v1/keys/{made['id']}")).json()["last_used_at"] == "2026-03-01T09:30:00.000000Z"


async def test_nobody_gives_scopes_that_they_do_not_have(web: Web) -> None:
    client = await web.client(["admin"])
    refused = await client.post("/v1/keys", json={"name": "x", "scopes": ["all"]})
    assert refused.status_code == 403
    assert "agents:read" in refused.json()["detail"]


async def test_scopes_of_doors_are_understood(client: httpx.AsyncClient) -> None:
    made = (await client.post("/v1/keys", json={"name": "x", "scopes": ["voice:read", "agents:test"]})).json()
    assert made["scopes"] == ["agents:read", "tests:read", "tests:run"]


async def test_no_key_a_wrong_key_and_another_scheme_are_refused(web: Web) -> None:
    for headers in ({}, {"Authorization": "Bearer nope"}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer"}):
        answer = await web.visitor(**headers).get("/v1/agents")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_credential_is_kept_encrypted_and_handed_to_runs(web: Web, client: httpx.AsyncClient) -> None:
    made = await client.post("/v1/credentials", json={"name": "main", "api_key": "sk-s3cret"})
    assert made.json()["api_key"] == {"set": True}
    assert "sk-s3cret" not in made.text
    async with web.context.database.reading() as session:
        assert "sk-s3cret" not in str((await session.execute(text("SELECT * FROM credentials"))).all())
    found = await credentials.load(web.context, web.project_id)
    assert found["main"].api_key.get_secret_value() == "sk-s3cret"


async def test_a_credential_is_changed_field_by_field(web: Web, client: httpx.AsyncClient) -> None:
    wanted = {"name": "main", "api_key": "sk-1", "base_url": "https://example.com/v1"}
    url = "/v1/credentials/" + (await client.post("/v1/credentials", json=wanted)).json()["id"]
    assert (await client.post("/v1/credentials", json=wanted)).status_code == 409
    await client.patch(url, json={"api_key": "sk-2"})
    kept = (await credentials.load(web.context, web.project_id))["main"]
    assert (kept.api_key.get_secret_value(), kept.base_url) == ("sk-2", "https://example.com/v1")
    assert (await client.patch(url, json={"base_url": None})).json()["base_url"] is None
    assert (await client.delete(url)).status_code == 204
    assert await credentials.load(web.context, web.project_id) == {}


async def test_secrets_move_to_a_new_key_and_the_old_one_can_go(web: Web, client: httpx.AsyncClient) -> None:
    await client.post("/v1/credentials", json={"name": "main", "api_key": "sk-s3cret"})
    agent_id = (await client.post("/v1/agents", json=AGENT)).json()["id"]
    old = web.context.settings.secret_keys
    assert old is not None
    new = Fernet.generate_key().decode()
    both = Context(web.context.settings, web.context.database, Vault([new, old.get_secret_value()]))
    assert await credentials.reseal_all(both) == 1
    assert await reseal_agents(both) == 1
    alone = Context(web.context.settings, web.context.database, Vault([new]))
    assert (await credentials.load(alone, web.project_id))["main"].api_key.get_secret_value() == "sk-s3cret"
    for state in ("draft", "published"):
        loaded = await load(alone, web.operator, agent_id, state)
        assert loaded.agent.tool_webhook is not None


async def test_who_changed_what_is_recorded_without_secrets(client: httpx.AsyncClient) -> None:
    agent_id = (await client.post("/v1/agents", json=AGENT)).json()["id"]
    await client.patch(
        f"/v1/agents/{agent_id}/draft",
        json={"greeting": "Hi", "tool_webhook": {"secret": "whsec_new"}},
        headers={"X-Request-Id": "my-request"},
    )
    answer = await client.get(f"/v1/audit?subject_id={agent_id}")
    last = answer.json()["items"][0]
    assert (last["action"], last["actor"]["name"], last["request_id"]) == (
        "agent.draft_changed",
        "test key",
        "my-request",
    )
    assert last["details"] == {"fields": ["greeting", "tool_webhook"]}
    assert {each["action"] for each in answer.json()["items"]} == {
        "agent.created",
        "agent.published",
        "agent.draft_changed",
    }
    assert "whsec" not in answer.text
