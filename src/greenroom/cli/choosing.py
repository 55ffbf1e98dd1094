"""Which agent of which file is meant, by those who talk to it or write tests for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from greenroom.files.agents import find_file, load_agents
from greenroom.files.load import load_files
from greenroom.files.overrides import read_assignments
from greenroom.files.suite import Case, Suite
from greenroom.model.agent import Agent
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits
from greenroom.model.rules import nearest
from greenroom.report.printable import printable_line

_NAMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class AgentWishes:
    """What the command line says of the agent: its file, its name there, and how it is to be changed. `test` names a
    test of the file whose agent, variables and prepared answers are meant."""

    file: Path | None = None
    agent: str | None = None
    variant: str | None = None
    model: str | None = None
    settings: Sequence[str] = ()
    test: str | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The agent that is meant. `case.test` is the test that was named, or one that only stands in."""

    case: Case
    limits: Limits = field(default_factory=Limits)

    @property
    def file(self) -> Path:
        return self.case.file

    @property
    def agent(self) -> Agent:
        return self.case.agent

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents of the file, the chosen one first."""
        return (self.case.agent, *self.case.others.values())


def choose(wishes: AgentWishes, *, needs_secrets: bool = True) -> Chosen:
    """Find the file, read it, and take the agent as it was asked for.

    Raises:
        UserMistake: something in the file or in what was asked for is wrong, or, with `needs_secrets`, a secret that
            the agent needs is not set.
    """
    file = find_file(wishes.file)
    if wishes.test is None:
        suite = load_agents(file, environ=os.environ)
        case = _agent_named(suite, wishes.agent, file)
    else:
        suite = load_files([file], environ=os.environ)
        case = _test_named(suite, wishes.test, file)
        if wishes.agent is not None and wishes.agent not in (case.agent.name, case.agent.id):
            raise UserMistake(
                f"--agent {wishes.agent}: the test `{case.test.name}` is one of the agent `{case.agent.name}`; "
                "take --agent out"
            )
    suite = Suite((case,), suite.limits)
    if wishes.variant is not None:
        suite = suite.with_variant(wishes.variant)
    if wishes.model is not None:
        suite = suite.with_model(wishes.model)
    if wishes.settings:
        suite = suite.override(read_assignments(wishes.settings, "--set"))
    if needs_secrets:
        suite.require_secrets()
    return Chosen(suite.cases[0], suite.limits)


def _agent_named(suite: Suite, name: str | None, file: Path) -> Case:
    if name is None:
        return suite.cases[0]
    for case in suite.cases:
        if name in (case.agent.name, case.agent.id):
            return case
    raise UserMistake(f"--agent {name}: {file} has no such agent{_choice(name, [c.agent.name for c in suite.cases])}")


def _test_named(suite: Suite, name: str, file: Path) -> Case:
    exactly = [case for case in suite.cases if case.test.name == name]
    partly = [case for case in suite.cases if name.casefold() in case.test.name.casefold()]
    for found in (exactly, partly):
        if len(found) == 1:
            return found[0]
    raise UserMistake(f"--test {name}: {file} has no such test{_choice(name, [c.test.name for c in suite.cases])}")


def _choice(name: str, known: Sequence[str]) -> str:
    near = nearest(name, known)
    if near is not None:
        return f"; did you mean `{printable_line(near)}`?"
    listed = ", ".join(f"`{printable_line(one)}`" for one in known[:_NAMES_SHOWN])
    more = f" and {len(known) - _NAMES_SHOWN} more" if len(known) > _NAMES_SHOWN else ""
    return f"; there is {listed}{more}"
