"""Asking the judge: one more try for a broken answer, one for a made-up quote, and a majority of several votes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Generic, TypeVar

from greenroom.grade.answers import Answer, BrokenAnswer, ScorecardAnswer, read_answer, read_scorecard
from greenroom.grade.ports import Ask
from greenroom.grade.prompts import QUESTION_SHAPE, SCORECARD_SHAPE, Inquiry
from greenroom.grade.quotes import Place, Quotable, has_words, quotes_in, stands_in_any
from greenroom.model.errors import OutOfTime, RunError, Stopped
from greenroom.model.llm import Llm
from greenroom.model.loose_json import objects_among_words
from greenroom.model.run import Scorecard
from greenroom.model.talk import AnswerShape, BrainRequest, JudgeTask, ModelSaid, UserSaid
from greenroom.model.text import shorten

ROOM = 2000
"""The fewest tokens that an answer of the judge's gets, however short the agent's own replies are kept."""

T = TypeVar("T")


class JudgeFailed(RunError):
    """The judge gave no answer that can be used."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the judge says of one question. `verified` is `None` where it quoted nothing."""

    yes: bool
    reason: str
    quote: str = ""
    verified: bool | None = None
    place: Place | None = None
    made_up: str = ""
    votes: str | None = None


@dataclass(frozen=True, slots=True)
class CardOpinion:
    """What the judge says of all criteria. A criterion without a majority is `None`."""

    criteria: tuple[Opinion | None, ...]
    card: Scorecard | None


@dataclass(frozen=True, slots=True)
class _Usable(Generic[T]):
    """How an answer is read, and which of its quotes are made up."""

    read: Callable[[str], T]
    made_up: Callable[[T], list[str]]


