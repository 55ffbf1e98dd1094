"""The `greenroom` fixture: plays a test that is written in Python."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, Required, TypeAlias, TypedDict, Unpack, cast

from greenroom.model.base import Json
from greenroom.model.case import Caller, Test, ToolMock, ToolMode, Variation
from greenroom.model.checks import Check
from greenroom.model.errors import GreenroomError, UserMistake
from greenroom.model.limits import Limits
from greenroom.model.llm import Llm
from greenroom.testing.agents import AgentLike, Given, read_agent
from greenroom.testing.budget import OverBudget
from greenroom.testing.cassettes import Cassette
from greenroom.testing.changes import change
from greenroom.testing.played import Played
from greenroom.testing.session import Playing, Session, run_now
from greenroom.testing.settings import Marked
from greenroom.testing.written import written

if TYPE_CHECKING:
    from greenroom.files.suite import Case

CallerLike: TypeAlias = Caller | str | Sequence[str] | Mapping[str, Json]
"""Who can call: a `Persona`, a `Script` or a `History`; also a persona as a text, a list of messages, or plain data."""
LlmLike: TypeAlias = Llm | str | Mapping[str, Json]
"""A model: `provider:name`, an `Llm`, or plain data."""

_OWN = frozenset({"agent_name", "variant", "seed", "llm", "caller_llm", "judge_llm", "min_pass_rate", "repeat"})


class Wishes(TypedDict, total=False):
    """What a test says, beside its agent: the fields of a test in a file, and how it is to be played.

    `name` is the pytest test's where it is not given. `llm` plays caller and judge where the agent names no model for
    them; `caller_llm` and `judge_llm` say it for one of them. `agent_name` picks an agent of a file, `variant` one of
    the file's variants. `repeat` plays the test so often, of which `min_pass_rate` (0 to 1, all where not given) must
    pass. `seed` decides everything that is left to chance.
    """

    caller: Required[CallerLike]
    checks: Sequence[Check | Mapping[str, Json]]
    name: str
    max_turns: int
    variables: Mapping[str, str | int | float | bool]
    tool_results: Mapping[str, Json]
    tool_mocks: Sequence[ToolMock | Mapping[str, Json]]
    tools: ToolMode
    use_real_tools: bool
    pass_score: int
    judges: int
    grounding: Literal["offline", "judge"]
    reason_language: str
    variations: Sequence[Variation | Mapping[str, Json]]
    tags: Sequence[str]
    agent_name: str
    variant: str
    repeat: int
    min_pass_rate: float
    seed: int
    llm: LlmLike
    caller_llm: LlmLike
    judge_llm: LlmLike


class Greenroom:
    """Plays tests for one pytest test. `played` holds what was played so far.

    `test_file` and `test_name` are the pytest test's: relative paths start from the folder of its file, and its
    cassette lies beside it. `keep` hears of each result; `skip` ends the test where the budget is spent.
    """

    def __init__(
        self,
        session: Session,
        test_file: Path,
        test_name: str,
        marked: Callable[[], Marked],
        keep: Callable[[Played], None],
        skip: Callable[[str], NoReturn],
    ) -> None:
        self.played: list[Played] = []
        self._session = session
        self._file = test_file
        self._name = test_name
        self._marked = marked
        self._keep = keep
        self._skip = skip
        self._cassette: Cassette | None = None
        self._started = 0

    async def play(self, agent: AgentLike, **wishes: Unpack[Wishes]) -> Played:
        """Play a test of `agent` and give back what came of it.

        `agent` is the path of a file, an `Agent`, its data as a dictionary, the URL of an endpoint that speaks OpenAI
        chat completions, or a function `(messages) -> reply`, async or not; `messages` is the talk as
        `[{"role": "user" or "assistant", "content": …}]`. `wishes` are described at `Wishes`.

        Raises:
            UserMistake: something in the agent or the test is wrong; nothing was played.
        """
        __tracebackhide__ = True
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise UserMistake("`play` needs asyncio: in a test on another event loop, call `play_sync`.") from None
        problem: GreenroomError
        try:
            return await self._play(agent, wishes)
        except GreenroomError as error:
            problem = error
        # The way to a mistake leads through Greenroom's own code, which tells the test's author nothing.
        raise problem.with_traceback(None) from None

    def play_sync(self, agent: AgentLike, **wishes: Unpack[Wishes]) -> Played:
        """`play`, for tests that are not async."""
        __tracebackhide__ = True
        problem: GreenroomError
        try:
            return run_now(self._play(agent, wishes))
        except GreenroomError as error:
            problem = error
        raise problem.with_traceback(None) from None

    def __repr__(self) -> str:
        return f"<greenroom: {self._started} played>"

    async def _play(self, agent: AgentLike, wishes: Wishes) -> Played:
        __tracebackhide__ = True
        self._started += 1
        case, playing = self._prepare(agent, wishes)
        try:
            played = await self._session.play(case, playing)
        except OverBudget as spent:
            if spent.played is not None:
                self._keep(spent.played)
            self._skip(str(spent))
        self.played.append(played)
        self._keep(played)
        return played

    def _prepare(self, agent: AgentLike, wishes: Wishes) -> tuple[Case, Playing]:
        settings, marked = self._session.settings, self._marked()
        given = read_agent(agent, self._file.parent, wishes.get("agent_name"))
        case = self._case(given, self._test(wishes), wishes.get("variant"))
        self._cassette = self._cassette or Cassette(self._file, self._name, settings.cassette_for(marked))
        llm = _llm(wishes.get("llm"), "llm")
        playing = Playing(
            cassette=self._cassette,
            repeat=settings.repeat_for(marked, wishes.get("repeat")),
            min_pass_rate=settings.rate_for(marked, wishes.get("min_pass_rate")),
            seed=wishes.get("seed", 0),
            caller_llm=_llm(wishes.get("caller_llm"), "caller_llm") or llm,
            judge_llm=_llm(wishes.get("judge_llm"), "judge_llm") or llm,
            functions=given.functions,
        )
        if case.test.caller.persona is not None and not self._somebody_plays_the_caller(case, playing):
            raise UserMistake(
                f'Nobody plays the caller of `{case.test.name}`: give `llm="openai:gpt-4.1-mini"` or another one to '
                "`play`, or set `greenroom_llm` in the pytest configuration."
            )
        return case, playing

    def _somebody_plays_the_caller(self, case: Case, playing: Playing) -> bool:
        agent = case.agent
        return bool(agent.caller_llm or playing.caller_llm or self._session.settings.llm or agent.llm)

    def _test(self, wishes: Wishes) -> Test:
        fields: dict[str, object] = {name: value for name, value in wishes.items() if name not in _OWN}
        if "caller" not in fields:
            raise UserMistake('Who calls? Give `caller=Persona("…")`, `Script("…")` or `History(…)`.')
        fields["caller"] = _caller(cast("CallerLike", fields["caller"]))
        # Two talks of one test need names of their own, by which their answers are found on the cassette.
        name = self._name if self._started == 1 else f"{self._name} ({self._started})"
        return written(Test, {"name": name[:200], **fields}, "the test")

    def _case(self, given: Given, test: Test, variant: str | None) -> Case:
        from greenroom.files.suite import Case, Suite
        from greenroom.model.rules import check_agent, check_test

        limits = Limits()
        problems = [
            *check_agent(given.agent, limits),
            *check_test(test, given.agent, given.others, limits),
        ]
        if problems:
            raise UserMistake("\n".join(dict.fromkeys(problem.message for problem in problems)), problems)
        case = Case(
            file=self._file,
            line=0,
            agent=given.agent,
            test=test,
            others=given.others,
            credentials=given.credentials,
            variants=given.variants,
            unset_credentials=given.unset_credentials,
            players=given.players,
        )
        return change(Suite((case,)), self._session.settings, variant).cases[0]


def _caller(given: CallerLike) -> Caller | Mapping[str, Json]:
    match given:
        case str():
            return {"persona": given}
        case Caller() | Mapping():
            return given
        case _:
            return {"messages": list(given)}


def _llm(given: LlmLike | None, what: str) -> Llm | None:
    match given:
        case None | Llm():
            return given
        case str():
            return written(Llm, {"model": given}, what)
        case _:
            return written(Llm, given, what)
