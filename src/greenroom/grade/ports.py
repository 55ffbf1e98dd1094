"""What grading needs of the outside: a way to ask the judge, and somebody to tell of each result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.checks import EndedBy
from greenroom.model.run import CheckResult, Line, Scorecard
from greenroom.model.talk import BrainReply, BrainRequest

Ask: TypeAlias = Callable[[BrainRequest], Awaitable[BrainReply]]
"""Puts a request to a model, counting what it costs.

Raises `BrainFailed` (the model could not answer), `Stopped` (before anything was sent) or `OutOfTime`.
"""

Tell: TypeAlias = Callable[[int, CheckResult], Awaitable[None]]
"""Told of each result as it is known: its index among the test's checks, and the result."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A finished talk, as grading sees it. `agent` is the one under test. `passages` gives, by index of an agent line
    in the transcript, the passages of knowledge that were before the brain for it; a line of an agent without
    knowledge has no entry."""

    transcript: tuple[Line, ...]
    ended_by: EndedBy
    agent: Agent
    test: Test
    passages: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class Grades:
    """What grading came to. `error` is a sentence where a judged check could not be decided (its `passed` is `None`);
    `stopped` when the run was asked to stop in the middle: what had been decided is kept."""

    results: tuple[CheckResult, ...]
    scorecard: Scorecard | None = None
    error: str | None = None
    stopped: bool = False
