"""One reply, played in this process while whoever asked waits, and recorded nowhere.

It is held and charged in the credits like a run. When its process dies, nothing is charged, and what was held is let go
of a while later.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from greenroom.engine import Plan, Ports, play_test
from greenroom.model.agent import Agent
from greenroom.model.case import Caller, HistoryLine, Test, ToolMode
from greenroom.model.errors import Problem
from greenroom.model.events import Event, RunStarted
from greenroom.model.rules import check_test
from greenroom.model.run import AgentLine, Run, ToolLine
from greenroom.model.talk import Brain, BrainReply, BrainRequest
from greenroom.server.context import Context
from greenroom.server.credits import service as credits
from greenroom.server.credits.service import Wanted
from greenroom.server.database.ids import make_id
from greenroom.server.policies.policy import Policy
from greenroom.server.problems import Invalid, TooMany
from greenroom.server.rates import service as rates
from greenroom.server.reaching import Reach
from greenroom.server.runs.account import RunAccount
from greenroom.server.runs.outside import Accounts
from greenroom.server.runs.recording import known_cost
from greenroom.server.runs.requesting import Cast, Desk
from greenroom.server.runs.unproven import unproven
from greenroom.server.security.who import Access
from greenroom.server.usage import service as usage

_NAME = "One reply"
_LONGEST = timedelta(hours=1)
_MARGIN = timedelta(minutes=1)
_LET_GO_AT_ONCE = 100
_AGAIN_SECONDS = 5


@dataclass(frozen=True, slots=True)
class ReplyAsked:
    """What is to be replied to: a talk that ends with the caller. `tools` and `use_knowledge` are as in a test."""

    history: Sequence[HistoryLine]
    tools: ToolMode = "plan"
    use_knowledge: bool = True
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Replied:
    """The reply, as a run that is kept nowhere, and what was charged for it, in millionths of the currency's unit.

    `knowledge_chunks` is how many pieces of its knowledge the agent was given. `warnings` are the run's own, and what
    it leaves unproven.
    """

    run: Run
    charged: int
    latency_ms: int
    knowledge_chunks: int
    warnings: tuple[str, ...]

    @property
    def text(self) -> str | None:
        """What the agent said; `None` where it said nothing."""
        said = [line.text for line in self.run.transcript if isinstance(line, AgentLine) and not line.from_history]
        return "\n".join(text for text in said if text) or None

    @property
    def calls(self) -> tuple[ToolLine, ...]:
        """The tools that it called or picked, in order."""
        return tuple(line for line in self.run.transcript if isinstance(line, ToolLine))


@dataclass(slots=True)
class _PayingBrain:
    """Passes requests on when they can be paid."""

    brain: Brain
    account: RunAccount

    async def reply(self, request: BrainRequest, *, seconds_left: float | None = None) -> BrainReply:
        return await self.account.put(self.brain, request, seconds_left)


@dataclass(slots=True)
class _Witness:
    """Knows the run while it is played, also when it is broken off."""

    run: Run | None = None

    async def __call__(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.run = event.run


async def reply_at_once(
    desk: Desk, reach: Reach, access: Access, agent_id: str, asked: ReplyAsked, policy: Policy
) -> Replied:
    """Have an agent reply once. A model that fails is no refusal: the run of the answer is an `error` then.

    Raises:
        NotFound: there is no such agent in the project.
        Invalid: the talk or the agent is none that can be replied to.
        TooMany: the project has had its replies of this minute, or as many are being played as may be.
        CannotPay: there are no credits, or the project's budget does not reach.
    """
    context = desk.context
    cast = await desk.cast(access, agent_id, None, {}, policy, ())
    test = _test(cast, asked, policy)
    if policy.replies_per_minute is not None:
        name = f"replies:{policy.name}:{access.project_id}"
        await rates.count(context, name, policy.replies_per_minute, "test replies of this project")
    began = context.now()
    plan = Plan(
        run_id=_id_at(began, os.urandom(10)),
        test=test,
        agent=cast.agent,
        others=cast.others,
        limits=policy.limits,
        agent_version=cast.version,
        policy=policy.name,
        test_header=policy.test_header,
        created_at=began,
    )
    async with reach.outside.of_project(access.project_id) as (ports, accounts):
        await _hold(context, access, policy, plan, accounts)
        return await _play(context, reach, access, policy, plan, ports, accounts)


async def forget_old(context: Context) -> None:
    """Let go of what replies held whose process died."""
    async with context.database.writing() as session:
        await credits.let_go_of(session, "rpl", _id_at(context.now() - _LONGEST, bytes(10)), _LET_GO_AT_ONCE)


def _test(cast: Cast, asked: ReplyAsked, policy: Policy) -> Test:
    # What the agent is not given anyway need not be carried along.
    left_out = max(len(asked.history) - 1 - cast.agent.context_window, 0)
    test = Test(
        name=_NAME,
        caller=Caller(history=list(asked.history[left_out:])),
        tools=asked.tools,
        use_knowledge=asked.use_knowledge,
        variables=dict(asked.variables),
    )
    problems = check_test(test, cast.agent, cast.others, policy.limits)
    if problems:
        raise Invalid([Problem(_path_in(each.path, left_out), each.message) for each in problems])
    return test


def _path_in(path: tuple[str | int, ...], left_out: int) -> tuple[str | int, ...]:
    """Where a mistake of the test stands in what was asked."""
    match path:
        case ("caller", "history", int(place), *rest):
            return ("history", place + left_out, *rest)
        case ("caller", *rest):
            return tuple(rest)
        case _:
            return path


async def _hold(context: Context, access: Access, policy: Policy, plan: Plan, accounts: Accounts) -> None:
    estimate = context.settings.run_hold
    llm = plan.agent.llm
    amount = 0
    if policy.charge == "run":
        amount = policy.run_price
    elif policy.charge == "tokens" and llm is not None and llm.credential in accounts.platform:
        amount = max(estimate, 1)
    wanted = Wanted(plan.run_id, amount, max(amount, estimate))
    now = context.now()
    async with context.database.writing() as session:
        if policy.pays_in_part:
            await credits.hold_in_part(session, access.project_id, wanted, now)
        else:
            await credits.hold(session, access.project_id, [wanted], now)
        # Those whose process died are over when their time is.
        since = _id_at(now - timedelta(seconds=policy.limits.chat_seconds) - _MARGIN, bytes(10))
        if await credits.count_held(session, access.project_id, "rpl", since) > policy.running:
            raise TooMany(
                f"At most {policy.running} test replies of this project are played at once: wait {_AGAIN_SECONDS} "
                "seconds.",
                seconds=_AGAIN_SECONDS,
            )


async def _play(
    context: Context, reach: Reach, access: Access, policy: Policy, plan: Plan, ports: Ports, accounts: Accounts
) -> Replied:
    counts = policy.charge == "tokens"
    account = RunAccount(
        context.database, reach.prices, plan.run_id, accounts.platform, counts, in_part=policy.pays_in_part
    )
    witness = _Witness()
    clock = ports.clock
    began = clock.elapsed()
    charged = 0
    try:
        run = await play_test(plan, replace(ports, brain=_PayingBrain(ports.brain, account)), witness)
        took = clock.elapsed() - began
    finally:
        # The end is written even where whoever asked has gone.
        settling = _settle(context, reach, access, policy, plan, account.charged, witness.run)
        charged = await asyncio.shield(settling)
    return Replied(
        run,
        charged,
        round(took * 1000),
        _knowledge_chunks(plan, run),
        tuple(dict.fromkeys([*run.warnings, *unproven(plan.agent, plan.test.tool_mode, run)])),
    )


async def _settle(
    context: Context, reach: Reach, access: Access, policy: Policy, plan: Plan, used: int, run: Run | None
) -> int:
    charge = policy.run_price if policy.charge == "run" else used
    if policy.refund_on_error and (run is None or run.status == "error"):
        charge = 0
    cost = known_cost(run, reach.prices) if run else 0
    tokens = run.tokens() if run else (0, 0)
    now = context.now()
    async with context.database.writing() as session:
        charged = await credits.settle(
            session,
            plan.run_id,
            now,
            charge=charge,
            cost=cost,
            note=f"reply of {plan.agent.name}",
            in_part=policy.pays_in_part,
        )
        await usage.count_beside_runs(
            session,
            access.project_id,
            now,
            what="replies",
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            cost=cost,
            is_known=run is None or run.cost_usd is not None,
            charged=charged,
        )
    return charged


def _knowledge_chunks(plan: Plan, run: Run) -> int:
    """How many pieces of knowledge lay before the agent: whole documents in its prompt, or passages that it found."""
    if not run.usage or not plan.test.use_knowledge:
        return 0
    lines = [line for line in run.transcript if isinstance(line, AgentLine) and not line.from_history]
    said = max((line.knowledge_chunks_used for line in lines), default=0)
    return max(said, _inline_documents(plan.agent), sum(_passages(line) for line in run.transcript))


def _inline_documents(agent: Agent) -> int:
    return len(agent.knowledge.documents) if agent.knowledge and agent.knowledge.is_inline else 0


def _passages(line: object) -> int:
    if not (isinstance(line, ToolLine) and line.source == "knowledge" and isinstance(line.result, dict)):
        return 0
    passages = line.result.get("passages")
    return len(passages) if isinstance(passages, list) else 0


def _id_at(moment: datetime, noise: bytes) -> str:
    return make_id("rpl", int(moment.timestamp() * 1000), noise)
