"""Agents over the API: drafts, versions, secrets, states."""

from __future__ import annotations

import json

import httpx
import pytest
from sqlalchemy import text
from tests.support.web_service import AGENT, Web

from greenroom.server.agents import service

HIDDEN = {"set": True}


async def test_a_new_agent_is_published_as_version_1(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/agents", json=AGENT)
    assert answer.status_code == 201
    assert (answer.json()["version"], answer.json()["published_version"], answer.json()["has_changes"]) == (1, 1, False)
    assert answer.headers["etag"] == '"1"'


async def test_an_agent_may_be_kept_as_a_draft_alone(client: httpx.AsyncClient) -> None:
    made = (await client.post("/v1/agents?publish=false", json=AGENT)).json()
    assert (made["version"], made["published_version"]) == (None, None)
    assert (await client.get(f"/v1/agents/{made['id']}")).json()["version"] is None


async def test_every_field_is_told_and_no_secret(client: httpx.AsyncClient, agent: str) -> None:
    shown = (await client.get(agent)).json()
    assert shown["tool_webhook"]["secret"] == HIDDEN
    assert shown["tools"][1]["http"]["headers"] == {"Authorization": HIDDEN}
    assert shown["mcp_servers"][0]["headers"] == {"X-Key": HIDDEN}
    assert shown["voice_rules"] is True


async def test_no_secret_stands_in_the_database(web: Web, client: httpx.AsyncClient, agent: str) -> None:
    async with web.context.database.reading() as session:
        for table, column in (("agents", "draft"), ("agent_versions", "content")):
            stored = str(await session.scalar(text(f"SELECT {column} FROM {table}")))
            assert "s3cret" not in stored


async def test_the_draft_is_changed_without_touching_the_version(client: httpx.AsyncClient, agent: str) -> None:
    changed = await client.patch(f"{agent}/draft", json={"greeting": "Hello"})
    assert changed.status_code == 200
    assert changed.json()["has_changes"] is True
    assert (await client.get(agent)).json()["greeting"] is None
    assert (await client.get(f"{agent}/draft")).json()["greeting"] == "Hello"


async def test_publishing_makes_the_next_version_and_the_old_one_stays(client: httpx.AsyncClient, agent: str) -> None:
    await client.patch(f"{agent}/draft", json={"greeting": "Hello"})
    published = await client.post(f"{agent}/publish", json={"note": "Greets"})
    assert published.json()["version"] == 2
    assert (await client.get(f"{agent}/versions/1")).json()["greeting"] is None
    assert (await client.get(f"{agent}?version=2")).json()["greeting"] == "Hello"
    listed = (await client.get(f"{agent}/versions")).json()["items"]
    assert [(each["version"], each["note"], each["author"]) for each in listed] == [
        (2, "Greets", "test key"),
        (1, None, "test key"),
    ]


async def test_publishing_without_a_change_makes_no_version(client: httpx.AsyncClient, agent: str) -> None:
    assert (await client.post(f"{agent}/publish")).json()["version"] == 1
    assert len((await client.get(f"{agent}/versions")).json()["items"]) == 1


async def test_changing_an_agent_publishes_the_change(client: httpx.AsyncClient, agent: str) -> None:
    changed = await client.patch(agent, json={"greeting": "Hello"})
    assert (changed.json()["version"], changed.json()["greeting"]) == (2, "Hello")


async def test_changing_an_agent_never_publishes_a_draft_unseen(client: httpx.AsyncClient, agent: str) -> None:
    await client.patch(f"{agent}/draft", json={"prompt": "Half done"})
    refused = await client.patch(agent, json={"greeting": "Hello"})
    assert refused.status_code == 409
    discarded = await client.delete(f"{agent}/draft")
    assert discarded.json()["prompt"] == AGENT["prompt"]
    assert discarded.json()["has_changes"] is False
    assert (await client.patch(agent, json={"greeting": "Hello"})).status_code == 200


async def test_null_takes_a_field_back_to_its_default(client: httpx.AsyncClient, agent: str) -> None:
    changed = (await client.patch(f"{agent}/draft", json={"tool_webhook": None, "can_end_call": None})).json()
    assert (changed["tool_webhook"], changed["can_end_call"]) == (None, False)


async def test_a_secret_that_is_sent_back_hidden_stays(web: Web, client: httpx.AsyncClient, agent: str) -> None:
    shown = (await client.get(f"{agent}/draft")).json()
    shown["tools"].reverse()
    assert (await client.patch(f"{agent}/draft", json=shown)).status_code == 200
    loaded = await service.load(web.context, web.operator, agent.rpartition("/")[2], "draft")
    assert loaded.agent.tools[0].http is not None
    assert loaded.agent.tools[0].http.headers["Authorization"].get_secret_value() == "tool-s3cret"
    assert loaded.agent.tool_webhook is not None
    assert loaded.agent.tool_webhook.secret is not None
    assert loaded.agent.tool_webhook.secret.get_secret_value() == "whsec_hook-s3cret"


async def test_a_hidden_secret_that_was_never_set_is_a_mistake(client: httpx.AsyncClient) -> None:
    wanted = {"name": "A", "prompt": "B", "tool_webhook": {"url": "https://example.com", "secret": HIDDEN}}
    refused = await client.post("/v1/agents", json=wanted)
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"field": "tool_webhook.secret", "message": "`secret` was never set: write its value"}
    ]


