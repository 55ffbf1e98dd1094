"""Labels of judged checks, what they come to, and what a project used by day."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.support.full_service import FullService, make_agent, open_full
from tests.support.service import BOOKING, VISIT

from greenroom.server.settings import Settings

QUESTION = "Was it polite?"


@pytest.fixture
async def service(settings: Settings) -> AsyncGenerator[FullService]:
    async with open_full(settings) as opened:
        yield opened


async def run_ids(service: FullService, client: Any, repeat: int) -> list[str]:
    agent = await make_agent(client, BOOKING, VISIT)
    started = (await client.post(f"/v1/agents/{agent}/runs", json={"repeat": repeat, "wait": 60})).json()
    assert [run["status"] for run in started["runs"]] == ["passed"] * repeat
    return [run["id"] for run in started["runs"]]


async def test_labels_come_to_an_agreement_and_the_last_word_counts(service: FullService) -> None:
    client = await service.client()
    first, second = await run_ids(service, client, 2)
    assert (await client.get("/v1/agreement")).json() == {"items": [], "overall": None}
    for run_id, right in ((first, False), (first, True), (second, False)):
        made = await client.post(f"/v1/runs/{run_id}/labels", json={"check": 1, "right": right, "note": "heard it"})
        assert made.status_code == 201, made.text
        assert (made.json()["question"], made.json()["judge"]) == (QUESTION, True)
    listed = (await client.get(f"/v1/runs/{first}/labels")).json()["items"]
    assert [(each["check"], each["right"]) for each in listed] == [(1, True)]
    (found,) = (await client.get("/v1/agreement")).json()["items"]
    assert (found["question"], found["labels"], found["accuracy"], found["too_lenient"]) == (QUESTION, 2, 0.5, 1)


async def test_only_what_a_judge_decided_can_be_labelled(service: FullService) -> None:
    client = await service.client()
    (run_id,) = await run_ids(service, client, 1)
    for check in (0, 7):
        refused = await client.post(f"/v1/runs/{run_id}/labels", json={"check": check, "right": True})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["field"] == "check"


async def test_labels_of_another_project_do_not_count(service: FullService) -> None:
    client = await service.client()
    (run_id,) = await run_ids(service, client, 1)
    await client.post(f"/v1/runs/{run_id}/labels", json={"check": 1, "right": True})
    other = await service.client(project_id=await service.other_project())
    assert (await other.get("/v1/agreement")).json()["overall"] is None
    assert (await other.get(f"/v1/runs/{run_id}/labels")).status_code == 404
    assert (await other.post(f"/v1/runs/{run_id}/labels", json={"check": 1, "right": True})).status_code == 404


async def test_usage_is_counted_by_day(service: FullService) -> None:
    client = await service.client()
    await run_ids(service, client, 3)
    used = (await client.get("/v1/usage")).json()
    assert len(used["items"]) == 30
    assert (used["total"]["runs"], used["total"]["passed"]) == (3, 3)
    assert used["items"][-1]["day"] == service.context.now().date().isoformat()
    assert used["items"][-1]["passed"] == 3
    other = await service.client(project_id=await service.other_project())
    assert (await other.get("/v1/usage")).json()["total"]["runs"] == 0


@pytest.mark.parametrize("days", ["from=2026-03-02&to=2026-03-01", "from=2020-01-01&to=2026-01-01", "from=yesterday"])
async def test_days_that_cannot_be_told_are_refused(service: FullService, days: str) -> None:
    assert (await (await service.client()).get(f"/v1/usage?{days}")).status_code == 422
