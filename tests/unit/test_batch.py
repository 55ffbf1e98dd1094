"""Many runs at once."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from itertools import count

import pytest
from tests.support.talks import (
    FunctionBrain,
    NoRemotes,
    PlainSearch,
    RememberingTools,
    StillClock,
    make_agent,
    make_test,
    real_llm,
)

from greenroom.batch import BatchOptions, plan_runs, play_batch
from greenroom.engine import Plan, Ports
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.talk import BrainReply, BrainRequest, Usage


def ports(brain: object) -> Ports:
    return Ports(brain=brain, tools=RememberingTools(), knowledge=PlainSearch(), remote=NoRemotes(), clock=StillClock())  # type: ignore[arg-type]


def plans(number: int, *messages: str) -> list[Plan]:
    agent = make_agent(llm=real_llm())
    return [
        Plan(run_id=f"run_{n}", test=make_test(*(messages or ("Hi.",)), name=f"Test {n}"), agent=agent)
        for n in range(number)
    ]


class Crowd:
    """A brain that counts how many requests it answers at the same moment."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.asked = 0

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(5):
            await asyncio.sleep(0)
        self.now -= 1
        return BrainReply(text="Yes.")


async def test_all_runs_are_played_in_order_and_no_more_at_once_than_allowed() -> None:
    crowd = Crowd()
    result = await play_batch(plans(30), ports(crowd), options=BatchOptions(concurrency=10))
    assert [run.id for run in result.runs] == [f"run_{n}" for n in range(30)]
    assert {run.status for run in result.runs} == {"passed"}
    assert crowd.most == 10
    assert crowd.asked == 30


async def test_one_run_that_fails_leaves_the_others_alone() -> None:
    calls = count()

    def answer(_: BrainRequest) -> str:
        if next(calls) == 1:
            raise BrainFailed("down", fault=BrainFault.UNAVAILABLE)
        return "Yes."

    result = await play_batch(plans(4), ports(FunctionBrain(answer)), options=BatchOptions(concurrency=1))
    assert [run.status for run in result.runs] == ["passed", "error", "passed", "passed"]


async def test_a_budget_stops_the_batch_and_keeps_what_was_played() -> None:
    brain = FunctionBrain(lambda _: BrainReply(text="Yes.", usage=Usage(1, 1, cost=Decimal("0.4"))))
    options = BatchOptions(concurrency=1, max_cost_usd=Decimal(1))
    result = await play_batch(plans(6), ports(brain), options=options)
    assert result.over_budget
    assert len(result.runs) == 3
    assert [plan.run_id for plan in result.not_started] == ["run_3", "run_4", "run_5"]
    assert result.spent_usd == Decimal("1.2")


async def test_a_budget_stops_a_run_before_its_next_request() -> None:
    brain = FunctionBrain(lambda _: BrainReply(text="Yes.", usage=Usage(1, 1, cost=Decimal("0.6"))))
    options = BatchOptions(concurrency=1, max_cost_usd=Decimal(1))
    result = await play_batch(plans(1, "1", "2", "3", "4"), ports(brain), options=options)
    assert result.runs[0].status == "cancelled"
    assert len(brain.requests) == 2


async def test_unknown_prices_do_not_count_as_spent() -> None:
    brain = FunctionBrain(lambda _: BrainReply(text="Yes.", usage=Usage(1, 1, cost=None)))
    result = await play_batch(plans(3), ports(brain), options=BatchOptions(max_cost_usd=Decimal("0.01")))
    assert not result.over_budget
    assert result.runs[0].cost_usd is None


async def test_fail_fast_stops_after_the_first_run_that_did_not_pass() -> None:
    agent = make_agent(llm=real_llm())
    bad = make_test("Hi.", checks=[{"type": "says", "text": "never said"}])
    some = [Plan(run_id=str(n), test=bad if n == 1 else make_test("Hi."), agent=agent) for n in range(5)]
    brain = FunctionBrain(lambda _: "Yes.")
    result = await play_batch(some, ports(brain), options=BatchOptions(concurrency=1, fail_fast=True))
    assert [run.status for run in result.runs] == ["passed", "failed"]
    assert len(result.not_started) == 3


async def test_a_stop_keeps_what_has_finished() -> None:
    asked = 0

    def answer(_: BrainRequest) -> str:
        nonlocal asked
        asked += 1
        return "Yes."

    async def stop() -> bool:
        return asked >= 3

    result = await play_batch(
        plans(5, "1", "2"), ports(FunctionBrain(answer)), options=BatchOptions(concurrency=1), stop=stop
    )
    assert result.interrupted
    assert [run.status for run in result.runs] == ["passed", "cancelled"]
    assert len(result.not_started) == 3


async def test_cancelling_the_batch_cancels_its_runs() -> None:
    started = asyncio.Event()

    class Hangs:
        async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

    task = asyncio.create_task(play_batch(plans(3), ports(Hangs())))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(asyncio.all_tasks()) == 1


def test_a_test_becomes_one_run_for_each_variation_and_repeat() -> None:
    test = make_test(
        caller={"persona": "Ravi.", "facts": {"order": 1}},
        repeat=2,
        variables={"a": "1"},
        variations=[
            {"name": "angry", "temperament": "angry"},
            {"name": "Sita", "persona": "Sita.", "facts": {"order": 2}, "variables": {"b": 2}, "language": "hi"},
        ],
    )
    ids = count()
    runs = plan_runs(test, make_agent(), new_id=lambda: f"r{next(ids)}", seed=100)
    assert [(run.run_id, run.variation, run.repeat_index, run.seed) for run in runs] == [
        ("r0", "angry", 0, 100),
        ("r1", "angry", 1, 101),
        ("r2", "Sita", 0, 100),
        ("r3", "Sita", 1, 101),
    ]
    angry, sita = runs[0].test, runs[2].test
    assert (angry.caller.persona, angry.caller.temperament) == ("Ravi.", "angry")
    assert (sita.caller.persona, sita.caller.facts, sita.caller.language) == ("Sita.", {"order": 2}, "hi")
    assert sita.variables == {"a": "1", "b": "2"}