async def test_an_older_state_is_not_overwritten(client: httpx.AsyncClient, agent: str) -> None:
    first = await client.patch(f"{agent}/draft", json={"greeting": "One"}, headers={"If-Match": '"1"'})
    assert first.status_code == 200
    second = await client.patch(f"{agent}/draft", json={"greeting": "Two"}, headers={"If-Match": '"1"'})
    assert second.status_code == 412
    assert (await client.get(f"{agent}/draft")).json()["greeting"] == "One"
    for method, url in (("POST", f"{agent}/publish"), ("DELETE", agent), ("DELETE", f"{agent}/draft")):
        assert (await client.request(method, url, headers={"If-Match": '"1"'})).status_code == 412


async def test_the_difference_shows_each_field_and_hides_secrets(client: httpx.AsyncClient, agent: str) -> None:
    change = {"prompt": "One\nTwo", "tool_webhook": {"secret": "whsec_other"}, "greeting": "Hi"}
    await client.patch(f"{agent}/draft", json=change)
    answer = await client.get(f"{agent}/diff")
    found = {each["field"]: each for each in answer.json()["changes"]}
    assert set(found) == {"prompt", "tool_webhook.secret", "greeting"}
    assert (found["tool_webhook.secret"]["before"], found["tool_webhook.secret"]["after"]) == (HIDDEN, HIDDEN)
    assert "+Two" in found["prompt"]["diff"]
    assert "whsec_other" not in answer.text


async def test_the_difference_finds_tools_by_their_names(client: httpx.AsyncClient, agent: str) -> None:
    tools = [{**AGENT["tools"][0], "description": "Books"}, AGENT["tools"][1]]
    await client.patch(f"{agent}/draft", json={"tools": tools})
    found = (await client.get(f"{agent}/diff?from=1&to=draft")).json()["changes"]
    assert [(each["field"], each["before"], each["after"]) for each in found] == [
        ("tools.book_slot.description", "Book a visit", "Books")
    ]


