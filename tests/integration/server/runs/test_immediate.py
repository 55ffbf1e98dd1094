"""One reply played at once: held, charged and counted like a run under the policy that it is asked for, and recorded
nowhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

import pytest
from tests.support.model_server import Answer, Broken, ModelServer, Status, Tokens
from tests.support.web_service import Web, open_web
from tests.support.zavu_door import PRICE, Guest, agent_on, guest_of

from greenroom.model.case import HistoryLine
from greenroom.server.credits import service as credits
from greenroom.server.credits.service import CannotPay, OverBudget
from greenroom.server.credits.store import Wanted
from greenroom.server.database.ids import make_id
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import TooMany
from greenroom.server.runs.immediate import Replied, ReplyAsked, reply_at_once
from greenroom.server.runs.requesting import Desk
from greenroom.server.security.who import operator
from greenroom.server.settings import Settings
from greenroom.server.tidying import tidy

ASKED = ReplyAsked([HistoryLine(role="caller", text="Where is my order?")])
EACH = 120
PART = Policy(name="part", pays_in_part=True)
WHOLE = Policy(name="whole")


@dataclass(frozen=True)
class Room:
    """The runs of one project, without HTTP, and a model server that its agent asks on the operator's account."""

    guest: Guest
    model: ModelServer
    agent_id: str

    async def reply(self, policy: Policy, asked: ReplyAsked = ASKED) -> Replied:
        state = self.guest.web.app.state
        desk = Desk(state.context, state.queue, state.policies)
        return await reply_at_once(desk, state.reach, operator(self.guest.project_id), self.agent_id, asked, policy)

    async def spent(self, added: int) -> int:
        """What is gone of the credits; nothing is held any more, and the ledger agrees."""
        standing = await self.guest.credits()
        assert (standing.held, standing.month_expected) == (0, 0)
        assert await self.guest.is_balanced()
        return added - standing.balance


@pytest.fixture
async def model() -> AsyncGenerator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
async def web(settings: Settings, model: ModelServer) -> AsyncGenerator[Web]:
    more: dict[str, Any] = {
        "requests_per_minute": 0,
        "platform_credentials": json.dumps({"house": {"api_key": "k", "base_url": model.openai_url}}),
        "platform_prices": json.dumps(PRICE),
    }
    async with open_web(Settings.model_validate({**settings.model_dump(), **more}), with_runs=True) as opened:
        yield opened


@pytest.fixture
async def room(web: Web, model: ModelServer) -> Room:
    guest = await guest_of(web)
    return Room(guest, model, await guest.agent(agent_on(model.openai_url, credential="house")))


async def test_a_reply_is_charged_and_counted_and_is_in_no_list_of_runs(room: Room) -> None:
    await room.guest.add_credits(1_000_000)
    replied = await room.reply(PART)
    assert replied.text == "Hello from the model server."
    assert replied.run.status == "passed"
    assert replied.charged == EACH
    assert await room.spent(1_000_000) == EACH
    total = (await room.guest.native.get("/v1/usage")).json()["total"]
    assert (total["replies"], total["runs"], total["charged"]) == (1, 0, EACH / 1_000_000)
    assert (await room.guest.native.get("/v1/runs")).json()["items"] == []


async def test_a_policy_that_pays_in_part_takes_what_there_is_and_refuses_the_next(room: Room) -> None:
    await room.guest.add_credits(50)
    assert (await room.reply(PART)).charged == 50
    assert await room.spent(50) == 50
    with pytest.raises(CannotPay):
        await room.reply(PART)


async def test_a_policy_that_pays_whole_refuses_what_the_credits_do_not_cover_and_takes_no_more_than_it_holds(
    room: Room,
) -> None:
    await room.guest.add_credits(50)
    with pytest.raises(CannotPay):
        await room.reply(WHOLE)
    await room.guest.add_credits(99_950)
    room.model.queue(Answer(text="Long.", usage=Tokens(input=90_000, output=0)))
    assert (await room.reply(WHOLE)).charged == room.guest.web.context.settings.run_hold == 50_000
    assert await room.spent(100_000) == 50_000


