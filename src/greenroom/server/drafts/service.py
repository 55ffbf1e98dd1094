"""Drafting tests of an agent: what is asked for, what it costs, and what becomes of it.

Drafting is held and charged like a run. It is not played again when its process dies: then nothing is charged, and
what was held is let go of a while later.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from greenroom.drafting.draft import (
    DraftOptions,
    Drafts,
    NoAuthor,
    author_llm,
    draft_from_call,
    draft_from_failure,
    draft_from_prompt,
)
from greenroom.drafting.transcript import read_transcript
from greenroom.model.agent import Agent
from greenroom.model.case import HistoryLine
from greenroom.model.errors import Problem, RunError, UserMistake
from greenroom.model.llm import Llm
from greenroom.model.run import Run
from greenroom.server.agents import service as agents
from greenroom.server.content import told
from greenroom.server.context import Context
from greenroom.server.credits import service as credits
from greenroom.server.credits.service import MILLION, Wanted
from greenroom.server.database.ids import make_id, new_id
from greenroom.server.drafts.paying import PaidBrain
from greenroom.server.drafts.schemas import DraftWish
from greenroom.server.policies.policy import Policy
from greenroom.server.policies.service import native_policy
from greenroom.server.problems import Conflict, Invalid, Refusal
from greenroom.server.reaching import Reach
from greenroom.server.runs import service as runs
from greenroom.server.runs.account import RunAccount
from greenroom.server.runs.material import with_secrets
from greenroom.server.security.who import Access
from greenroom.server.tests import service as tests
from greenroom.server.tests.service import Rules
from greenroom.server.usage import service as usage

_LONGEST = timedelta(hours=1)
_AT_ONCE = 100


class NothingDrafted(Refusal):
    """The model could not answer, or with nothing that is a test."""

    status = HTTPStatus.BAD_GATEWAY
    title = "Nothing was drafted"


@dataclass(frozen=True, slots=True)
class House:
    """Whose ways hold: the policy that drafting is paid under, and the rules that the tests keep to."""

    policy: Policy
    rules: Rules


def native_house(context: Context) -> House:
    """The ways of the native API."""
    return House(native_policy(context.settings), tests.native_rules(context))


async def draft(
    context: Context, reach: Reach, access: Access, agent_id: str, wish: DraftWish, house: House | None = None
) -> dict[str, Any]:
    """Draft tests, and keep them where that is asked for, by the ways of the surface that is asked (by default the
    native ones).

    Raises:
        NotFound: there is no such agent or run in this project.
        Invalid: there is nothing to draft from, or no model to ask.
        Conflict: they are to be kept, and the agent would have more than it may.
        CannotPay: the project's credits or its budget do not reach.
        NothingDrafted: nothing came of it. What the model was asked is charged all the same.
    """
    house = house or native_house(context)
    loaded = await agents.load(context, access, agent_id, wish.target)
    source = await _source(context, access, loaded.agent, agent_id, wish)
    llm = _author(loaded.agent, wish.model)
    others = await agents.load_others(context, access, loaded.agent)
    kept = await tests.load(context, access, agent_id)
    if wish.save:
        _make_room(len(kept), wish.count, house.rules)
    options = DraftOptions(
        count=wish.count,
        kinds=tuple(dict.fromkeys(wish.kinds)),
        focus=wish.focus,
        language=wish.language,
        known=tuple(each.test.name for each in kept),
        plain=wish.plain,
        limits=house.rules.limits,
    )
    policy = house.policy
    draft_id = new_id("drf")
    async with reach.outside.of_project(access.project_id) as (ports, accounts):
        account = RunAccount(
            context.database, reach.prices, draft_id, accounts.platform, counts=policy.charge == "tokens"
        )
        brain = PaidBrain(ports.brain, account)
        await _hold(context, access, policy, draft_id, is_platform=llm.credential in accounts.platform)
        charged, failed = 0, True
        try:
            drafts = await _ask(loaded.agent, source, brain, llm, options, others)
            failed = False
        except RunError as problem:
            raise NothingDrafted(str(problem)) from None
        finally:
            # The end is written even where whoever asked has gone.
            settling = _settle(context, reach, access, policy, draft_id, brain, loaded.agent.name, failed=failed)
            charged = await asyncio.shield(settling)
    made, dropped = [told(test) for test in drafts.tests], list(drafts.dropped)
    if wish.save:
        made = await _save(context, access, agent_id, drafts, dropped, house.rules)
    cost = reach.prices.in_currency(brain.known_dollars) if brain.is_known else None
    return {
        "tests": made,
        "dropped": dropped,
        "model": llm.model,
        "input_tokens": brain.input_tokens,
        "output_tokens": brain.output_tokens,
        "cost": None if cost is None else cost / MILLION,
        "charged": charged / MILLION,
    }


async def forget_old(context: Context) -> None:
    """Let go of what drafts held whose process died."""
    milliseconds = int((context.now() - _LONGEST).timestamp() * 1000)
    async with context.database.writing() as session:
        await credits.let_go_of(session, "drf", make_id("drf", milliseconds, bytes(10)), _AT_ONCE)


async def _source(
    context: Context, access: Access, agent: Agent, agent_id: str, wish: DraftWish
) -> list[HistoryLine] | Run | None:
    if wish.transcript is not None and wish.run_id is not None:
        raise Invalid([Problem(("run_id",), "`transcript` and `run_id` exclude each other: take one out")])
    if wish.run_id is not None:
        return await _failed_run(context, access, agent_id, wish.run_id)
    if wish.transcript is not None:
        return _lines(wish.transcript)
    if not agent.prompt.strip():
        message = f"The agent {agent.name} lives elsewhere and has no prompt here: send a `transcript` of a real call."
        raise Invalid([Problem(("transcript",), message)])
    return None


def _lines(transcript: str | list[HistoryLine]) -> list[HistoryLine]:
    if isinstance(transcript, list):
        if {line.role for line in transcript} == {"caller", "agent"}:
            return transcript
        raise Invalid([Problem(("transcript",), "a call has lines of the agent and of the caller")])
    try:
        return read_transcript(transcript)
    except UserMistake as mistake:
        raise Invalid([Problem(("transcript",), str(mistake))]) from None


async def _failed_run(context: Context, access: Access, agent_id: str, run_id: str) -> Run:
    shown = await runs.show(context, access.project_id, run_id)
    if shown["agent_id"] != agent_id:
        raise Invalid([Problem(("run_id",), "this run is one of another agent")])
    if shown["status"] != "failed":
        raise Invalid(
            [Problem(("run_id",), f"tests are drafted from a run that failed; this one is {shown['status']}")]
        )
    return Run.model_validate({name: shown[name] for name in Run.model_fields if name in shown})


def _author(agent: Agent, model: str | None) -> Llm:
    try:
        return author_llm(agent, model)
    except NoAuthor as problem:
        hint = ": name a `model`" if model is None else ""
        raise Invalid([Problem(("model",), f"{problem}{hint}")]) from None


async def _hold(context: Context, access: Access, policy: Policy, draft_id: str, *, is_platform: bool) -> None:
    estimate = context.settings.run_hold
    amount = estimate if policy.charge == "tokens" and is_platform else 0
    if policy.charge == "run":
        amount = policy.run_price
    async with context.database.writing() as session:
        wanted = [Wanted(draft_id, amount, max(amount, estimate))]
        await credits.hold(session, access.project_id, wanted, context.now())


async def _settle(
    context: Context,
    reach: Reach,
    access: Access,
    policy: Policy,
    draft_id: str,
    brain: PaidBrain,
    agent: str,
    *,
    failed: bool,
) -> int:
    charge = policy.run_price if policy.charge == "run" else brain.account.charged
    if failed and policy.refund_on_error:
        charge = 0
    cost = reach.prices.in_currency(brain.known_dollars) or 0
    now = context.now()
    async with context.database.writing() as session:
        note = f"tests drafted for {agent}"
        charged = await credits.settle(session, draft_id, now, charge=charge, cost=cost, note=note)
        await usage.count_beside_runs(
            session,
            access.project_id,
            now,
            what="drafts",
            input_tokens=brain.input_tokens,
            output_tokens=brain.output_tokens,
            cost=cost,
            is_known=brain.is_known,
            charged=charged,
        )
    return charged


async def _ask(
    agent: Agent,
    source: list[HistoryLine] | Run | None,
    brain: PaidBrain,
    llm: Llm,
    options: DraftOptions,
    others: dict[str, Agent],
) -> Drafts:
    if source is None:
        return await draft_from_prompt(agent, brain, llm, options, others)
    if isinstance(source, Run):
        return await draft_from_failure(agent, source, brain, llm, options, others)
    return await draft_from_call(agent, source, brain, llm, options, others)


def _make_room(there: int, count: int, rules: Rules) -> None:
    if there + count > rules.most:
        raise Conflict(
            f"This agent has {there:,} tests and may have {rules.most:,}, so {count} more cannot be saved: delete some "
            "first, or ask for fewer."
        )


async def _save(
    context: Context, access: Access, agent_id: str, drafts: Drafts, dropped: list[str], rules: Rules
) -> list[dict[str, Any]]:
    """Keep the tests. One that cannot be kept (the agent may have changed meanwhile) is told among the dropped."""
    saved: list[dict[str, Any]] = []
    for test in drafts.tests:
        data = with_secrets(test)
        assert isinstance(data, dict)  # noqa: S101 - a test is an object
        try:
            saved.append((await tests.create(context, access, agent_id, data, rules)).body)
        except Refusal as refusal:
            dropped.append(f"{test.name}: {refusal.detail}")
    return saved
