"""Plays tests for one pytest session: with its settings, on its budget, and with each test's cassette."""

from __future__ import annotations

import asyncio
import contextvars
import os
import uuid
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from greenroom.testing.budget import Budget, OverBudget
from greenroom.testing.played import Played
from greenroom.testing.settings import Settings

if TYPE_CHECKING:
    from greenroom.cassettes.tape import Tape
    from greenroom.engine import Ports
    from greenroom.files.suite import Case
    from greenroom.model.llm import Llm
    from greenroom.testing.cassettes import Cassette

Result = TypeVar("Result")

_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Playing:
    """How one test is played. `functions` are agents of this process, by the name that their agent has for them."""

    cassette: Cassette
    repeat: int = 1
    min_pass_rate: float = 1.0
    seed: int = 0
    caller_llm: Llm | None = None
    judge_llm: Llm | None = None
    functions: Mapping[str, Callable[..., object]] = field(default_factory=dict[str, Callable[..., object]])


class Session:
    """What the tests of one pytest process share. `width` is how many columns a talk may take."""

    def __init__(self, settings: Settings, budget: Budget, width: int) -> None:
        self.settings = settings
        self.budget = budget
        self.width = width

    async def play(self, case: Case, playing: Playing) -> Played:
        """Play a test, all its repeats and variations side by side.

        Raises:
            UserMistake: its cassette cannot be used, or a secret that it needs is not set.
            OverBudget: the session's budget is spent; what was played of it is counted.
        """
        from greenroom.batch import BatchOptions, plan_runs, play_batch
        from greenroom.files.suite import Suite
        from greenroom.local import open_ports

        left = self.budget.left()
        if not playing.cassette.may_answer:
            Suite((case,)).require_secrets()
        tape = playing.cassette.tape(self._secrets(case))
        usual = self._usual_llm() if case.agent.llm is None else None
        test = case.test.model_copy(update={"repeat": playing.repeat})
        plans = plan_runs(
            test,
            case.agent,
            case.others,
            new_id=lambda: f"run_{uuid.uuid4().hex}",
            seed=playing.seed,
            variant=case.variant,
            caller_llm=playing.caller_llm or usual,
            judge_llm=playing.judge_llm or usual,
            overrides_used=case.overridden,
        )
        async with open_ports(case.credentials, os.environ, functions=playing.functions) as ports:
            used = ports if tape is None else _taped(ports, tape, keep_remote=bool(playing.functions))
            result = await play_batch(plans, used, options=BatchOptions(_AT_ONCE, left))
        playing.cassette.save()
        self.budget.spend(result.spent_usd)
        played = Played(
            test=case.test,
            agent=case.agent,
            runs=tuple(result.runs),
            min_pass_rate=playing.min_pass_rate,
            width=self.width,
            place=(case.file, case.line) if case.line else None,
        )
        if result.over_budget:
            raise OverBudget(self.budget.sentence, played if played.runs else None)
        return played

    def _usual_llm(self) -> Llm | None:
        from greenroom.model.llm import Llm
        from greenroom.testing.written import written

        model = self.settings.llm
        return None if model is None else written(Llm, {"model": model}, "greenroom_llm")

    def _secrets(self, case: Case) -> frozenset[str]:
        from greenroom.cassettes.secrets import secrets_of

        return secrets_of((case.agent, *case.others.values(), *case.credentials.values()), os.environ)


def _taped(ports: Ports, tape: Tape, *, keep_remote: bool) -> Ports:
    from greenroom.cassettes.wrap import with_cassette

    taped = with_cassette(ports, tape)
    # An agent that is a function of this process is the code under test: its answers are never replayed.
    return replace(taped, remote=ports.remote) if keep_remote else taped


def run_now(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end, from code that is not async.

    The loop is new and private: no event loop policy and no current loop is touched. Where a loop already runs in this
    thread (some plugins keep one), another thread does the work.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    with ThreadPoolExecutor(1, thread_name_prefix="greenroom") as pool:
        return pool.submit(contextvars.copy_context().run, _run, work).result()


def _run(work: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(work)
