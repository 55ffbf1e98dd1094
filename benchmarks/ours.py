"""The same talk, played by Greenroom: its engine, its real client of the OpenAI protocol, its checks and recording."""

from __future__ import annotations

import itertools
from contextlib import AsyncExitStack

from benchmarks.scene import AGENT_PROMPT, GREETING, PERSONA, QUESTION
from greenroom.batch import BatchOptions, plan_runs, play_batch
from greenroom.local import open_ports
from greenroom.model.agent import Agent
from greenroom.model.case import Caller, Test
from greenroom.model.checks import JudgeCheck
from greenroom.model.llm import Llm


class Ours:
    """Greenroom, with one set of ports for all its talks."""

    def __init__(self, url: str) -> None:
        def llm(name: str) -> Llm:
            return Llm(model=f"openai-compatible:{name}", base_url=url)

        self._agent = Agent(
            name="Northline Dental",
            prompt=AGENT_PROMPT,
            greeting=GREETING,
            llm=llm("agent"),
            caller_llm=llm("caller"),
            judge_llm=llm("judge"),
        )
        self._ids = (f"run-{number}" for number in itertools.count())
        self._open = AsyncExitStack()
        self._entered = False

    async def play(self, talks: int, turns: int, concurrency: int) -> None:
        """Play `talks` talks, at most `concurrency` at once."""
        if not self._entered:
            self._ports = await self._open.enter_async_context(open_ports())
            self._entered = True
        test = Test(
            name="Moves a visit",
            caller=Caller(persona=PERSONA),
            max_turns=turns,
            checks=[JudgeCheck(question=QUESTION)],
            repeat=talks,
        )
        plans = plan_runs(test, self._agent, new_id=lambda: next(self._ids))
        result = await play_batch(plans, self._ports, options=BatchOptions(concurrency=concurrency))
        for run in result.runs:
            if run.status != "passed" or run.turns != turns:
                raise RuntimeError(f"a run {run.status} after {run.turns} turns: {run.error}")

    async def close(self) -> None:
        await self._open.aclose()
