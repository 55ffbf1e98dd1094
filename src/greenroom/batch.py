"""Many runs at once: how a test becomes runs, and how the runs of a batch are played side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from greenroom.engine import Plan, Ports, never, play_test, quiet
from greenroom.model.agent import Agent
from greenroom.model.case import Caller, Test, Variation
from greenroom.model.events import Event, UsageChanged
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.run import Run
from greenroom.play.ports import Listener, StopSignal


def plan_runs(
    test: Test,
    agent: Agent,
    others: Mapping[str, Agent] | None = None,
    *,
    new_id: Callable[[], str],
    seed: int = 0,
    limits: Limits | None = None,
    variant: str | None = None,
    caller_llm: Llm | None = None,
    judge_llm: Llm | None = None,
    overrides_used: bool = False,
    force_primary_failure: bool = False,
) -> list[Plan]:
    """The runs of a test: one for each of its variations (or for the caller as written), `test.repeat` times.

    The repeat of index n has the seed `seed + n`, whatever the variation, so that variants compare like with like.
    """
    callers: list[tuple[str | None, Test]] = [(v.name, vary(test, v)) for v in test.variations] or [(None, test)]
    return [
        Plan(
            run_id=new_id(),
            test=varied,
            agent=agent,
            others=others or {},
            seed=seed + index,
            limits=limits or Limits(),
            caller_llm=caller_llm,
            judge_llm=judge_llm,
            variation=name,
            variant=variant,
            repeat_index=index,
            overrides_used=overrides_used,
            force_primary_failure=force_primary_failure,
        )
        for name, varied in callers
        for index in range(test.repeat)
    ]


def vary(test: Test, variation: Variation) -> Test:
    """The test with another caller: what the variation gives stands for the test's own."""
    given = {
        name: value
        for name in ("persona", "facts", "opening_line", "language", "temperament")
        if (value := getattr(variation, name)) is not None
    }
    caller = Caller.model_validate({**test.caller.model_dump(), **given})
    variables = {**test.variables, **variation.variables}
    return test.model_copy(update={"caller": caller, "variables": variables, "variations": []})


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """How a batch is played.

    `concurrency`: how many runs at once. `max_cost_usd`: once the runs have spent this much, those that wait are not
    started and those that play stop before their next request. `fail_fast`: the same after the first run that did
    not pass.
    """

    concurrency: int = 10
    max_cost_usd: Decimal | None = None
    fail_fast: bool = False


@dataclass(slots=True)
class BatchResult:
    """What became of a batch. `runs` holds, in the order planned, those that finished or were stopped."""

    runs: list[Run] = field(default_factory=list[Run])
    not_started: list[Plan] = field(default_factory=list[Plan])
    over_budget: bool = False
    failed_fast: bool = False
    interrupted: bool = False

    @property
    def spent_usd(self) -> Decimal:
        """What the runs cost, as far as prices are known."""
        return sum((run.known_cost_usd for run in self.runs), Decimal(0))


class _Budget:
    """Adds up what all runs have spent, from the totals that each of them tells."""

    def __init__(self, limit: Decimal | None) -> None:
        self._limit = limit
        self._spent: dict[tuple[str, str, str, str], Decimal] = {}
        self._total = Decimal(0)

    def note(self, event: UsageChanged) -> None:
        usage = event.usage
        if usage.cost_usd is None:
            return
        key = (event.run_id, usage.role, usage.provider, usage.model)
        self._total += usage.cost_usd - self._spent.get(key, Decimal(0))
        self._spent[key] = usage.cost_usd

    @property
    def is_spent(self) -> bool:
        return self._limit is not None and self._total >= self._limit


async def play_batch(
    plans: Sequence[Plan],
    ports: Ports,
    listen: Listener = quiet,
    options: BatchOptions | None = None,
    stop: StopSignal = never,
) -> BatchResult:
    """Play runs side by side and give back all that finished, whatever became of the others.

    When `stop` says so, runs stop before their next model request and those that wait are not started. When the task
    itself is cancelled, so are the runs, and the cancellation passes through.
    """
    chosen = options or BatchOptions()
    result = BatchResult()
    finished: dict[int, Run] = {}
    budget = _Budget(chosen.max_cost_usd)
    waiting = iter(enumerate(plans))

    async def should_stop() -> bool:
        if await stop():
            result.interrupted = True
        elif budget.is_spent:
            result.over_budget = True
        return result.interrupted or result.over_budget or result.failed_fast

    async def hear(event: Event) -> None:
        if isinstance(event, UsageChanged):
            budget.note(event)
        await listen(event)

    async def work() -> None:
        for index, plan in waiting:
            if await should_stop():
                result.not_started.append(plan)
                continue
            run = await play_test(plan, ports, hear, should_stop)
            finished[index] = run
            if chosen.fail_fast and run.status in ("failed", "error"):
                result.failed_fast = True

    workers: list[asyncio.Task[None]] = []
    try:
        for _ in range(min(max(chosen.concurrency, 1), len(plans))):
            workers.append(asyncio.create_task(work()))
            # One start a step of the event loop: runs that start at once would wait for each other in every turn.
            await asyncio.sleep(0)
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    result.runs = [finished[index] for index in sorted(finished)]
    return result
