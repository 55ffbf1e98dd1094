"""The model that drafts tests, asked with progress shown and everything counted."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal

from rich.text import Text

from greenroom.cli.choosing import Chosen
from greenroom.cli.output import Output
from greenroom.cli.sources import CallSource, FailedRuns, Source
from greenroom.drafting.draft import (
    Answered,
    DraftOptions,
    Drafts,
    NoAuthor,
    author_llm,
    draft_from_call,
    draft_from_failure,
    draft_from_prompt,
)
from greenroom.local import open_ports
from greenroom.model.case import Test
from greenroom.model.errors import RunError, UserMistake
from greenroom.model.llm import Llm
from greenroom.model.talk import Brain, Usage
from greenroom.report.figures import cost, plural, tokens
from greenroom.report.printable import printable_line


@dataclass(slots=True)
class Used:
    """What the requests used. `cost_usd` is the part whose price is known, the whole where `cost_complete`."""

    model: str = ""
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    cost_usd: Decimal = Decimal(0)
    cost_complete: bool = True

    def add(self, usage: Usage) -> None:
        self.requests += 1
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.estimated |= usage.estimated
        self.cost_usd += usage.cost or Decimal(0)
        self.cost_complete &= usage.cost is not None

    def as_data(self) -> dict[str, object]:
        """For JSON."""
        return {
            "model": self.model or None,
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "tokens_estimated": self.estimated,
            "cost_usd": float(self.cost_usd),
            "cost_complete": self.cost_complete,
        }

    def __str__(self) -> str:
        count = self.input_tokens + self.output_tokens
        words = [plural(self.requests, "request"), f"{tokens(count, estimated=self.estimated)} tokens"]
        return ", ".join([*words, f"cost {cost(self.cost_usd, complete=self.cost_complete)}"])


@dataclass(slots=True)
class Drafted:
    """The tests, what was dropped and why, what it used, and which drafts came to nothing."""

    tests: list[Test] = field(default_factory=list[Test])
    dropped: list[str] = field(default_factory=list[str])
    used: Used = field(default_factory=Used)
    problems: list[str] = field(default_factory=list[str])


def author_of(chosen: Chosen, model: str | None) -> Llm:
    """The model that drafts tests for the chosen agent.

    Raises:
        UserMistake: there is none, or `model` is none.
    """
    try:
        return author_llm(chosen.agent, model)
    except NoAuthor as problem:
        if model is None:
            raise UserMistake(f"{str(problem).capitalize()}: add --model PROVIDER:NAME") from None
        raise UserMistake(f"--model {model}: {problem}") from None


class Author:
    """Drafts tests for one agent."""

    def __init__(self, chosen: Chosen, model: str | None, output: Output) -> None:
        self._chosen = chosen
        self._llm = author_of(chosen, model)
        self._output = output
        self._drafted = Drafted()
        self._drafted.used.model = self._llm.model

    def draft(self, source: Source, options: DraftOptions) -> Drafted:
        """Ask for tests, from the source or from the agent's prompt.

        Raises:
            UserMistake: there is no prompt to draft from.
            RunError: the model could not answer, or nothing usable came of it. Of several failed runs, those that
                came to nothing are told in `problems` instead, unless all did.
        """
        agent = self._chosen.agent
        if not agent.prompt.strip() and source is None:
            raise UserMistake(
                f"The agent {agent.name} lives elsewhere and its `prompt` is not in the file: write there what it is "
                "to do, or draft from a real call with --from-call"
            )
        try:
            asyncio.run(self._draft(source, options))
        except RunError:
            if self._drafted.used.requests:
                self._output.say_aside(Text(f"Nothing came of it: {self._drafted.used}", style="dim"))
            raise
        return self._drafted

    async def _draft(self, source: Source, options: DraftOptions) -> None:
        credentials = self._chosen.case.credentials
        async with open_ports(credentials, os.environ) as ports:
            if not isinstance(source, FailedRuns):
                with self._at_work(plural(options.count, "test")):
                    self._keep(await self._ask(source, options, ports.brain))
                return
            await self._from_runs(source, options, ports.brain)

    async def _ask(self, source: CallSource | None, options: DraftOptions, brain: Brain) -> Drafts:
        agent, others = self._chosen.agent, self._chosen.case.others
        if source is None:
            return await draft_from_prompt(agent, brain, self._llm, options, others, self._hear)
        return await draft_from_call(agent, source.lines, brain, self._llm, options, others, self._hear)

    async def _from_runs(self, source: FailedRuns, options: DraftOptions, brain: Brain) -> None:
        failures: list[RunError] = []
        for run in source.runs:
            known = (*options.known, *(test.name for test in self._drafted.tests))
            fitting = replace(options, known=known)
            with self._at_work(f"{plural(options.count, 'test')} from the failed run of “{run.title}”"):
                try:
                    drafts = await draft_from_failure(
                        self._chosen.agent, run, brain, self._llm, fitting, self._chosen.case.others, self._hear
                    )
                except RunError as failure:
                    failures.append(failure)
                    self._drafted.problems.append(f"{run.title}: {failure}")
                else:
                    self._keep(drafts)
        if failures and not self._drafted.tests:
            raise failures[0]

    def _keep(self, drafts: Drafts) -> None:
        self._drafted.tests.extend(drafts.tests)
        self._drafted.dropped.extend(drafts.dropped)

    def _hear(self, answered: Answered) -> None:
        self._drafted.used.add(answered.usage)
        if answered.asks_again:
            why = f": {printable_line(answered.problems[0])}" if answered.problems else ""
            self._output.say_aside(Text(f"{plural(answered.tests, 'test')} so far; asked once more{why}", style="dim"))

    @contextmanager
    def _at_work(self, what: str) -> Generator[None]:
        words = Text(f"Drafting {printable_line(what)} with {self._llm.model}…", style="dim")
        if not self._output.is_live:
            self._output.say_aside(words)
            yield
            return
        with self._output.aside.status(words):
            yield
