"""Keeps the run as it stands after each line, and tells whoever follows it."""

from __future__ import annotations

from typing import TypeVar

from greenroom.model.checks import EndedBy
from greenroom.model.events import (
    CheckGraded,
    Event,
    LineAdded,
    ModelAsked,
    RunFinished,
    RunStarted,
    TurnStarted,
    UsageChanged,
    WarningAdded,
)
from greenroom.model.llm import Llm, Role
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, RoleUsage, Run, Status, ToolLine
from greenroom.model.talk import Usage
from greenroom.play.plan import Plan
from greenroom.play.ports import Clock, Listener

AnyLine = TypeVar("AnyLine", AgentLine, CallerLine, ToolLine)


class Recorder:
    """The run in the making. Every change goes through here, so that the run and its events never disagree."""

    def __init__(self, plan: Plan, clock: Clock, listen: Listener) -> None:
        self._clock = clock
        self._listen = listen
        self._began = clock.elapsed()
        self._usage: dict[tuple[Role, str], RoleUsage] = {}
        self.passages: dict[int, tuple[str, ...]] = {}
        self.run = Run(
            id=plan.run_id,
            test=plan.test.name,
            test_id=plan.test.id,
            kind=plan.test.caller.kind,
            variation=plan.variation,
            repeat_index=plan.repeat_index,
            agent=plan.agent.name,
            agent_id=plan.agent.id,
            agent_version=plan.agent_version,
            variant=plan.variant,
            tags=list(plan.test.tags),
            overrides_used=plan.overrides_used,
            force_primary_failure=plan.force_primary_failure,
            policy=plan.policy,
            seed=plan.seed,
            reason_language=plan.test.reason_language,
            created_at=plan.created_at or clock.now(),
            checks=[CheckResult(check=check) for check in plan.test.checks],
        )

    async def tell(self, event: Event) -> None:
        await self._listen(event)

    async def start(self) -> None:
        self._began = self._clock.elapsed()
        self.run.status = "running"
        self.run.started_at = self._clock.now()
        await self.tell(RunStarted(self.run))

    async def start_turn(self, turn: int) -> None:
        await self.tell(TurnStarted(self.run.id, turn))

    async def ask(self, role: Role) -> None:
        await self.tell(ModelAsked(self.run.id, role))

    async def add(self, line: AnyLine) -> int:
        """Add a line and give its index."""
        line.at_ms = round((self._clock.elapsed() - self._began) * 1000)
        self.run.transcript.append(line)
        index = len(self.run.transcript) - 1
        await self.tell(LineAdded(self.run.id, index, line))
        return index

    def take_back(self, lines: int, warnings: int) -> list[Line]:
        """Keep only the first `lines` lines and `warnings` warnings, and give the lines taken back, oldest first. What
        they cost stays counted."""
        taken = self.run.transcript[lines:]
        del self.run.transcript[lines:]
        del self.run.warnings[warnings:]
        for index in [index for index in self.passages if index >= lines]:
            del self.passages[index]
        return taken

    async def line_changed(self, index: int) -> None:
        await self.tell(LineAdded(self.run.id, index, self.run.transcript[index]))

    async def warn(self, warning: str) -> None:
        """Add a warning, once."""
        if warning not in self.run.warnings:
            self.run.warnings.append(warning)
            await self.tell(WarningAdded(self.run.id, warning))

    async def count(self, role: Role, llm: Llm, usage: Usage) -> None:
        """Add what one reply used to the totals of its model in its role."""
        entry = self._usage.get((role, llm.model))
        if entry is None:
            entry = RoleUsage(role=role, provider=llm.provider, model=llm.name)
            self._usage[role, llm.model] = entry
            self.run.usage.append(entry)
        entry.calls += 1
        entry.input_tokens += usage.input_tokens
        entry.output_tokens += usage.output_tokens
        entry.cached_input_tokens += usage.cached_input_tokens
        entry.reasoning_tokens += usage.reasoning_tokens
        entry.estimated = entry.estimated or usage.estimated
        if usage.cost is None or entry.cost_usd is None:
            entry.cost_usd = None
        else:
            entry.cost_usd += usage.cost
        await self.tell(UsageChanged(self.run.id, entry))

    async def grade(self, index: int, result: CheckResult) -> None:
        self.run.checks[index] = result
        await self.tell(CheckGraded(self.run.id, index, result))

    async def finish(self, status: Status, ended_by: EndedBy, error: str | None = None) -> Run:
        self.run.status = status
        self.run.ended_by = ended_by
        self.run.error = error
        self.run.finished_at = self._clock.now()
        await self.tell(RunFinished(self.run))
        return self.run
