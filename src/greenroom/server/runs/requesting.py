"""From a request to what is to be played: agents in the state that is asked for, with changes, and their tests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError

from greenroom.engine import Plan
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.errors import Problem, RunError
from greenroom.model.rules import check_test
from greenroom.play.arguments import parse_arguments
from greenroom.play.ports import RealCall
from greenroom.server.agents import service as agents
from greenroom.server.agents.rules import check_kept_agent
from greenroom.server.agents.service import State
from greenroom.server.content import merge, read
from greenroom.server.context import Context
from greenroom.server.database.ids import new_id
from greenroom.server.policies.policy import Policy
from greenroom.server.policies.service import Policies
from greenroom.server.problems import Invalid, NotFound
from greenroom.server.projects import service as projects
from greenroom.server.queue.client import Queue
from greenroom.server.runs import service, store
from greenroom.server.runs.accounts import platform_credentials
from greenroom.server.runs.material import Material
from greenroom.server.runs.schemas import ReplyWanted, RunsWanted, Target, TryWanted, Variant
from greenroom.server.runs.starting import Owner, Part, Started, Starter
from greenroom.server.security.who import Access
from greenroom.server.tests import service as tests

_LOOK_EVERY = 0.1
_REPLY = "One reply"


@dataclass(frozen=True, slots=True)
class Cast:
    """An agent as it is to be played, and those that it may hand over to."""

    agent: Agent
    version: int | None
    others: Mapping[str, Agent]
    overrides_used: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """What requests about runs are answered with."""

    context: Context
    queue: Queue
    policies: Policies

    async def start(
        self, access: Access, agent_id: str, wanted: RunsWanted, policy: Policy | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Start runs; the answer, and whether they are over already (where the request waits for that). `policy` is
        that of the surface that is asked (the native one by default): it holds for the request, and for tests that
        were not made under another one.

        Raises:
            NotFound: there is no such agent in the project.
            Invalid: the tests, the overrides or the target are wrong.
            Conflict, CannotPay: as for `Starter.start`.
        """
        policy = policy or self.policies.native
        variants = wanted.variants or [Variant.model_construct(name="", target=None, overrides={})]
        _check_names(variants)
        chosen = await self._tests(access, agent_id, wanted, policy)
        parts: list[Part] = []
        for place, variant in enumerate(variants):
            where: tuple[str | int, ...] = ("variants", place) if wanted.variants else ()
            target = variant.target or wanted.target
            overrides = {**wanted.overrides, **variant.overrides}
            cast = await self.cast(access, agent_id, target, overrides, policy, where)
            _check_rehearsal(cast.agent, wanted.force_primary_failure)
            for test, path, name in chosen:
                rules = self.policies.find(name)
                _check(test, cast, rules, path)
                parts.append(
                    Part(
                        material_of(cast, _as_wanted(test, wanted), rules),
                        rules,
                        agent_id,
                        cast.version,
                        variant=variant.name or None,
                        seed=wanted.seed,
                        overrides_used=cast.overrides_used,
                        force_primary_failure=wanted.force_primary_failure,
                    )
                )
        started = await self._start(access, parts, policy, as_far_as_paid=wanted.as_far_as_paid)
        over = await self._wait(started, wanted.wait) if wanted.wait else False
        batch = await service.show_batch(self.context, access.project_id, started.batch_id)
        not_started = [_not_started(plan) for plan in started.not_started]
        return {"batch_id": started.batch_id, "runs": batch["runs"], "not_started": not_started}, over

    async def reply(self, access: Access, agent_id: str, wanted: ReplyWanted) -> tuple[dict[str, Any], bool]:
        """One reply of an agent, as a run; the run, and whether it is over.

        Raises:
            NotFound, Invalid, Conflict, CannotPay: as for `start`.
        """
        policy = self.policies.native
        cast = await self.cast(access, agent_id, wanted.target, wanted.overrides, policy, ())
        written: dict[str, Json] = {
            "name": _REPLY,
            "caller": {"history": [{"role": line.role, "text": line.text} for line in wanted.messages]},
            "tools": wanted.tools,
            "tool_results": wanted.tool_results,
            "variables": dict(wanted.variables),
        }
        try:
            test = Test.model_validate(written)
        except ValidationError:
            raise Invalid(
                [Problem(("messages",), "the talk must end with the caller, who is to be answered")]
            ) from None
        _check(test, cast, policy, ())
        part = Part(material_of(cast, test, policy), policy, agent_id, cast.version, overrides_used=cast.overrides_used)
        started = await self._start(access, [part], policy)
        over = await self._wait(started, wanted.wait)
        return await service.show(self.context, access.project_id, started.runs[0].id), over

    async def try_tool(self, access: Access, agent_id: str, name: str, wanted: TryWanted) -> dict[str, Any]:
        """Call one tool of an agent for real.

        Raises:
            NotFound: there is no such agent, or it has no such tool.
            Invalid: the arguments do not fit, or the agent lacks what the call needs.
        """
        from greenroom.tools.real import open_real_tools

        cast = await self.cast(access, agent_id, wanted.target, {}, self.policies.native, ())
        agent = cast.agent
        networks = self.context.settings.allow_private_networks
        run_id = new_id("run")
        async with open_real_tools(allow_private_networks=networks, allow_programs=False) as tools:
            call = _call(agent, name, wanted, run_id)
            try:
                answer = await tools.call(call)
            except RunError as problem:
                raise Invalid(str(problem)) from None
        return asdict(answer)

    async def cast(
        self,
        access: Access,
        agent_id: str,
        target: Target | None,
        overrides: Mapping[str, Json],
        policy: Policy,
        where: tuple[str | int, ...],
    ) -> Cast:
        """The agent in the state that is asked for, with changes that hold for its runs alone."""
        state: State = target or ("draft" if policy.target == "draft" else "published")
        loaded = await agents.load(self.context, access, agent_id, state)
        agent = loaded.agent
        if overrides:
            path = (*where, "overrides")
            with _at(path):
                agent = read(Agent, merge(agent, overrides)).model_copy(update={"id": agent_id})
                problems = check_kept_agent(agent, policy.limits, self.context.settings.knowledge_characters)
                if problems:
                    raise Invalid(problems)
        others = await agents.load_others(self.context, access, agent)
        return Cast(agent, loaded.version, others, bool(overrides))

    async def _tests(
        self, access: Access, agent_id: str, wanted: RunsWanted, policy: Policy
    ) -> list[tuple[Test, tuple[str | int, ...], str]]:
        """The tests to run, where each stands in the request, and whose policy holds for it."""
        chosen: list[tuple[Test, tuple[str | int, ...], str]] = []
        for place, data in enumerate(wanted.tests or ()):
            with _at(("tests", place)):
                chosen.append((read(Test, data), ("tests", place), policy.name))
        if wanted.test_ids is not None or wanted.tags or wanted.tests is None:
            kept = await tests.load(self.context, access, agent_id, ids=wanted.test_ids, tags=wanted.tags)
            native = self.policies.native.name
            chosen.extend((each.test, (), policy.name if each.policy == native else each.policy) for each in kept)
        return chosen

    async def _start(
        self, access: Access, parts: Sequence[Part], policy: Policy, *, as_far_as_paid: bool = False
    ) -> Started:
        async with self.context.database.reading() as session:
            project = await projects.read(session, access.project_id)
        if project is None:
            raise NotFound("This project is gone.")
        owner = Owner(project.id, project.owner_id or project.id)
        platform = frozenset(platform_credentials(self.context.settings))
        starter = Starter(self.context, self.queue, platform)
        return await starter.start(owner, parts, policy, as_far_as_paid=as_far_as_paid)

    async def _wait(self, started: Started, seconds: float) -> bool:
        """Wait until the runs are over, but no longer than `seconds`; whether they are."""
        left = [run.id for run in started.runs]
        try:
            async with asyncio.timeout(seconds):
                while left:
                    await asyncio.sleep(_LOOK_EVERY)
                    async with self.context.database.reading() as session:
                        left = await store.unfinished_of(session, left)
        except TimeoutError:
            return False
        return True