async def test_another_order_of_tools_is_a_difference(client: httpx.AsyncClient, agent: str) -> None:
    await client.patch(f"{agent}/draft", json={"tools": AGENT["tools"][::-1]})
    assert [each["field"] for each in (await client.get(f"{agent}/diff")).json()["changes"]] == ["tools"]


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"promt": "x"}, "promt", "did you mean `prompt`?"),
        ({"prompt": ""}, None, "needs a `prompt`"),
        ({"llm": {"model": "gpt"}}, "llm.model", "provider:name"),
        ({"tools": {}}, "tools", "is a list"),
        ({"tools": [{"name": "a b"}]}, "tools[0].name", "cannot be a name"),
        ({"prompt": "a\x00b"}, "prompt", "NUL"),
        ({"variables": {"my name": "\x00"}}, 'variables["my name"]', "NUL"),
        ({"mcp_servers": [{"name": "x", "command": "rm"}]}, "mcp_servers[0].command", "starts no programs"),
        ({"remote": {"type": "python", "target": "os:system"}}, "remote.type", "runs no Python"),
    ],
)
async def test_a_mistake_is_told_at_its_field(
    client: httpx.AsyncClient, change: dict[str, object], field: str | None, words: str
) -> None:
    refused = await client.post("/v1/agents", json=AGENT | change)
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert any(each["field"] == field and words in each["message"] for each in refused.json()["errors"]), refused.text


async def test_the_list_comes_in_pages_without_gaps(client: httpx.AsyncClient) -> None:
    made = [(await client.post("/v1/agents", json=AGENT)).json()["id"] for _ in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = (await client.get("/v1/agents", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [each["id"] for each in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(made)
    assert seen == sorted(seen, reverse=True)


async def test_versions_come_in_pages(client: httpx.AsyncClient, agent: str) -> None:
    for number in range(3):
        await client.patch(agent, json={"greeting": str(number)})
    first = (await client.get(f"{agent}/versions?limit=3")).json()
    second = (await client.get(f"{agent}/versions", params={"limit": 3, "cursor": first["next_cursor"]})).json()
    assert [each["version"] for each in first["items"] + second["items"]] == [4, 3, 2, 1]
    assert second["next_cursor"] is None


async def test_a_deleted_agent_is_gone_with_its_tests(client: httpx.AsyncClient, agent: str, test_url: str) -> None:
    assert (await client.delete(agent)).status_code == 204
    assert (await client.get(agent)).status_code == 404
    assert (await client.get(test_url)).status_code == 404


async def test_knowledge_is_kept_document_by_document(client: httpx.AsyncClient, agent: str) -> None:
    added = await client.post(f"{agent}/knowledge", json={"name": "Hours", "text": "8 to 17"})
    assert added.status_code == 201
    url = f"{agent}/knowledge/{added.json()['id']}"
    assert (await client.put(url, json={"text": "8 to 18"})).json()["characters"] == 7
    assert (await client.get(url)).json()["text"] == "8 to 18"
    assert (await client.get(f"{agent}/draft")).json()["knowledge"]["documents"] == [
        {"name": "Hours", "text": "8 to 18"}
    ]
    assert (await client.post(f"{agent}/knowledge", json={"name": "Hours", "text": "x"})).status_code == 409
    assert (await client.delete(url)).status_code == 204
    assert (await client.get(f"{agent}/knowledge")).json()["items"] == []


async def test_hand_offs_find_agents_of_the_project_by_id_and_name(web: Web, client: httpx.AsyncClient) -> None:
    far = (await client.post("/v1/agents", json={"name": "Billing", "prompt": "Bills."})).json()["id"]
    near = {"name": "Desk", "prompt": "Desk.", "can_hand_off": ["billing", "nobody"]}
    made = (await client.post("/v1/agents", json=near)).json()["id"]
    loaded = await service.load(web.context, web.operator, made, "published")
    assert list(await service.load_others(web.context, web.operator, loaded.agent)) == [far]


async def test_an_agent_reads_back_as_it_was_written(client: httpx.AsyncClient) -> None:
    odd = {"name": "Ünï 漢字 🙂", "prompt": 'नमस्ते\u200d {"json": {}}', "variables": {"a b": "‮rtl"}}
    made = (await client.post("/v1/agents", content=json.dumps(odd).encode())).json()
    shown = (await client.get(f"/v1/agents/{made['id']}")).json()
    assert {name: shown[name] for name in odd} == odd
