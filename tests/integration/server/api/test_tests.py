"""Tests over the API."""

from __future__ import annotations

import httpx
import pytest
from tests.support.web_service import TEST, Web

from greenroom.server.problems import Invalid
from greenroom.server.tests import service


async def test_a_test_is_kept_and_told_whole(client: httpx.AsyncClient, agent: str) -> None:
    made = await client.post(f"{agent}/tests", json=TEST)
    assert made.status_code == 201
    shown = (await client.get(f"{agent}/tests/{made.json()['id']}")).json()
    assert shown == made.json()
    assert (shown["max_turns"], shown["version"], shown["policy"]) == (8, 1, "native")


async def test_an_answer_sent_back_changes_nothing_but_the_version(client: httpx.AsyncClient, test_url: str) -> None:
    before = (await client.get(test_url)).json()
    replaced = (await client.put(test_url, json=before)).json()
    stays = set(before) - {"version", "updated_at"}
    assert {name: replaced[name] for name in stays} == {name: before[name] for name in stays}
    assert replaced["version"] == 2


async def test_a_mock_that_fails_reads_back(client: httpx.AsyncClient, agent: str) -> None:
    mocks = [{"tool": "book_slot", "error": "closed"}, {"tool": "book_slot", "result": None}]
    made = await client.post(f"{agent}/tests", json={**TEST, "tool_mocks": mocks})
    assert made.json()["tool_mocks"] == mocks
    url = f"{agent}/tests/{made.json()['id']}"
    assert (await client.patch(url, json={"max_turns": 3})).json()["tool_mocks"] == mocks


async def test_a_test_is_changed_by_a_merge_patch(client: httpx.AsyncClient, test_url: str) -> None:
    changed = (await client.patch(test_url, json={"caller": {"facts": {"order": 5}}, "tags": None})).json()
    assert changed["caller"] == {"persona": "Ravi, a regular.", "facts": {"order": 5}}
    assert changed["tags"] == []


async def test_an_older_state_is_not_overwritten(client: httpx.AsyncClient, test_url: str) -> None:
    etag = (await client.get(test_url)).headers["etag"]
    assert (await client.patch(test_url, json={"max_turns": 3}, headers={"If-Match": etag})).status_code == 200
    for method, body in (("PATCH", {"max_turns": 4}), ("PUT", TEST), ("DELETE", None)):
        refused = await client.request(method, test_url, json=body, headers={"If-Match": etag})
        assert refused.status_code == 412
    assert (await client.get(test_url)).json()["max_turns"] == 3


async def test_tests_are_found_by_all_of_their_tags(client: httpx.AsyncClient, agent: str) -> None:
    for name, tags in (("A", ["x"]), ("B", ["x", "y"]), ("C", [])):
        await client.post(f"{agent}/tests", json={**TEST, "name": name, "tags": tags})

    async def names(query: str) -> list[str]:
        return sorted(each["name"] for each in (await client.get(f"{agent}/tests{query}")).json()["items"])

    assert await names("?tag=x") == ["A", "B"]
    assert await names("?tag=x&tag=y") == ["B"]
    assert await names("?tag=z") == []
    assert await names("") == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"checks": [{"type": "says", "txt": "x"}]}, "checks[0].txt"),
        ({"checks": [{"type": "sayz", "text": "x"}]}, "checks[0].type"),
        ({"checks": [{"type": "calls_tool", "tool": "nope"}]}, "checks[0].tool"),
        ({"checks": [{"type": "matches", "pattern": "("}]}, "checks[0].pattern"),
        ({"max_turns": 51}, "max_turns"),
        ({"max_turns": "5"}, "max_turns"),
        ({"caller": {}}, "caller"),
        ({"agent": "Somebody else"}, "agent"),
        ({"tags": ["x" * 101]}, "tags[0]"),
        ({"tool_results": {"nope": 1}}, "tool_results.nope"),
    ],
)
async def test_a_mistake_is_told_at_its_field(
    client: httpx.AsyncClient, agent: str, change: dict[str, object], field: str
) -> None:
    refused = await client.post(f"{agent}/tests", json=TEST | change)
    assert refused.status_code == 422
    assert field in [each["field"] for each in refused.json()["errors"]], refused.text


async def test_a_realtime_agent_is_not_tested(client: httpx.AsyncClient) -> None:
    made = await client.post("/v1/agents", json={"name": "A", "prompt": "B", "pipeline_mode": "realtime"})
    refused = await client.post(f"/v1/agents/{made.json()['id']}/tests", json=TEST)
    assert refused.status_code == 422
    assert "realtime" in refused.json()["detail"]


async def test_a_test_of_another_agent_is_not_found(client: httpx.AsyncClient, test_url: str) -> None:
    other = (await client.post("/v1/agents", json={"name": "Other", "prompt": "P"})).json()["id"]
    assert (await client.get(f"/v1/agents/{other}/tests/{test_url.rpartition('/')[2]}")).status_code == 404


async def test_tests_to_play_come_in_the_order_asked(web: Web, client: httpx.AsyncClient, agent: str) -> None:
    agent_id = agent.rpartition("/")[2]
    ids = [(await client.post(f"{agent}/tests", json=TEST | {"name": each})).json()["id"] for each in "AB"]
    found = await service.load(web.context, web.operator, agent_id, ids=[ids[1], ids[0], ids[1]])
    assert [each.test.name for each in found] == ["B", "A"]
    assert len(await service.load(web.context, web.operator, agent_id, tags=["booking"])) == 2
    with pytest.raises(Invalid, match="no test"):
        await service.load(web.context, web.operator, agent_id, ids=["tst_nope"])
