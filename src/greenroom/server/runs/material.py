"""What a run plays, as it was when the run was started: sealed while the run waits and plays, then gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic import BaseModel, SecretStr

from greenroom.batch import vary
from greenroom.engine import Plan
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.server.runs.store import RunRow
from greenroom.server.security.vault import Vault


@dataclass(frozen=True, slots=True)
class Material:
    """An agent under test, the agents that it may hand over to, a test, and what holds for its runs."""

    agent: Agent
    test: Test
    others: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    limits: Limits = field(default_factory=Limits)
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None
    test_header: str = "X-Greenroom-Test"

    @property
    def models(self) -> list[Llm]:
        """All models that its runs may ask."""
        agents = [self.agent, *self.others.values()]
        named = [llm for each in agents for llm in (each.llm, each.llm_fallback, each.caller_llm, each.judge_llm)]
        return [llm for llm in (*named, self.caller_llm, self.judge_llm) if llm is not None]

    def seal(self, vault: Vault) -> str:
        """The material, encrypted: it holds the agents' secrets."""
        written: dict[str, Json] = {
            "agent": with_secrets(self.agent),
            "test": with_secrets(self.test),
            "others": {name: with_secrets(other) for name, other in self.others.items()},
            "limits": with_secrets(self.limits),
            "caller_llm": with_secrets(self.caller_llm) if self.caller_llm else None,
            "judge_llm": with_secrets(self.judge_llm) if self.judge_llm else None,
            "test_header": self.test_header,
        }
        return vault.seal(json.dumps(written, ensure_ascii=False, separators=(",", ":")))

    @staticmethod
    def unseal(sealed: str, vault: Vault) -> Material:
        """The material again.

        Raises:
            CannotOpen: the key that it was sealed with is not at hand.
        """
        written = cast("dict[str, Json]", json.loads(vault.open(sealed)))  # as `seal` wrote it
        others = cast("dict[str, Json]", written["others"])
        caller, judge = written["caller_llm"], written["judge_llm"]
        return Material(
            agent=Agent.model_validate(written["agent"]),
            test=Test.model_validate(written["test"]),
            others={name: Agent.model_validate(other) for name, other in others.items()},
            limits=Limits.model_validate(written["limits"]),
            caller_llm=Llm.model_validate(caller) if caller else None,
            judge_llm=Llm.model_validate(judge) if judge else None,
            test_header=str(written["test_header"]),
        )

    def plan(self, run: RunRow) -> Plan:
        """What one of its runs plays."""
        test = self.test
        if run.variation is not None:
            chosen = next(each for each in test.variations if each.name == run.variation)
            test = vary(test, chosen)
        return Plan(
            run_id=run.id,
            test=test,
            agent=self.agent,
            others=self.others,
            seed=run.seed,
            limits=self.limits,
            caller_llm=self.caller_llm,
            judge_llm=self.judge_llm,
            agent_version=run.agent_version,
            variation=run.variation,
            variant=run.variant,
            repeat_index=run.repeat_index,
            overrides_used=run.overrides_used,
            force_primary_failure=run.force_primary_failure,
            policy=run.policy,
            test_header=self.test_header,
            created_at=run.created_at,
        )


def with_secrets(model: BaseModel) -> Json:
    """The data of a model as JSON, its secrets in clear. Only for what is sealed."""
    # What was not written stays unwritten: for some fields, being given at all means something.
    return _plain(model.model_dump(exclude_unset=True))


def _plain(value: object) -> Json:
    match value:
        case SecretStr():
            return value.get_secret_value()
        case dict():
            items = cast("dict[object, object]", value).items()
            return {str(key): _plain(item) for key, item in items}
        case list() | tuple():
            return [_plain(item) for item in cast("list[object]", value)]
        case str() | int() | float() | bool() | None:
            return value
        case _:
            raise TypeError(f"a model holds a {type(value).__name__}, which is not JSON")
