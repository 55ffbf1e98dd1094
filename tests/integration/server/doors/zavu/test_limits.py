"""The limits of the page: 64 KB of words, and so many test runs of a project."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from tests.support.model_server import Broken, ModelServer
from tests.support.web_service import Web, open_web
from tests.support.zavu_door import MESSAGE, Guest, agent_on, agent_with, guest_of, settings_in

from greenroom.server.doors.zavu.policy import AT_ONCE

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOST = 65_536


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"message": "x" * MOST}, ["message"]),
        ({"message": "€" * (MOST // 3) + "x"}, ["message"]),
        ({"message": "x" * 1000, "history": [{"role": "user", "content": "y" * (MOST - 1000)}]}, ["history"]),
        (
            {
                "message": "x",
                "history": [{"role": "user", "content": "👩" * 4000}, {"role": "assistant", "content": "y" * 49_535}],
            },
            ["history"],
        ),
    ],
    ids=["message", "message in other scripts", "history", "history of several"],
)
async def test_64_kb_of_message_and_history_are_taken_and_one_byte_more_is_not(
    guest: Guest, body: dict[str, Any], path: list[str]
) -> None:
    size = len(body["message"].encode()) + sum(len(turn["content"].encode()) for turn in body.get("history", []))
    assert size == MOST
    agent = await guest.agent()
    assert (await guest.ask(agent, body)).status_code == 200
    over = {**body, "message": body["message"] + "x"}
    answer = await guest.ask(agent, over)
    assert answer.status_code == 400
    told = answer.json()
    assert told["code"] == "invalid_request"
    assert "65,537 bytes" in told["message"]
    assert "65,536" in told["message"]
    assert [(error["path"], error["code"]) for error in told["details"]["errors"]] == [(path, "too_big")]


@pytest.mark.parametrize("with_length", [True, False])
async def test_a_body_that_no_request_needs_is_told_in_the_words_of_this_door(guest: Guest, with_length: bool) -> None:
    large = b'{"message": "' + b"x" * (2 * 1024 * 1024) + b'"}'

    async def in_chunks() -> AsyncGenerator[bytes]:
        yield large

    agent = await guest.agent()
    headers = {"Content-Type": "application/json"}
    content = large if with_length else in_chunks()
    answer = await guest.door.post(f"/v2/agents/{agent}/test", content=content, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid_request"
    assert [(each["path"], each["code"]) for each in answer.json()["details"]["errors"]] == [([], "too_big")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def rated(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Web]:
    """A service that allows a project two test runs a minute."""
    settings = settings_in(tmp_path_factory.mktemp("rated"), zavu_runs_per_minute=2)
    async with open_web(settings, with_runs=True) as web:
        yield web


async def test_over_the_rate_a_project_is_told_how_many_seconds_to_wait(rated: Web) -> None:
    rated.clock.move(seconds=13)
    guest, other = await guest_of(rated), await guest_of(rated)
    agent = await guest.agent()
    assert [(await guest.ask(agent)).status_code for _ in range(2)] == [200, 200]
    refused = await guest.ask(agent)
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "47"
    assert refused.json()["code"] == "rate_limit_exceeded"
    assert "wait 47 seconds" in refused.json()["message"]
    assert "test replies" in refused.json()["message"]
    assert (await other.ask(await other.agent())).status_code == 200
    rated.clock.move(seconds=47)
    assert (await guest.ask(agent)).status_code == 200


async def test_requests_that_play_nothing_do_not_count_against_the_rate(rated: Web) -> None:
    guest = await guest_of(rated)
    agent = await guest.agent()
    for _ in range(3):
        assert (await guest.ask(agent, {"message": ""})).status_code == 400
        assert (await guest.ask("agt_00000000000000000000000000")).status_code == 404
    assert (await guest.ask(agent)).status_code == 200


async def test_the_project_s_requests_a_minute_hold_here_too(guest: Guest) -> None:
    agent = await guest.agent()
    assert (await guest.native.patch("/v1/project", json={"requests_per_minute": 2})).status_code == 200
    answers = [await guest.ask(agent) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    seconds = answers[-1].headers["retry-after"]
    assert f"wait {seconds} seconds" in answers[-1].json()["message"]
    assert answers[-1].json()["code"] == "rate_limit_exceeded"


async def test_so_many_runs_of_a_project_play_at_once_and_one_more_is_told_to_wait(
    guest: Guest, zavu: Web, model: ModelServer
) -> None:
    agent = await guest.agent(agent_on(model.openai_url))
    model.queue(*[Broken("hang")] * AT_ONCE)
    playing = [asyncio.create_task(guest.ask(agent)) for _ in range(AT_ONCE)]
    await model.arrived(AT_ONCE)
    refused = await guest.ask(agent)
    other = await guest_of(zavu)
    assert (await other.answer(agent_with()))["success"] is True
    model.release()
    assert [answer.status_code for answer in await asyncio.gather(*playing)] == [200] * AT_ONCE
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "5"
    assert "wait 5 seconds" in refused.json()["message"]
    assert (await guest.ask(agent, MESSAGE)).status_code == 200
    assert (await guest.credits()).month_expected == 0


async def test_a_reply_that_takes_too_long_is_an_error_that_says_so(
    guest: Guest, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    policies = guest.web.app.state.policies
    policy = policies.find("zavu")
    hasty = policy.model_copy(update={"limits": policy.limits.model_copy(update={"chat_seconds": 0.05})})
    monkeypatch.setattr(policies, "find", lambda _: hasty)
    model.queue(Broken("hang"))
    body = await guest.answer(agent_on(model.openai_url))
    model.release()
    assert (body["success"], body["text"]) == (False, None)
    assert "0.05 seconds" in body["error"]
