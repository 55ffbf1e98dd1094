"""The tests of some files, ready to be played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from greenroom.files.casting import Cast, Player, credentials_of
from greenroom.files.environment import Unset
from greenroom.files.mistakes import FileMistakes, Mistake
from greenroom.files.overrides import override_agent, with_model
from greenroom.model.agent import Agent
from greenroom.model.case import Test
from greenroom.model.errors import Problem, UserMistake
from greenroom.model.limits import Limits
from greenroom.model.llm import Credential, Llm
from greenroom.model.rules import check_agent, check_hand_offs, check_test, nearest


@dataclass(frozen=True, slots=True)
class Case:
    """A test of a file and everything that it is played with.

    `line` is where the test starts. `others` are the other agents of the file, by name. `credentials` are those of
    the file whose environment variables are set. `variants` are the agents as each variant of the file makes them;
    `variant` is the one that was chosen. `overridden` says that the agent is not as the file has it.
    """

    file: Path
    line: int
    agent: Agent
    test: Test
    others: Mapping[str, Agent] = field(default_factory=dict[str, Agent])
    credentials: Mapping[str, Credential] = field(default_factory=dict[str, Credential])
    variants: Mapping[str, Cast] = field(default_factory=dict[str, Cast])
    variant: str | None = None
    overridden: bool = False
    unset_credentials: Mapping[str, tuple[Unset, ...]] = field(default_factory=dict[str, tuple[Unset, ...]], repr=False)
    players: tuple[Player, ...] = field(default=(), repr=False)

    @property
    def caller_llm(self) -> Llm | None:
        """The model that test or agent name for the caller."""
        return self.test.caller_llm or self.agent.caller_llm

    @property
    def judge_llm(self) -> Llm | None:
        """The model that test or agent name for the judge."""
        return self.test.judge_llm or self.agent.judge_llm

    def missing_secrets(self) -> Iterator[Unset]:
        """The secrets that this case would use and whose environment variables are not set."""
        for owner in (self.agent, *self.others.values(), self.test):
            for _, credential in credentials_of(owner):
                yield from self.unset_credentials.get(credential, ())
        for player in self.players:
            yield from (unset for unset in player.unset if self._uses(unset, player.agent))

    def _uses(self, unset: Unset, agent: Agent) -> bool:
        match unset.use:
            case "webhook" | "http":
                return self.test.tool_mode == "real"
            case "mcp":
                # Which tools a server has is asked even where their answers are canned.
                return self.test.tool_mode == "real" or any(server.tools is None for server in agent.mcp_servers)
            case _:
                return True


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of some files, in the order of the files and of the tests in them."""

    cases: tuple[Case, ...]
    limits: Limits = field(default_factory=Limits)

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that any file knows, in the order of their first mention."""
        return tuple(dict.fromkeys(name for case in self.cases for name in case.variants))

    def with_variant(self, name: str) -> Suite:
        """The same tests with the agents as a variant makes them. A file without that variant keeps its agents.

        Raises:
            UserMistake: no file has the variant.
        """
        if name not in self.variants:
            raise UserMistake(_no_variant(name, self.variants))
        return replace(self, cases=tuple(_in_variant(case, name) for case in self.cases))

    def override(self, assignments: Mapping[str, object]) -> Suite:
        """The same tests with fields of the tested agents set, see `greenroom.files.overrides.override_agent`.

        Raises:
            UserMistake: a field is not known, a value does not fit, or a test does not fit the changed agent.
        """
        return self._with_agents(lambda agent: override_agent(agent, assignments), only_tested=True)

    def with_model(self, model: str) -> Suite:
        """The same tests with every agent's brain replaced by `model` (`provider:name`).

        Raises:
            UserMistake: `model` is not a model, or needs more than its name.
        """
        return self._with_agents(lambda agent: with_model(agent, model), only_tested=False)

    def require_secrets(self) -> None:
        """Make sure, before anything is asked of anyone, that every secret that will be used is there.

        Raises:
            FileMistakes: environment variables are not set; each is named with the place that needs it.
        """
        missing = [unset for case in self.cases for unset in case.missing_secrets()]
        if missing:
            places = sorted({(unset.place, unset.message) for unset in missing})
            raise FileMistakes(Mistake.at(place, message) for place, message in places)

    def _with_agents(self, change: Callable[[Agent], Agent], *, only_tested: bool) -> Suite:
        cases = tuple(_changed(case, change, only_tested=only_tested) for case in self.cases)
        problems = list(_misfits(cases, self.limits))
        if problems:
            raise UserMistake("\n".join(problem.message for problem in problems), problems)
        return replace(self, cases=cases)


def _no_variant(name: str, known: Iterable[str]) -> str:
    names = list(known)
    if not names:
        return f"There is no variant `{name}`: the files have no `variants`."
    near = nearest(name, names)
    hint = f"did you mean `{near}`?" if near else f"there is {', '.join(f'`{known}`' for known in names)}."
    return f"There is no variant `{name}`; {hint}"


def _in_variant(case: Case, name: str) -> Case:
    cast = case.variants.get(name)
    player = cast.find(case.agent.name) if cast else None
    if cast is None or player is None:
        return case
    return replace(case, agent=player.agent, others=cast.others(player.agent), variant=name, players=cast.players)


def _changed(case: Case, change: Callable[[Agent], Agent], *, only_tested: bool) -> Case:
    others = case.others if only_tested else {name: change(agent) for name, agent in case.others.items()}
    return replace(case, agent=change(case.agent), others=others, overridden=True)


def _misfits(cases: Iterable[Case], limits: Limits) -> Iterator[Problem]:
    told: set[str] = set()
    for case in cases:
        found = [
            *check_agent(case.agent, limits),
            *check_hand_offs(case.agent, case.others),
            *check_test(case.test, case.agent, case.others, limits),
        ]
        for problem in found:
            message = f"{case.file}:{case.line}: with these changes, `{case.test.name}` does not fit: {problem.message}"
            if message not in told:
                told.add(message)
                yield Problem(problem.path, message)
