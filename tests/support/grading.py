"""Finished talks for grading, and a judge that answers from a list."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from greenroom.grade.grading import grade
from greenroom.grade.ports import Grades, Talk
from greenroom.model.agent import Agent
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.checks import Check, EndedBy, JudgeCheck
from greenroom.model.errors import BrainFailed, BrainFault
from greenroom.model.llm import Llm
from greenroom.model.run import AgentLine, CallerLine, CheckResult, Line, Reason, Source, ToolLine
from greenroom.model.talk import BrainReply, BrainRequest

AGENT = "Northline Dental"
JUDGE = Llm(model="openai:judge")


def agent_says(text: str, turn: int = 1, **more: Any) -> AgentLine:
    return AgentLine(turn=turn, agent=AGENT, text=text, **more)


def caller_says(text: str, turn: int = 1, **more: Any) -> CallerLine:
    return CallerLine(turn=turn, text=text, **more)


def tool_ran(
    name: str,
    arguments: Json = None,
    result: Json = None,
    *,
    turn: int = 1,
    source: Source = "canned",
    reason: Reason | None = None,
    **more: Any,
) -> ToolLine:
    return ToolLine(
        turn=turn, agent=AGENT, name=name, arguments=arguments, result=result, source=source, reason=reason, **more
    )


def test_with(*checks: Check, **more: Any) -> Test:
    caller = {"persona": "Ravi, a regular."}
    return Test.model_validate({"name": "A test", "caller": caller, "checks": list(checks), **more})


test_with.__test__ = False  # pyright: ignore[reportFunctionMemberAccess] - it is no test, in spite of its name


def a_talk(
    *lines: Line,
    test: Test | None = None,
    ended_by: EndedBy = "caller_hung_up",
    passages: Mapping[int, tuple[str, ...]] | None = None,
    **agent: Any,
) -> Talk:
    return Talk(
        transcript=lines,
        ended_by=ended_by,
        agent=Agent.model_validate({"name": AGENT, "prompt": "You book visits.", **agent}),
        test=test or test_with(),
        passages=passages or {},
    )


def yes(reason: str = "It did.", quote: str = "") -> str:
    return json.dumps({"answer": "yes", "reason": reason, "quote": quote}, ensure_ascii=False)


def no(reason: str = "It did not.", quote: str = "") -> str:
    return json.dumps({"answer": "no", "reason": reason, "quote": quote}, ensure_ascii=False)


def card(*met: bool, score: object = 80, summary: str = "Be shorter.", quote: str = "") -> str:
    criteria = [
        {"number": number, "met": one, "reason": "So it was.", "quote": quote}
        for number, one in enumerate(met, start=1)
    ]
    return json.dumps({"criteria": criteria, "score": score, "summary": summary}, ensure_ascii=False)


Reply = str | BrainReply | Exception


@dataclass
class ListedJudge:
    """A judge that gives its answers in order, or by a function of the request; keeps every request."""

    answers: Sequence[Reply] | Callable[[BrainRequest], Reply]
    requests: list[BrainRequest] = field(default_factory=list)

    async def ask(self, request: BrainRequest) -> BrainReply:
        self.requests.append(request)
        answer = self.answers(request) if callable(self.answers) else self.answers[len(self.requests) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, BrainReply) else BrainReply(text=answer)


@dataclass
class Heard:
    """Somebody who is told of each result."""

    results: list[tuple[int, CheckResult]] = field(default_factory=list)

    async def tell(self, index: int, result: CheckResult) -> None:
        self.results.append((index, result))


async def graded(talk: Talk, *answers: Reply, judge: Llm | None = JUDGE) -> Grades:
    """Grade a talk with a judge that gives these answers in order, and no other."""
    return await grade(talk, ListedJudge(answers).ask, judge, Heard().tell)


LINES: tuple[Line, ...] = (
    agent_says("Northline Dental, this is Maya.", turn=0),
    caller_says("I need Monday.", turn=1),
    tool_ran("book_slot", {"day": "Monday"}, {"ok": True}),
    agent_says("Your visit is on Monday at ten.", turn=1),
)
POLITE = JudgeCheck(question="Was it polite?")
FAILED = BrainFailed("OpenAI did not answer.", fault=BrainFault.UNAVAILABLE)


def talk_with(*checks: Check, lines: tuple[Line, ...] = LINES, **test: object) -> Talk:
    return a_talk(*lines, test=test_with(*checks, **test))


async def result_of(check: Check, *answers: Reply, lines: tuple[Line, ...] = LINES, **test: object) -> CheckResult:
    grades = await graded(talk_with(check, lines=lines, **test), *answers)
    return grades.results[0]
