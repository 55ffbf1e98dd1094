"""What holds for every request: ids, sizes, problems, rates, requests sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import text
from tests.support.web_service import AGENT, Web, open_web

from greenroom.server.settings import Settings
from greenroom.server.tidying import tidy


async def test_a_request_keeps_the_id_it_came_with(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/agents", headers={"X-Request-Id": "abc-1"})
    assert answer.headers["x-request-id"] == "abc-1"
    made = (await client.get("/v1/agents", headers={"X-Request-Id": "not an id"})).headers["x-request-id"]
    assert made.startswith("req_")


async def test_a_problem_names_the_request(client: httpx.AsyncClient) -> None:
    answer = await client.get("/nowhere")
    assert answer.status_code == 404
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert (await client.request("PUT", "/v1/agents")).status_code == 405


async def test_a_body_over_the_limit_is_refused(client: httpx.AsyncClient) -> None:
    large = b'{"name": "' + b"x" * (2 * 1024 * 1024) + b'"}'

    async def in_chunks() -> AsyncGenerator[bytes]:
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]

    for path in ("/v1/agents", "/v1/keys"):
        for content in (large, in_chunks()):
            answer = await client.post(path, content=content, headers={"Content-Type": "application/json"})
            assert answer.status_code == 413, answer.text
            assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b"\xff\xfe",
        b'{"a":' * 100_000,
        b'{"a": [' + b"[" * 70,
    ],
)
async def test_a_body_that_is_no_json_object_is_told_so(client: httpx.AsyncClient, body: bytes) -> None:
    for path in ("/v1/agents", "/v1/keys"):
        answer = await client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"]


async def test_deep_nesting_is_refused(client: httpx.AsyncClient) -> None:
    deep = b'{"name": "A", "prompt": "B", "tools": [{"name": "t", "parameters": ' + b'{"a":' * 80 + b"1" + b"}" * 82
    answer = await client.post("/v1/agents", content=deep[:-1] + b"]}")
    assert answer.status_code == 422


async def test_odd_ids_and_cursors_are_never_looked_up(client: httpx.AsyncClient) -> None:
    for odd in ("%00", "agt_%00", "..%2F..", "agt_" + "z" * 500, "%F0%9F%99%82"):
        assert (await client.get(f"/v1/agents/{odd}")).status_code == 404
    for odd in ("%00", "!!!", "YQ", "%F0%9F%99%82"):
        answer = await client.get(f"/v1/agents?cursor={odd}")
        assert answer.status_code in (200, 422)
    assert (await client.get("/v1/agents?limit=0")).json()["errors"][0]["field"] == "limit"


async def test_a_bug_is_told_with_a_request_id_and_no_traceback(web: Web, client: httpx.AsyncClient) -> None:
    async def fail() -> None:
        raise RuntimeError("s3cret detail")

    web.app.add_api_route("/broken", fail)
    answer = await client.get("/broken")
    assert answer.status_code == 500
    assert "s3cret" not in answer.text
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


async def test_requests_over_the_rate_wait_for_the_next_minute(settings: Settings) -> None:
    async with open_web(settings.model_copy(update={"requests_per_minute": 3})) as web:
        client, other = await web.client(), await web.client(project_id=await web.other_project())
        codes = [(await client.get("/v1/me")).status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert (await client.get("/v1/me")).headers["retry-after"] == "60"
        assert (await other.get("/v1/me")).status_code == 200
        web.clock.move(seconds=60)
        assert (await client.get("/v1/me")).status_code == 200


async def test_exactly_as_many_requests_pass_as_the_rate_allows(settings: Settings) -> None:
    async with open_web(settings.model_copy(update={"requests_per_minute": 7})) as web:
        client = await web.client()
        answers = await asyncio.gather(*(client.get("/v1/me") for _ in range(20)))
        assert sorted(each.status_code for each in answers) == [200] * 7 + [429] * 13


async def test_a_project_may_have_a_rate_of_its_own(web: Web, client: httpx.AsyncClient) -> None:
    assert (await client.patch("/v1/project", json={"requests_per_minute": 2})).status_code == 200
    assert [(await client.get("/v1/me")).status_code for _ in range(3)] == [200, 200, 429]


async def test_a_request_sent_twice_is_carried_out_once(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "one"}
    first = await client.post("/v1/agents", json=AGENT, headers=headers)
    second = await client.post("/v1/agents", json=AGENT, headers=headers)
    assert (second.status_code, second.content) == (201, first.content)
    assert second.headers["etag"] == first.headers["etag"]
    assert second.headers["idempotency-replayed"] == "true"
    assert len((await client.get("/v1/agents")).json()["items"]) == 1


async def test_the_same_key_with_another_request_is_refused(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "one"}
    await client.post("/v1/agents", json=AGENT, headers=headers)
    assert (await client.post("/v1/agents", json={**AGENT, "name": "B"}, headers=headers)).status_code == 422
    assert (await client.post("/v1/agents?publish=false", json=AGENT, headers=headers)).status_code == 422


async def test_of_requests_at_once_with_one_key_one_is_carried_out(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "one"}
    answers = await asyncio.gather(*(client.post("/v1/agents", json=AGENT, headers=headers) for _ in range(8)))
    assert {each.status_code for each in answers} <= {201, 409}
    assert len({each.content for each in answers if each.status_code == 201}) == 1
    assert len((await client.get("/v1/agents")).json()["items"]) == 1


async def test_a_refused_request_may_be_mended_under_its_key(client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "one"}
    assert (await client.post("/v1/agents", json={}, headers=headers)).status_code == 422
    assert (await client.post("/v1/agents", json=AGENT, headers=headers)).status_code == 201


async def test_keys_of_others_and_of_yesterday_do_not_matter(web: Web, client: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "one"}
    first = (await client.post("/v1/agents", json=AGENT, headers=headers)).json()["id"]
    other = await web.client()
    assert (await other.post("/v1/agents", json=AGENT, headers=headers)).json()["id"] != first
    web.clock.move(hours=25)
    assert (await client.post("/v1/agents", json=AGENT, headers=headers)).json()["id"] != first
    web.clock.move(hours=25)
    await tidy(web.context)
    assert (await client.post("/v1/agents", json=AGENT, headers=headers)).status_code == 201


async def test_a_replayed_answer_is_not_readable_in_the_database(web: Web, client: httpx.AsyncClient) -> None:
    wanted = {"name": "ci", "scopes": ["tests:run"]}
    made = (await client.post("/v1/keys", json=wanted, headers={"Idempotency-Key": "k"})).json()
    async with web.context.database.reading() as session:
        assert made["key"] not in str((await session.execute(text("SELECT * FROM idempotency"))).all())
    again = await client.post("/v1/keys", json=wanted, headers={"Idempotency-Key": "k"})
    assert again.json()["key"] == made["key"]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb"])
async def test_an_odd_idempotency_key_is_refused(client: httpx.AsyncClient, key: str) -> None:
    assert (await client.post("/v1/agents", json=AGENT, headers={"Idempotency-Key": key})).status_code == 422


async def test_health_and_figures_are_there_for_whoever_watches(web: Web, client: httpx.AsyncClient) -> None:
    assert (await web.visitor().get("/livez")).json() == {"status": "ok"}
    assert (await web.visitor().get("/readyz")).json() == {"status": "ok"}
    await client.get("/v1/agents/agt_00000000000000000000000000")
    figures = (await web.visitor().get("/metrics")).text
    assert 'greenroom_http_requests_total{method="GET",route="/v1/agents/{agent_id}",status="404"} 1.0' in figures


async def test_figures_may_ask_for_a_token(settings: Settings) -> None:
    async with open_web(settings.model_copy(update={"metrics_token": SecretStr("watch")})) as web:
        assert (await web.visitor().get("/metrics")).status_code == 401
        assert (await web.with_token("watch").get("/metrics")).status_code == 200
