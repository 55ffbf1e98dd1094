"""The door `evasay` where its credits have no price: what is told, and what is paid all the same."""

from __future__ import annotations

import pytest
from tests.support.door_service import DoorService
from tests.support.evasay_door import AGENT, BREAKS, NEXT_REPLY, TOOL_CALL, VOICE, purse, refusal

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_where_credits_have_no_price_they_are_only_shown(service: DoorService) -> None:
    async with purse(service, 0) as own:
        [passed] = await own.clients.played(AGENT, TOOL_CALL)
        [broken] = await own.clients.played(BREAKS, NEXT_REPLY)
        assert [run["credits"] for run in (passed, broken)] == [1, 0]
        drafted = await own.clients.door.post(f"{VOICE}/agents/{passed['agent_id']}/tests/generate", json={})
        assert drafted.json()["credits"] == 1
        assert await own.standing() == (0, 0)
        assert await own.charges() == []


async def test_an_account_of_the_operator_s_is_not_to_be_had_for_nothing(service: DoorService) -> None:
    agent = {**AGENT, "llm": {**AGENT["llm"], "credential": "house"}}
    async with purse(service, 0) as own:
        agent_id = await own.clients.agent(agent)
        await own.clients.test(agent_id, TOOL_CALL)
        poor = await own.clients.door.post(f"{VOICE}/agents/{agent_id}/test-runs", json={})
        assert "not enough credits" in refusal(poor, 402, "insufficient_credits")
    async with purse(service, 10_000_000) as own:
        [run] = await own.clients.played(agent, TOOL_CALL)
        [charged] = await own.charges()
        assert (run["status"], run["credits"]) == ("passed", 1)
        assert charged < 0
        assert await own.standing() == (10_000_000 + charged, 0)