async def test_a_policy_that_charges_by_the_run_takes_its_price_and_gives_it_back_on_error(room: Room) -> None:
    await room.guest.add_credits(1_000)
    by_the_run = Policy(name="run", charge="run", run_price=300, refund_on_error=True)
    assert (await room.reply(by_the_run)).charged == 300
    room.model.queue(Status(400))
    failed = await room.reply(by_the_run)
    assert (failed.run.status, failed.charged) == ("error", 0)
    assert await room.spent(1_000) == 300


async def test_a_bound_of_the_project_s_own_is_told_apart_from_credits_that_are_gone(room: Room) -> None:
    await room.guest.add_credits(1_000_000)
    await room.guest.native.put("/v1/credits/bounds", json={"monthly_budget": 100})
    with pytest.raises(OverBudget):
        await room.reply(PART)


async def test_replies_a_minute_are_bounded_by_the_policy(room: Room) -> None:
    await room.guest.add_credits(1_000_000)
    rated = PART.model_copy(update={"replies_per_minute": 1})
    await room.reply(rated)
    with pytest.raises(TooMany):
        await room.reply(rated)
    assert (await room.reply(PART)).charged == EACH


async def test_exactly_so_many_play_at_once_however_many_are_asked_for_at_once(room: Room) -> None:
    await room.guest.add_credits(1_000_000)
    three = PART.model_copy(update={"running": 3})
    room.model.queue(*[Broken("hang")] * 3)
    asked = [asyncio.create_task(room.reply(three)) for _ in range(8)]
    await room.model.arrived(3)
    refused, playing = await asyncio.wait(asked, timeout=30, return_when=asyncio.FIRST_EXCEPTION)
    while len(refused) < 5:
        more, playing = await asyncio.wait(playing, timeout=30, return_when=asyncio.FIRST_COMPLETED)
        refused |= more
    room.model.release()
    answers = [await each for each in playing]
    assert [type(each.exception()) for each in refused] == [TooMany] * 5
    assert [answer.charged for answer in answers] == [EACH] * 3
    assert await room.spent(1_000_000) == 3 * EACH


async def test_many_at_once_never_overdraw(room: Room) -> None:
    await room.guest.add_credits(500)
    answers = await asyncio.gather(*(room.reply(PART) for _ in range(12)), return_exceptions=True)
    charged = [each.charged for each in answers if isinstance(each, Replied)]
    assert all(isinstance(each, Replied | CannotPay) for each in answers)
    assert charged
    assert await room.spent(500) == sum(charged) <= 500


async def hold(room: Room, ago_seconds: float, noise: int) -> None:
    """What a reply held whose process died so many seconds ago."""
    context = room.guest.web.context
    moment = context.now().timestamp() - ago_seconds
    held = Wanted(make_id("rpl", int(moment * 1000), bytes([noise] * 10)), 100, 100)
    async with context.database.writing() as session:
        await credits.hold_in_part(session, room.guest.project_id, held, context.now())


async def test_what_a_reply_held_whose_process_died_is_let_go_of_after_an_hour(room: Room) -> None:
    await room.guest.add_credits(1_000)
    await hold(room, 3590, 1)
    await tidy(room.guest.web.context)
    assert (await room.guest.credits()).held == 100
    room.guest.web.clock.move(seconds=20)
    await tidy(room.guest.web.context)
    assert await room.spent(1_000) == 0


async def test_replies_whose_process_died_take_no_place_once_their_time_is_over(room: Room) -> None:
    await room.guest.add_credits(1_000_000)
    one = PART.model_copy(update={"running": 1})
    await hold(room, one.limits.chat_seconds + 59, 1)
    with pytest.raises(TooMany):
        await room.reply(one)
    room.guest.web.clock.move(seconds=2)
    assert (await room.reply(one)).charged == EACH
