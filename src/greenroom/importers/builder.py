"""Agents and tests of an import, put together so that a test file of them loads.

What a test asks for that its agent or the limits do not allow is moved to the list of what could not be carried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from greenroom.importers.drafts import PASTE, AgentDraft, unique
from greenroom.importers.imported import Imported, ImportOptions
from greenroom.importers.source import Notes, Path, said_of
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.checks import Check, needs_judge
from greenroom.model.errors import Problem, UserMistake
from greenroom.model.limits import Limits
from greenroom.model.rules import check_test
from greenroom.model.text import shorten

MAX_TESTS = 2000
MAX_REPEAT = 1000

_NO_PROMPT = "it is not in the file: paste yours into the agent's `prompt`, or name the file of your agent"


@dataclass(frozen=True, slots=True)
class _Draft:
    path: Path
    agent: AgentDraft
    fields: dict[str, object]


class Builder:
    """Collects the agents and tests of one import."""

    def __init__(self, options: ImportOptions, notes: Notes, tool: str) -> None:
        self.options = options
        self.notes = notes
        self._tool = tool
        self._agents: dict[object, AgentDraft] = {}
        self._tests: list[_Draft] = []

    def agent(self, key: object = None, name: str | None = None, path: Path = ()) -> AgentDraft:
        """The agent that goes by `key`, made at its first mention. With an agent file, it is always the same one."""
        if self.options.agents:
            key, name = None, self.options.agents[0].name
        if key not in self._agents:
            wanted = name or f"Imported from {self._tool}"
            taken = [agent.name for agent in self._agents.values()]
            self._agents[key] = AgentDraft(unique(wanted, taken), path, self.notes, self.options)
        return self._agents[key]

    def test(self, agent: AgentDraft, path: Path, fields: Mapping[str, object]) -> None:
        """Add a test, as the fields of `Test`. What is `None` is left out.

        Raises:
            UserMistake: there are more tests than an import may hold.
        """
        if len(self._tests) >= MAX_TESTS:
            raise UserMistake(f"the file makes more than {MAX_TESTS:,} tests: split it")
        self._tests.append(
            _Draft(path, agent, {key: value for key, value in fields.items() if value is not None and value != []})
        )

    def repeat(self, times: int | None, path: Path) -> int | None:
        """How often tests are played, where it is said and possible."""
        if times is not None and times > MAX_REPEAT:
            self.notes.add(path, "how often a test is played", f"{MAX_REPEAT:,} times is the most: it is set to that")
        return min(times, MAX_REPEAT) if times else None

    def finish(self) -> Imported:
        """Everything, valid.

        Raises:
            UserMistake: no test is left; the message says why.
        """
        self.notes.close()
        agents = self._made_agents()
        tests: list[Test] = []
        names: set[str] = set()
        for draft in self._tests:
            agent = agents[draft.agent]
            test = self._made(draft, names, is_alone=len(agents) == 1)
            fitting = None if test is None else _Fitting(self.notes, draft.path, self.options, agent).fit(test)
            if fitting is not None:
                names.add(fitting.name)
                tests.append(fitting)
        if not tests:
            raise UserMistake(self._nothing_left())
        used = list(dict.fromkeys(agents[draft.agent].name for draft in self._tests))
        kept = [agent for agent in agents.values() if agent.name in used]
        given = list(self.options.agents)
        return Imported(given or kept, tests, self.notes.listed(), self.options.agent if given else None)

    def _made_agents(self) -> dict[AgentDraft, Agent]:
        if self.options.agents:
            return dict.fromkeys(self._agents.values(), self.options.agents[0])
        tested = {draft.agent for draft in self._tests}
        made = {draft: draft.made(self.options.limits) for draft in self._agents.values() if draft in tested}
        for draft, agent in made.items():
            if agent.prompt == PASTE:
                self.notes.add(draft.path, "the agent's prompt", _NO_PROMPT)
        return made

    def _made(self, draft: _Draft, names: set[str], *, is_alone: bool) -> Test | None:
        fields = dict(draft.fields)
        fields["name"] = unique(str(fields.get("name") or f"Test {len(names) + 1}"), names)
        if not is_alone:
            fields["agent"] = draft.agent.name
        try:
            return Test.model_validate(fields)
        except ValidationError as error:
            self.notes.add(draft.path, "this test", said_of(error))
            return None

    def _nothing_left(self) -> str:
        reasons = [f"{entry.place}: {entry.why}" for entry in self.notes.listed()][:5]
        said = "".join(f"\n{reason}" for reason in reasons)
        return f"there is no test for Greenroom in it: is it an export of {self._tool}?{said}"


class _Fitting:
    """Makes a test fit its agent and the limits."""

    def __init__(self, notes: Notes, path: Path, options: ImportOptions, agent: Agent) -> None:
        self._notes = notes
        self._path = path
        self._limits: Limits = options.limits
        self._agent = agent
        self._others = {other.name: other for other in options.agents if other is not agent}

    def fit(self, test: Test) -> Test | None:
        """The test without what does not fit; `None` where that is the test itself."""
        fitting: Test | None = test
        while fitting is not None and (problems := self._problems(fitting)):
            fitting = self._without(fitting, problems[0])
        if fitting is not None and not fitting.checks:
            self._note("this test", "it has no check here: it passes when its talk comes to an end")
        return fitting

    def _problems(self, test: Test) -> Sequence[Problem]:
        return check_test(test, self._agent, self._others, self._limits)

    def _note(self, what: str, why: str) -> None:
        self._notes.add(self._path, what, why)

    def _without(self, test: Test, problem: Problem) -> Test | None:
        match problem.path:
            case ("checks", int(index), *_):
                self._note(f"the check {_shown(test.checks[index])}", problem.message)
                return test.model_copy(update={"checks": _but(test.checks, index)})
            case ("checks",):
                return self._with_fewer_checks(test, problem)
            case ("tool_mocks", int(index), *_):
                self._note(f"a prepared answer of `{test.tool_mocks[index].tool}`", problem.message)
                return test.model_copy(update={"tool_mocks": _but(test.tool_mocks, index)})
            case ("tool_results", str(name), *_):
                self._note(f"the prepared answer of `{name}`", problem.message)
                kept = {key: value for key, value in test.tool_results.items() if key != name}
                return test.model_copy(update={"tool_results": kept})
            case ("max_turns",):
                most = self._limits.max_turns
                self._note("the number of turns", f"a test has at most {most}: it is set to that")
                return test.model_copy(update={"max_turns": most})
            case _:
                self._note("this test", problem.message)
                return None

    def _with_fewer_checks(self, test: Test, problem: Problem) -> Test:
        """Without the last check of those that are too many."""
        too_many_at_all = len(test.checks) > self._limits.checks
        index = max(place for place, check in enumerate(test.checks) if too_many_at_all or needs_judge(check))
        self._note(f"the check {_shown(test.checks[index])}", problem.message)
        return test.model_copy(update={"checks": _but(test.checks, index)})


def _but(items: Sequence[object], index: int) -> list[object]:
    return [item for place, item in enumerate(items) if place != index]


def _shown(check: Check) -> str:
    named = next(
        (
            str(value)
            for name in ("text", "pattern", "tool", "question", "criteria")
            if (value := getattr(check, name, ""))
        ),
        "",
    )
    return f"`{check.type}` ({shorten(named, 60)})" if named else f"`{check.type}`"
