"""What may wait or run at once, and what may be spent, holds exactly, however many ask at the same moment."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import SecretStr
from tests.support.service import BOOKING, Service, open_service

from greenroom.model.base import Json
from greenroom.server.credits.service import CannotPay
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Conflict, Invalid
from greenroom.server.runs import service as runs
from greenroom.server.runs import store
from greenroom.server.runs.starting import Owner, Started
from greenroom.server.settings import Settings

SMALL = Policy(name="small", active_per_project=5, active_per_developer=7, runs_per_request=4)


async def ask(
    service: Service, times: int, policy: Policy = SMALL, owner: Owner | None = None
) -> list[Started | Exception]:
    """Start a run so many times at the same moment."""
    starts = [service.start(service.part(policy=policy), owner=owner) for _ in range(times)]
    return await asyncio.gather(*starts, return_exceptions=True)  # pyright: ignore[reportReturnType]


async def test_exactly_as_many_runs_as_may_wait_are_taken(settings: Settings) -> None:
    async with open_service(settings, SMALL) as service:
        answers = await ask(service, 12)
        taken = [each for each in answers if isinstance(each, Started)]
        assert len(taken) == 5
        assert all(isinstance(each, Conflict) for each in answers if not isinstance(each, Started))
        async with service.context.database.reading() as session:
            counted = await store.count_active(session, f"project:{service.owner.project_id}")
            assert counted == await store.count_unfinished(session, service.owner.project_id) == 5


async def test_a_developer_s_projects_share_one_limit(settings: Settings) -> None:
    async with open_service(settings, SMALL) as service:
        other = await service.add_project(service.owner.developer_id)
        first, second = await asyncio.gather(ask(service, 6), ask(service, 6, owner=other))
        assert sum(isinstance(each, Started) for each in (*first, *second)) == 7


async def test_a_stopped_run_makes_room_for_another_one(settings: Settings) -> None:
    async with open_service(settings, SMALL) as service:
        taken = [each for each in await ask(service, 6) if isinstance(each, Started)]
        stopped = await runs.cancel(service.context, service.queue, service.owner.project_id, taken[0].runs[0].id)
        assert (stopped["status"], stopped["ended_by"]) == ("cancelled", "stopped")
        answers = await ask(service, 3)
        assert sum(isinstance(each, Started) for each in answers) == 1


async def test_more_runs_than_one_request_may_start_are_refused_whole(settings: Settings) -> None:
    async with open_service(settings, SMALL) as service:
        with pytest.raises(Invalid, match="at most 4"):
            await service.start(service.part(policy=SMALL, repeat=5))
        async with service.context.database.reading() as session:
            assert await store.count_unfinished(session, service.owner.project_id) == 0


def platform(settings: Settings) -> Settings:
    credentials = SecretStr(json.dumps({"house": {"api_key": "sk-house"}}))
    return settings.model_copy(update={"platform_credentials": credentials, "run_hold": 1000})


PAID: dict[str, Json] = {**BOOKING, "llm": {"model": "openai:gpt-4.1-mini", "credential": "house"}}


async def test_credits_are_never_overdrawn_by_runs_that_start_at_once(settings: Settings) -> None:
    async with open_service(platform(settings)) as service:
        await service.add_credits(4500)
        starts = [service.start(service.part(PAID)) for _ in range(10)]
        answers = await asyncio.gather(*starts, return_exceptions=True)
        assert sum(isinstance(each, Started) for each in answers) == 4
        assert sum(isinstance(each, CannotPay) for each in answers) == 6
        standing = await service.credits()
        assert (standing.balance, standing.held, standing.available) == (4500, 4000, 500)
        assert await service.balanced()


async def test_what_was_held_for_a_stopped_run_is_there_again(settings: Settings) -> None:
    async with open_service(platform(settings)) as service:
        await service.add_credits(1000)
        started = await service.start(service.part(PAID))
        with pytest.raises(CannotPay):
            await service.start(service.part(PAID))
        await runs.cancel(service.context, service.queue, service.owner.project_id, started.runs[0].id)
        assert (await service.credits()).available == 1000
        assert await service.balanced()


async def test_a_refused_request_leaves_nothing_behind(settings: Settings) -> None:
    async with open_service(platform(settings)) as service:
        with pytest.raises(CannotPay):
            await service.start(service.part(PAID))
        async with service.context.database.reading() as session:
            assert await store.count_active(session, f"project:{service.owner.project_id}") == 0
            assert await store.count_unfinished(session, service.owner.project_id) == 0


async def test_a_month_s_budget_holds_for_own_credentials_too(settings: Settings) -> None:
    async with open_service(settings.model_copy(update={"run_hold": 1000})) as service:
        from greenroom.server.credits import service as credits

        async with service.context.database.writing() as session:
            await credits.set_bounds(session, service.owner.project_id, monthly_budget=2500, batch_cap=None)
        answers = await asyncio.gather(*(service.start() for _ in range(5)), return_exceptions=True)
        assert sum(isinstance(each, Started) for each in answers) == 2


async def test_the_tenants_of_a_policy_are_its_projects_or_its_developers() -> None:
    by_developer = replace_policy(running_per="developer")
    assert SMALL.tenant("prj", "dev") == "prj"
    assert by_developer.tenant("prj", "dev") == "dev"


def replace_policy(**changes: object) -> Policy:
    return SMALL.model_copy(update=changes)