class _at:  # noqa: N801 - it reads as part of a `with`
    """Tells mistakes at their place in the whole request."""

    def __init__(self, path: tuple[str | int, ...]) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if isinstance(problem, Invalid):
            raise Invalid([Problem((*self._path, *each.path), each.message) for each in problem.errors]) from None


def material_of(cast: Cast, test: Test, policy: Policy) -> Material:
    """What the runs of a test play under a policy."""
    return Material(
        cast.agent,
        test,
        cast.others,
        policy.limits,
        caller_llm=policy.caller_llm,
        judge_llm=policy.judge_llm,
        test_header=policy.test_header,
    )


def _as_wanted(test: Test, wanted: RunsWanted) -> Test:
    """A test with what holds for these runs alone."""
    changes = {"repeat": wanted.repeat, "reason_language": wanted.reason_language}
    return test.model_copy(update={name: value for name, value in changes.items() if value is not None})


def _not_started(plan: Plan) -> dict[str, Any]:
    return {
        "test_id": plan.test.id,
        "test": plan.test.name,
        "variation": plan.variation,
        "variant": plan.variant,
        "repeat_index": plan.repeat_index,
    }


def _check(test: Test, cast: Cast, policy: Policy, path: tuple[str | int, ...]) -> None:
    if cast.agent.pipeline_mode == "realtime":
        raise Invalid(f"The agent {cast.agent.name} is a realtime agent: it has no text step, so it cannot be tested.")
    problems = check_test(test, cast.agent, cast.others, policy.limits)
    if problems:
        named = f"the test `{test.name}`: " if not path else ""
        raise Invalid([Problem((*path, *each.path), f"{named}{each.message}") for each in problems])


