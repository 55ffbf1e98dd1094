"""What happens while a run plays, for whoever follows it live."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.model.llm import Role
from greenroom.model.run import CheckResult, Line, RoleUsage, Run


@dataclass(frozen=True, slots=True)
class RunStarted:
    run: Run


@dataclass(frozen=True, slots=True)
class TurnStarted:
    run_id: str
    turn: int


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A request to a model is about to be sent."""

    run_id: str
    role: Role


@dataclass(frozen=True, slots=True)
class LineAdded:
    """A line of the transcript; the same `index` again replaces the line (a card was added to it)."""

    run_id: str
    index: int
    line: Line


@dataclass(frozen=True, slots=True)
class UsageChanged:
    run_id: str
    usage: RoleUsage
    """The new total of one model in one role."""


@dataclass(frozen=True, slots=True)
class WarningAdded:
    run_id: str
    warning: str


@dataclass(frozen=True, slots=True)
class GradingStarted:
    run_id: str
    checks: int


@dataclass(frozen=True, slots=True)
class CheckGraded:
    run_id: str
    index: int
    result: CheckResult


@dataclass(frozen=True, slots=True)
class RunFinished:
    run: Run


Event = (
    RunStarted
    | TurnStarted
    | ModelAsked
    | LineAdded
    | UsageChanged
    | WarningAdded
    | GradingStarted
    | CheckGraded
    | RunFinished
)
