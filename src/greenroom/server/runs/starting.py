"""Starting runs: counted, paid for and queued in one transaction, so that there are all of them or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from greenroom.batch import plan_runs
from greenroom.engine import Plan
from greenroom.server.context import Context
from greenroom.server.credits import service as credits
from greenroom.server.credits.service import Wanted
from greenroom.server.database.ids import new_id
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Conflict, Invalid
from greenroom.server.queue.client import Queue
from greenroom.server.runs import store
from greenroom.server.runs.material import Material
from greenroom.server.runs.store import BatchRow, MaterialRow, RunRow


@dataclass(frozen=True, slots=True)
class Part:
    """The runs of one test in a batch. `variant` names which of several states of the agent they play."""

    material: Material
    policy: Policy
    agent_id: str
    agent_version: int | None = None
    variant: str | None = None
    seed: int = 0
    overrides_used: bool = False
    force_primary_failure: bool = False

    def plans(self) -> list[Plan]:
        """Its runs."""
        return plan_runs(
            self.material.test,
            self.material.agent,
            self.material.others,
            new_id=lambda: new_id("run"),
            seed=self.seed,
            variant=self.variant,
        )


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose runs they are."""

    project_id: str
    developer_id: str


@dataclass(frozen=True, slots=True)
class Started:
    """A batch that was started, its runs, and what could not be paid."""

    batch_id: str
    runs: list[RunRow]
    not_started: list[Plan]


class Starter:
    """Starts runs. `platform` names the credentials that a project pays for with its credits."""

    def __init__(self, context: Context, queue: Queue, platform: frozenset[str]) -> None:
        self._context = context
        self._queue = queue
        self._platform = platform

    async def start(
        self, owner: Owner, parts: Sequence[Part], policy: Policy | None = None, *, as_far_as_paid: bool = False
    ) -> Started:
        """Start all runs of a batch. `policy` bounds the request as a whole; by default that of the first part. With
        `as_far_as_paid`, those before the first that cannot be paid are started.

        Raises:
            Invalid: there are none, or more than one request may start.
            Conflict: too many would wait or run.
            CannotPay: the project's credits or its budget do not reach: for all, or else for the first.
        """
        drawn = [(place, part, plan) for place, part in enumerate(parts) for plan in part.plans()]
        # Ids of the same millisecond are in no order of their own: the runs of a batch keep theirs.
        ids = sorted(plan.run_id for _, _, plan in drawn)
        planned = [
            (place, part, replace(plan, run_id=run_id)) for (place, part, plan), run_id in zip(drawn, ids, strict=True)
        ]
        policy = policy or (parts[0].policy if parts else None)
        if policy is None or not planned:
            raise Invalid("There is nothing to run: name at least one test.")
        if policy.runs_per_request is not None and len(planned) > policy.runs_per_request:
            raise Invalid(
                f"These are {len(planned)} runs, and one request starts at most {policy.runs_per_request}: start fewer."
            )
        sealed = {place: part.material.seal(self._context.vault) for place, part in enumerate(parts)}
        async with self._context.database.writing() as session:
            reached = len(planned)
            if as_far_as_paid:
                # Whoever starts or ends runs takes these counts before the credits: nobody waits crosswise.
                await self._count(session, owner, policy, 0)
                wanted = [self._wanted(part, plan) for _, part, plan in planned]
                reached = await credits.reach(session, owner.project_id, wanted, self._context.now())
            planned, unpaid = planned[:reached], [plan for _, _, plan in planned[reached:]]
            await self._count(session, owner, policy, len(planned))
            played = {place: sealed[place] for place, _, _ in planned}
            batch = await self._make_batch(session, owner, parts[0].agent_id, played)
            rows = [self._row(owner, batch.id, place, part, plan) for place, part, plan in planned]
            session.add_all(rows)
            await session.flush()
            await store.add_events(session, [_queued(plan) for _, _, plan in planned])
            await credits.hold(
                session, owner.project_id, [self._wanted(part, plan) for _, part, plan in planned], batch.created_at
            )
            for row in rows:
                await self._queue.put(session, row.id, policy=row.policy, tenant=row.tenant)
        return Started(batch.id, rows, unpaid)

    async def _count(self, session: AsyncSession, owner: Owner, policy: Policy, count: int) -> None:
        bounds = (
            (f"developer:{owner.developer_id}", policy.active_per_developer, "across all projects of this account"),
            (f"project:{owner.project_id}", policy.active_per_project, "in this project"),
        )
        for scope, most, where in bounds:
            if not await store.add_active(session, scope, count, most):
                raise Conflict(
                    f"At most {most} runs may wait or run at once {where}: wait until some are over, or stop some."
                )

    async def _make_batch(
        self, session: AsyncSession, owner: Owner, agent_id: str, sealed: Mapping[int, str]
    ) -> BatchRow:
        now = self._context.now()
        standing = await credits.credits_of(session, owner.project_id, now)
        batch = BatchRow(
            id=new_id("bat"),
            project_id=owner.project_id,
            agent_id=agent_id,
            cap=standing.batch_cap,
            created_at=now,
        )
        session.add(batch)
        await session.flush()
        session.add_all([MaterialRow(batch_id=batch.id, place=place, sealed=text) for place, text in sealed.items()])
        await session.flush()
        return batch

    def _wanted(self, part: Part, plan: Plan) -> Wanted:
        estimate = self._context.settings.run_hold
        match part.policy.charge:
            case "run":
                amount = part.policy.run_price
            case "tokens" if any(llm.credential in self._platform for llm in part.material.models):
                amount = estimate
            case _:
                amount = 0
        return Wanted(plan.run_id, amount, max(amount, estimate))

    def _row(self, owner: Owner, batch_id: str, place: int, part: Part, plan: Plan) -> RunRow:
        test, brain = part.material.test, part.material.agent.llm
        return RunRow(
            id=plan.run_id,
            project_id=owner.project_id,
            developer_id=owner.developer_id,
            batch_id=batch_id,
            place=place,
            agent_id=part.agent_id,
            agent_version=part.agent_version,
            agent=part.material.agent.name,
            provider=brain.provider if brain else None,
            model=brain.name if brain else None,
            test_id=test.id,
            test=test.name,
            kind=test.caller.kind,
            variation=plan.variation,
            variant=plan.variant,
            repeat_index=plan.repeat_index,
            tags=list(test.tags),
            seed=plan.seed,
            policy=part.policy.name,
            tenant=part.policy.tenant(owner.project_id, owner.developer_id),
            overrides_used=part.overrides_used,
            force_primary_failure=part.force_primary_failure,
            status="queued",
            passed_checks=0,
            total_checks=len(test.checks),
            input_tokens=0,
            output_tokens=0,
            cost=0,
            charged=0,
            last_event=1,
            created_at=self._context.now(),
        )


def _queued(plan: Plan) -> dict[str, object]:
    checks = [check.model_dump(mode="json") for check in plan.test.checks]
    body = {"event": "queued", "checks": checks, "reason_language": plan.test.reason_language}
    return {"run_id": plan.run_id, "number": 1, "key": "queued", "body": body}