def _check_rehearsal(agent: Agent, wanted: bool) -> None:
    if wanted and agent.llm_fallback is None:
        message = f"the agent {agent.name} has no backup brain to rehearse: set its `llm_fallback`"
        raise Invalid([Problem(("force_primary_failure",), message)])


def _check_names(variants: Sequence[Variant]) -> None:
    names = [variant.name for variant in variants]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise Invalid([Problem(("variants", place, "name"), f"two variants are named `{name}`: rename one")])


def _call(agent: Agent, name: str, wanted: TryWanted, run_id: str) -> RealCall:
    """The call of a tool that is tried."""
    variables = {**agent.variables, **wanted.variables}
    tool = next((each for each in agent.tools if each.name == name), None)
    server, double, _ = name.partition("__")
    is_mcp = tool is None and bool(double) and any(each.name == server for each in agent.mcp_servers)
    if tool is None and not is_mcp:
        raise NotFound(f"The agent {agent.name} has no tool of this name.")
    arguments: dict[str, Json] = wanted.arguments
    if tool is not None:
        import json

        parsed = parse_arguments(json.dumps(arguments), tool.parameters)
        if parsed.arguments is None:
            raise Invalid([Problem(("arguments",), parsed.problem)])
        arguments = parsed.arguments
    webhook = agent.tool_webhook
    if tool is not None and tool.http is None and (webhook is None or not webhook.url or webhook.secret is None):
        raise Invalid("The agent's tool webhook has no URL or no signing secret: set `tool_webhook`.")
    kind = "mcp" if tool is None else "http" if tool.http is not None else "webhook"
    return RealCall(
        run_id=run_id, call_id="try", agent=agent, tool=name, kind=kind, arguments=arguments, variables=variables
    )
