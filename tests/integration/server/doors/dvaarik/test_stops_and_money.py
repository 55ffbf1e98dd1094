"""Runs that are stopped while they play, whose time is up or that wait for others; and what they cost: nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from tests.support.door_service import DoorService, open_door_service
from tests.support.dvaarik_door import KEY, SCRIPT, TEST, Clients, sentence, settings_in
from tests.support.model_server import Heard, ModelServer, Reply
from tests.support.model_server_director import Director, role_of

from greenroom.model.llm import ScriptRule
from greenroom.server.doors.dvaarik.policy import POLICY
from greenroom.server.policies.service import Policies

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLOW: dict[str, Any] = {
    "name": "Slow",
    "prompt": "You book visits.",
    "greeting": "Hello.",
    "can_end_call": True,
    "tools": [{"name": "book_slot"}],
}
QUICK: dict[str, Any] = {"name": "Quick", "caller_persona": "Ravi", "opening_line": "Hello.", "max_turns": 3}
JUDGE = {"type": "judge", "question": "Was it polite?"}
SAYS = {"type": "says", "text": "Hello"}


@dataclass
class Gate:
    """A model that lets each request in, and answers it when it is let out."""

    server: ModelServer
    open: asyncio.Event = field(default_factory=asyncio.Event)
    seen: list[str] = field(default_factory=list[str])
    holds: set[str] = field(default_factory=lambda: {"agent", "caller", "judge"})

    @property
    def llm(self) -> dict[str, Any]:
        return {"model": "openai-compatible:desk", "base_url": self.server.openai_url}

    async def came(self, count: int) -> None:
        await self.server.arrived(count)


@asynccontextmanager
async def gate(*rules: dict[str, Any], holds: str = "agent caller judge") -> AsyncGenerator[Gate]:
    """A model behind a gate, which goes by these rules."""
    rest = [
        {"say": "Very well."},
        {"role": "caller", "say": "And then?"},
        {"role": "judge", "answer": "yes", "reason": "It was."},
    ]
    director = Director([ScriptRule.model_validate(rule) for rule in (*rules, *rest)])

    async def answer(heard: Heard) -> Reply:
        role = role_of(heard)
        made.seen.append(role)
        if role in made.holds:
            await made.open.wait()
        return await director(heard)

    async with ModelServer(answer) as server:
        made = Gate(server, holds=set(holds.split()))
        try:
            yield made
        finally:
            made.open.set()


# Stopping what plays


async def test_a_run_that_plays_stops_before_its_next_request_and_keeps_the_chat(clients: Clients) -> None:
    async with gate() as model:
        run = await clients.started(await clients.test(await clients.agent(SLOW, llm=model.llm), QUICK, checks=[SAYS]))
        await model.came(1)
        asked = await clients.door.post(f"{run}/cancel")
        assert asked.status_code == 200
        first = asked.json()
        assert (first["status"], first["ended_by"]) == ("running", None)
        assert first["cancel_requested_at"] is not None
        assert [line["text"] for line in first["transcript"]] == ["Hello.", "Hello."]
        again = (await clients.door.post(f"{run}/cancel")).json()
        assert again == first, "asking again changes nothing"
        [listed] = (await clients.door.get(f"{run.rpartition('/')[0]}")).json()["runs"]
        assert listed["cancel_requested_at"] == first["cancel_requested_at"]
        model.open.set()
        over = await clients.over(run)
        assert (over["status"], over["ended_by"], over["error"]) == ("cancelled", "stopped", None)
        assert over["cancel_requested_at"] == first["cancel_requested_at"]
        assert [line["text"] for line in over["transcript"]] == ["Hello.", "Hello.", "Very well."]
        assert (over["input_tokens"] > 0, over["output_tokens"] > 0) == (True, True)
        [result] = over["check_results"]
        assert (result["passed"], result["detail"]) == (None, "Not graded: the run was stopped first.")
        assert model.seen == ["agent"], "nothing more was asked"
        assert "has already finished (cancelled)" in sentence(await clients.door.post(f"{run}/cancel"), 409)


async def test_a_run_that_is_over_before_its_next_request_keeps_its_real_result(clients: Clients) -> None:
    async with gate() as model:
        agent = await clients.agent(SLOW, llm=model.llm)
        run = await clients.started(await clients.test(agent, QUICK, max_turns=1, checks=[SAYS]))
        await model.came(1)
        asked = (await clients.door.post(f"{run}/cancel")).json()
        model.open.set()
        over = await clients.over(run)
    assert (over["status"], over["ended_by"]) == ("passed", "turns_ran_out")
    assert over["cancel_requested_at"] == asked["cancel_requested_at"] is not None


async def test_a_stop_during_grading_keeps_the_checks_that_are_decided(clients: Clients) -> None:
    made_up = {"role": "judge", "answer": "yes", "reason": "It said so.", "quote": "words that nobody said"}
    async with gate(made_up, holds="judge") as model:
        agent = await clients.agent(SLOW, llm=model.llm)
        run = await clients.started(await clients.test(agent, QUICK, max_turns=1, checks=[SAYS, JUDGE]))
        await model.came(2)
        assert (await clients.door.post(f"{run}/cancel")).json()["status"] == "running"
        model.open.set()  # a quote that is made up costs one more request, which is not sent any more
        over = await clients.over(run)
    assert (over["status"], over["ended_by"]) == ("cancelled", "stopped")
    assert [result["passed"] for result in over["check_results"]] == [True, None]
    assert model.seen == ["agent", "judge"]


async def test_two_runs_of_a_developer_play_at_once_and_the_others_wait_their_turn(
    clients: Clients, service: DoorService
) -> None:
    async with gate() as model:
        agent = await clients.agent(SLOW, llm=model.llm)
        test = await clients.test(agent, QUICK, max_turns=1)
        runs = [await clients.started(test) for _ in range(3)]
        await model.came(2)
        states = [(await clients.door.get(run)).json()["status"] for run in runs]
        assert states == ["running", "running", "queued"]
        waiting = (await clients.door.post(f"{runs[2]}/cancel")).json()
        assert (waiting["status"], waiting["ended_by"], waiting["output_tokens"]) == ("cancelled", "stopped", 0)
        model.open.set()
        assert [(await clients.over(run))["status"] for run in runs] == ["passed", "passed", "cancelled"]
        assert model.seen == ["agent"] * 2


@contextmanager
def with_seconds(service: DoorService, **seconds: float) -> Generator[None]:
    """Let the talks of this door, or its judge, have less time."""
    known: Policies = service.app.state.policies
    short = POLICY.model_copy(update={"limits": POLICY.limits.model_copy(update=seconds)})
    service.app.state.policies = Policies([short if each.name == POLICY.name else each for each in known.all()])
    try:
        yield
    finally:
        service.app.state.policies = known


async def test_when_the_time_is_up_what_was_said_is_kept_and_graded(clients: Clients, service: DoorService) -> None:
    with with_seconds(service, chat_seconds=0.8):
        async with gate(holds="caller") as model:
            agent = await clients.agent(SLOW, llm=model.llm)
            run = await clients.over(await clients.started(await clients.test(agent, QUICK, checks=[SAYS])))
    assert (run["status"], run["ended_by"]) == ("passed", "turns_ran_out")
    assert run["detail"] == "The time was up: the talk stopped after 0.8 seconds."
    assert [line["text"] for line in run["transcript"]] == ["Hello.", "Hello.", "Very well."]
    assert run["check_results"][0]["passed"] is True


async def test_the_judge_s_questions_have_a_time_of_their_own(clients: Clients, service: DoorService) -> None:
    with with_seconds(service, judge_seconds=0.5):
        async with gate(holds="judge") as model:
            agent = await clients.agent(SLOW, llm=model.llm)
            run = await clients.over(
                await clients.started(await clients.test(agent, QUICK, max_turns=1, checks=[SAYS, JUDGE]))
            )
    assert (run["status"], run["ended_by"]) == ("error", "error")
    assert run["error"] == "The judge's time ran out before it had graded all checks."
    assert [result["passed"] for result in run["check_results"]] == [True, None]


# What it costs


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncGenerator[ModelServer]:
    rules = [*SCRIPT, {"when": "Hello", "say": "Hello."}]
    async with ModelServer.playing([ScriptRule.model_validate(rule) for rule in rules]) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[DoorService]:
    """All of the service; the operator lends the account `house`, at a price."""
    settings = settings_in(
        tmp_path_factory.mktemp("service"),
        platform_credentials=json.dumps({"house": {"api_key": "sk-house", "base_url": model.openai_url}}),
        platform_prices=json.dumps({"openai:gpt-4.1-mini": {"input": 400_000_000, "output": 1_600_000_000}}),
    )
    async with open_door_service(settings) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def clients(service: DoorService) -> AsyncGenerator[Clients]:
    key = await service.key()
    async with service.native(key) as native, service.door("dvaarik", **{KEY: key}) as door:
        yield Clients(native, door)


@pytest.mark.parametrize("credits", [0, 60_000], ids=["without credits", "with some"])
async def test_no_run_costs_credits_however_it_ends(clients: Clients, service: DoorService, credits: int) -> None:
    await service.add_credits(credits)
    before = await service.credits()
    house = {"model": "openai:gpt-4.1-mini", "credential": "house"}
    agent = await clients.agent(SLOW, llm=house, tools=[{"name": "book_slot"}])
    passed = await clients.played(agent, TEST)
    failed = await clients.played(agent, TEST, checks=[{"type": "says", "text": "Sunday"}])
    broken = await clients.played(await clients.agent(SLOW, llm={**house, "credential": "nobody"}), TEST)
    stopped = await clients.started(await clients.test(agent, TEST))
    await clients.door.post(f"{stopped}/cancel")
    runs = [passed, failed, broken, await clients.over(stopped)]
    assert [run["status"] for run in runs[:3]] == ["passed", "failed", "error"]
    assert passed["input_tokens"] > 0
    after = await service.credits()
    assert (after.balance, after.held) == (before.balance, 0)
    assert await service.is_balanced()
    for run in runs:
        native = (await clients.native.get(f"/v1/runs/{run['id']}")).json()
        assert (native["charged"], native["input_tokens"]) == (0, run["input_tokens"])
    ledger = (await clients.native.get("/v1/credits/ledger")).json()["items"]
    assert [row for row in ledger if row["kind"] == "run" and row["amount"]] == []
