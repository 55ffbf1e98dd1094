"""Grading a finished talk: what needs no model first, then everything for the judge at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from greenroom.grade.deterministic import settle
from greenroom.grade.judge import Judge, Opinion
from greenroom.grade.language import load as load_language_detector
from greenroom.grade.lines import last_reply
from greenroom.grade.ports import Ask, Grades, Talk, Tell
from greenroom.grade.prompts import Questions, judge_rules
from greenroom.grade.quotes import Quotable
from greenroom.grade.tools import open_calls
from greenroom.model.checks import CallsTool, Check, Criterion, Grounded, Language, ReplyMeets
from greenroom.model.errors import OutOfTime, RunError, Stopped
from greenroom.model.llm import Llm
from greenroom.model.run import CheckResult, Scorecard
from greenroom.model.text import shorten

LONGEST_REASON = 500
LONGEST_SUMMARY = 2000

_NO_JUDGE = "These checks need a judge, and there is no model for one: give the agent `judge_llm` or `llm`."
_STOPPED = "Stopped before it was graded."
_OUT_OF_TIME = "The judge's time ran out before it had graded all checks."


async def grade(talk: Talk, ask: Ask, judge: Llm | None, tell: Tell) -> Grades:
    """Grade every check of the talk's test.

    Checks that need no model are settled first. The others go to the judge together, in the order of the checks: all
    criteria in one request, every other check in one of its own. `tell` hears of each check once, as soon as it is
    known. A check that cannot be decided has `passed=None`, and the reason in `Grades.error` or `Grades.stopped`;
    the others keep their results.
    """
    sheet = _Sheet(talk.test.checks, tell)
    if any(isinstance(check, Language) for check in talk.test.checks):
        await asyncio.to_thread(load_language_detector)
    open_checks: list[int] = []
    for index, check in enumerate(talk.test.checks):
        settled = settle(check, talk)
        if settled is None:
            open_checks.append(index)
        else:
            await sheet.put(index, settled.result, settled.error)
    if open_checks and judge is None:
        for index in open_checks:
            await sheet.put_failure(index, RunError(_NO_JUDGE))
    elif open_checks and judge is not None:
        test = talk.test
        asked = Judge(ask, judge, judge_rules(test.reason_language), Quotable(talk.transcript), test.judges)
        await _Session(talk, asked, sheet).judge_all(open_checks)
    return sheet.grades()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner  # pyright: ignore[reportUnknownArgumentType] - of any exceptions


class _Sheet:
    """The results as they come in."""

    def __init__(self, checks: Sequence[Check], tell: Tell) -> None:
        self._tell = tell
        self._results = [CheckResult(check=check) for check in checks]
        self._errors: dict[int, str] = {}
        self._stopped = False
        self._telling = asyncio.Lock()
        self.scorecard: Scorecard | None = None

    async def put(self, index: int, result: CheckResult, error: str | None = None) -> None:
        self._results[index] = result
        if error is not None:
            self._errors[index] = error
        async with self._telling:
            await self._tell(index, result)

    async def put_failure(self, index: int, failure: Exception) -> None:
        check = self._results[index].check
        if isinstance(failure, Stopped):
            self._stopped = True
            await self.put(index, CheckResult(check=check, detail=_STOPPED))
            return
        sentence = _OUT_OF_TIME if isinstance(failure, OutOfTime) else str(failure).strip()
        await self.put(index, CheckResult(check=check, detail=sentence), sentence)

    def grades(self) -> Grades:
        """All results; of several errors the one of the first check."""
        error = self._errors[min(self._errors)] if self._errors else None
        return Grades(tuple(self._results), self.scorecard, error, self._stopped)


class _Session:
    """The judging of one talk."""

    def __init__(self, talk: Talk, judge: Judge, sheet: _Sheet) -> None:
        self._talk = talk
        self._judge = judge
        self._sheet = sheet
        self._questions = Questions(talk)

    async def judge_all(self, open_checks: Sequence[int]) -> None:
        """Put all questions at once. Tasks are made in the order of the checks, so that requests start in it."""
        criteria = [index for index in open_checks if isinstance(self._check(index), Criterion)]
        try:
            async with asyncio.TaskGroup() as group:
                for index in open_checks:
                    if index not in criteria:
                        group.create_task(self._guard([index], self._ask_question(index)))
                    elif index == criteria[0]:
                        group.create_task(self._guard(criteria, self._fill_scorecard(criteria)))
        except BaseExceptionGroup as group:
            # What is left is no failure of the judge's (a listener's, or a bug): the first goes on as it was raised.
            raise _first(group) from None

    def _check(self, index: int) -> Check:
        return self._talk.test.checks[index]

    async def _guard(self, indexes: Sequence[int], work: Awaitable[Callable[[], Awaitable[None]]]) -> None:
        """Do the judging; where it fails, only these checks go without a result."""
        try:
            keep = await work
        except (RunError, Stopped, OutOfTime) as failure:
            for index in indexes:
                await self._sheet.put_failure(index, failure)
            return
        # Outside of the `try`: a failure of whoever listens is not the judge's.
        await keep()

    async def _ask_question(self, index: int) -> Callable[[], Awaitable[None]]:
        check = self._check(index)
        opinion = await self._judge.question(self._questions.about(check))

        async def keep() -> None:
            await self._sheet.put(index, self._result(check, opinion))

        return keep

    async def _fill_scorecard(self, indexes: Sequence[int]) -> Callable[[], Awaitable[None]]:
        criteria = [check for index in indexes if isinstance(check := self._check(index), Criterion)]
        texts = [check.text for check in criteria]
        opinion = await self._judge.scorecard(self._questions.scorecard(criteria), texts)

        async def keep() -> None:
            if opinion.card is not None:
                summary = shorten(opinion.card.summary, LONGEST_SUMMARY)
                self._sheet.scorecard = Scorecard(score=opinion.card.score, summary=summary)
            for index, check, single in zip(indexes, criteria, opinion.criteria, strict=True):
                if single is None:
                    await self._sheet.put_failure(index, RunError("The judges came to no majority on a criterion."))
                else:
                    await self._sheet.put(index, self._result(check, single))

        return keep

    def _result(self, check: Check, opinion: Opinion) -> CheckResult:
        detail = shorten(opinion.reason, LONGEST_REASON) or f"The judge says {'yes' if opinion.yes else 'no'}."
        if opinion.verified is False:
            detail = f"{detail} (The judge's quote “{shorten(opinion.made_up, 120)}” does not stand in the talk.)"
        line = opinion.place.line if opinion.place else self._line_of(check)
        return CheckResult(
            check=check,
            passed=opinion.yes,
            detail=detail,
            turn=None if line is None else self._talk.transcript[line].turn,
            line=line,
            quote=opinion.quote or None,
            quote_verified=opinion.verified,
            votes=opinion.votes,
        )

    def _line_of(self, check: Check) -> int | None:
        """The line that a check is about where the judge quoted none."""
        if isinstance(check, ReplyMeets | Grounded):
            reply = last_reply(self._talk)
            return reply.lines[-1].index if reply else None
        if isinstance(check, CallsTool):
            calls = open_calls(check, self._talk)
            return calls[0].index if calls else None
        return None