class Judge:
    """The judge of one talk."""

    def __init__(self, ask: Ask, llm: Llm, rules: str, talk: Quotable, judges: int) -> None:
        room = None if llm.max_tokens is None else max(llm.max_tokens, ROOM)
        self._llm = llm.model_copy(update={"temperature": 0.0, "max_tokens": room})
        self._ask = ask
        self._rules = rules
        self._talk = talk
        self._judges = judges

    async def question(self, inquiry: Inquiry) -> Opinion:
        """Put a question; with several judges the majority decides.

        Raises:
            RunError: no majority, since the judge could not answer or gave nothing usable.
            Stopped: the run was asked to stop.
            OutOfTime: the time limit passed.
        """
        request = self._request(inquiry, QUESTION_SHAPE, JudgeTask("question", (inquiry.asked,)))
        usable = _Usable(read_answer, lambda answer: self._made_up(answer, inquiry))
        votes, failure = await self._vote(lambda: self._answer(request, usable))
        decided = self._majority([self._opinion(vote, inquiry) for vote in votes])
        if decided is None:
            raise failure or JudgeFailed("The judges are divided.")
        return decided

    async def scorecard(self, inquiry: Inquiry, criteria: Sequence[str]) -> CardOpinion:
        """Put all criteria at once; with several judges the majority decides each, and the score is the median.

        Raises:
            RunError: no majority of usable answers.
            Stopped: the run was asked to stop.
            OutOfTime: the time limit passed.
        """
        request = self._request(inquiry, SCORECARD_SHAPE, JudgeTask("scorecard", tuple(criteria)))
        usable = _Usable(
            lambda text: read_scorecard(text, len(criteria)),
            lambda card: [quote for answer in card.criteria for quote in self._made_up(answer, inquiry)],
        )
        votes, failure = await self._vote(lambda: self._answer(request, usable))
        if 2 * len(votes) <= self._judges:
            raise failure or JudgeFailed("The judges gave no scorecard.")
        opinions = tuple(
            self._majority([self._opinion(vote.criteria[place], inquiry) for vote in votes])
            for place in range(len(criteria))
        )
        score = median_low(vote.score for vote in votes)
        spokesman = max(votes, key=lambda vote: (_agreement(vote, opinions), -abs(vote.score - score)))
        return CardOpinion(opinions, Scorecard(score=score, summary=spokesman.summary))

    def _request(self, inquiry: Inquiry, shape: AnswerShape, task: JudgeTask) -> BrainRequest:
        return BrainRequest(
            role="judge",
            llm=self._llm,
            system=self._rules,
            messages=(UserSaid(inquiry.message),),
            answer=shape,
            task=task,
            heard=inquiry.asked,
        )

    # One vote

    async def _answer(self, request: BrainRequest, usable: _Usable[T]) -> T:
        kept: T | None = None
        broken = quoted = False
        while True:
            try:
                reply = await self._ask(request)
            except RunError:
                if kept is None:
                    raise
                return kept  # the answer stands, only its quote could not be asked for again
            if reply.finish == "refused":
                raise JudgeFailed(f"The judge ({self._llm.model}) refused to answer: choose another `judge_llm`.")
            try:
                answer = usable.read(self._without_echo(reply.text))
            except BrokenAnswer as fault:
                if broken:
                    if kept is not None:
                        return kept
                    raise JudgeFailed(self._sentence(fault)) from None
                broken = True
                correction = f"That answer cannot be used: {fault}. Answer again, with the JSON object alone."
            else:
                made_up = usable.made_up(answer)
                if not made_up or quoted:
                    return answer
                quoted, kept = True, answer
                correction = _about_quotes(made_up)
            # Some providers refuse an empty message.
            said = reply.text if reply.text.strip() else "(no answer)"
            request = replace(request, messages=(*request.messages, ModelSaid(said), UserSaid(correction)))

    def _without_echo(self, text: str) -> str:
        """`text`, unless it shows JSON of the talk's among other words: then nobody can tell what the judge says.

        Raises:
            BrokenAnswer: it does.
        """
        if any(self._talk.holds(written) for written in objects_among_words(text)):
            raise BrokenAnswer("it repeats JSON that stands in the talk")
        return text

    def _sentence(self, fault: BrokenAnswer) -> str:
        return f"The judge ({self._llm.model}) gave no usable answer, even when asked again: {fault}."

    def _made_up(self, answer: Answer, inquiry: Inquiry) -> list[str]:
        """The quotes of an answer that do not stand in the talk; a reason may also quote what was asked."""
        found = [answer.quote] if has_words(answer.quote) and self._talk.find(answer.quote) is None else []
        elsewhere = (*inquiry.also_quotable, answer.quote)
        found.extend(
            quote
            for quote in quotes_in(answer.reason)
            if self._talk.find(quote) is None and not stands_in_any(quote, elsewhere)
        )
        return list(dict.fromkeys(found))

    def _opinion(self, answer: Answer, inquiry: Inquiry) -> Opinion:
        made_up = self._made_up(answer, inquiry)
        quoted = has_words(answer.quote)
        place = self._talk.find(answer.quote) if quoted else None
        verified = False if made_up else True if quoted else None
        return Opinion(
            answer.yes,
            answer.reason,
            answer.quote if quoted else "",
            verified,
            place,
            made_up[0] if made_up else "",
        )

    # Several votes

    async def _vote(self, once: Callable[[], Awaitable[T]]) -> tuple[list[T], Exception | None]:
        """The usable votes, and the gravest reason why others are missing."""
        outcomes: list[T | Exception] = [await _caught(once())] if self._judges == 1 else await self._several(once)
        votes = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
        failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        return votes, min(failures, key=_gravity, default=None)

    async def _several(self, once: Callable[[], Awaitable[T]]) -> list[T | Exception]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_caught(once())) for _ in range(self._judges)]
        return [task.result() for task in tasks]

    def _majority(self, opinions: Sequence[Opinion]) -> Opinion | None:
        """The first opinion of the side with more than half of all votes, one with a sound quote if there is one."""
        for side in (True, False):
            agreeing = [opinion for opinion in opinions if opinion.yes is side]
            if 2 * len(agreeing) > self._judges:
                speaker = min(agreeing, key=lambda opinion: (opinion.verified is not True, opinion.verified is False))
                split = f"{len(agreeing)} of {self._judges}" if self._judges > 1 else None
                return replace(speaker, votes=split)
        return None


async def _caught(vote: Awaitable[T]) -> T | Exception:
    """A vote, or why there is none: one that fails must not take the others down."""
    try:
        return await vote
    except (RunError, Stopped, OutOfTime) as failure:
        return failure


def _gravity(failure: Exception) -> int:
    kinds = (Stopped, OutOfTime, RunError)
    return next(place for place, kind in enumerate(kinds) if isinstance(failure, kind))


def _agreement(vote: ScorecardAnswer, opinions: Sequence[Opinion | None]) -> int:
    return sum(
        1
        for answer, opinion in zip(vote.criteria, opinions, strict=True)
        if opinion is not None and opinion.yes is answer.yes
    )


def _about_quotes(made_up: Sequence[str]) -> str:
    shown = " and ".join(f"“{shorten(quote, 200)}”" for quote in made_up[:5])
    return (
        f"This does not stand in the talk: {shown}. Judge again from what was really said. Copy each quote word for "
        "word from a single entry, or leave `quote` empty. Answer with the JSON object alone."
    )
