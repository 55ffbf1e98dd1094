"""What one run is to play, and what it may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.model.talk import Brain
from greenroom.play.ports import Clock, KnowledgeSearch, Patience, RealTools, RemoteAgents, wait_in_real_time


@dataclass(frozen=True, slots=True)
class Plan:
    """One run, before it is played.

    `others` are the agents that the talk may move to, by name or id. `seed` decides everything that is left to
    chance. `caller_llm` and `judge_llm` are the project's, used where neither the test nor the agent names one.
    `force_primary_failure` rehearses the backup brain. `test_header` marks real tool calls as a test's. `place` tells
    tests apart that have the same name.
    """

    run_id: str
    test: Test
    agent: Agent
    others: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None
    agent_version: int | None = None
    variation: str | None = None
    variant: str | None = None
    repeat_index: int = 0
    overrides_used: bool = False
    force_primary_failure: bool = False
    policy: str = "native"
    test_header: str = "X-Greenroom-Test"
    created_at: datetime | None = None
    place: str = ""

    @property
    def caller_model(self) -> Llm | None:
        """Who plays the caller: what the test names, else the agent, else the project, else the agent's own brain."""
        return self.test.caller_llm or self.agent.caller_llm or self.caller_llm or self.agent.llm

    @property
    def judge_model(self) -> Llm | None:
        """Who judges: found like the caller."""
        return self.test.judge_llm or self.agent.judge_llm or self.judge_llm or self.agent.llm

    @property
    def scope(self) -> str:
        """Which playing of which test this is: the same text each time that it is played, whatever its id."""
        names = (self.place, self.agent.name, self.test.name, self.variation, self.variant, str(self.repeat_index))
        return " / ".join(name for name in names if name)


@dataclass(frozen=True, slots=True)
class Ports:
    """What a run may use of the outside."""

    brain: Brain
    tools: RealTools
    knowledge: KnowledgeSearch
    remote: RemoteAgents
    clock: Clock
    wait: Patience = wait_in_real_time
