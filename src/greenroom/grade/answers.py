"""The judge's answers, read leniently: what is meant counts, but what is missing or contradicts itself does not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from greenroom.model.loose_json import ContradictoryJson, objects_with
from greenroom.model.text import squeeze

_YES = frozenset({"yes", "y", "true"})
_NO = frozenset({"no", "n", "false"})


class BrokenAnswer(Exception):
    """An answer that cannot be used; the message says what is wrong, for the judge to mend."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, or to one criterion of a scorecard."""

    yes: bool
    reason: str
    quote: str


@dataclass(frozen=True, slots=True)
class ScorecardAnswer:
    """The answer to all criteria, in their order."""

    criteria: tuple[Answer, ...]
    score: int
    summary: str


def read_answer(text: str) -> Answer:
    """Read the answer to a question.

    Raises:
        BrokenAnswer: it is no JSON object, gives no clear yes or no, or two that differ.
    """
    answers = {_answer(found, "answer") for found in _fields_with(text, "answer")}
    if not answers:
        raise BrokenAnswer("there is no JSON object with `answer` in it")
    if len({answer.yes for answer in answers}) > 1:
        raise BrokenAnswer("it holds two answers that contradict each other")
    return sorted(answers, key=lambda answer: (-len(answer.quote), -len(answer.reason)))[0]


def read_scorecard(text: str, count: int) -> ScorecardAnswer:
    """Read the answer to `count` criteria.

    Raises:
        BrokenAnswer: it is no JSON object, a criterion is missing or answered twice, or the score is no number from 0
            to 100.
    """
    cards = list(dict.fromkeys(_scorecard(found, count) for found in _fields_with(text, "criteria")))
    if not cards:
        raise BrokenAnswer("there is no JSON object with `criteria`, `score` and `summary` in it")
    if len(cards) > 1:
        raise BrokenAnswer("it holds two scorecards that differ")
    return cards[0]


# Fields


def _answer(found: dict[str, object], key: str) -> Answer:
    decided = _yes_or_no(found.get(key))
    if decided is None:
        raise BrokenAnswer(f"`{key}` is neither yes nor no: {_shown(found.get(key))}")
    if "reason" not in found:
        raise BrokenAnswer("`reason` is missing")
    return Answer(decided, _text(found, "reason"), _text(found, "quote"))


def _yes_or_no(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    word = regex.sub(r"[\s\p{P}\p{S}]+", "", value).casefold()
    if word in _YES:
        return True
    return False if word in _NO else None


def _text(found: dict[str, object], key: str) -> str:
    value = found.get(key)
    if value is None:
        return ""
    if isinstance(value, list):
        # A model that found several quotes gives a list; a quote may leave out what lies between.
        return " … ".join(str(item).strip() for item in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
    if not isinstance(value, str):
        raise BrokenAnswer(f"`{key}` is no text: {_shown(value)}")
    return value.strip()


def _scorecard(found: dict[str, object], count: int) -> ScorecardAnswer:
    numbered: dict[int, Answer] = {}
    for number, entry in _numbered(found.get("criteria")):
        if number in numbered:
            raise BrokenAnswer(f"criterion {number} is answered twice")
        numbered[number] = _answer(entry, "met")
    wanted = range(1, count + 1)
    missing = [number for number in wanted if number not in numbered]
    if missing:
        raise BrokenAnswer(f"criterion {', '.join(map(str, missing))} is missing")
    extra = [number for number in numbered if number not in wanted]
    if extra:
        raise BrokenAnswer(f"there is no criterion {', '.join(map(str, extra))}")
    if "summary" not in found:
        raise BrokenAnswer("`summary` is missing")
    answers = tuple(numbered[number] for number in wanted)
    return ScorecardAnswer(answers, _score(found.get("score")), _text(found, "summary"))


def _numbered(criteria: object) -> Iterator[tuple[int, dict[str, object]]]:
    entries: list[object]
    if isinstance(criteria, dict):
        items = _object(criteria)  # pyright: ignore[reportUnknownArgumentType] - any JSON
        # `{"1": {…}, "2": {…}}`, or the only criterion without its list.
        keyed = all(regex.fullmatch(r"\d+", key) for key in items)
        entries = [{"number": key, **_object(entry)} for key, entry in items.items()] if keyed else [items]
    elif isinstance(criteria, list):
        entries = list(criteria)  # pyright: ignore[reportUnknownArgumentType] - any JSON
    else:
        raise BrokenAnswer("`criteria` is no list")
    for entry in entries:
        fields = _object(entry)
        number = _number(fields.get("number"))
        if number is None or number != int(number):
            raise BrokenAnswer(f"a criterion has no `number`: {_shown(fields)}")
        yield int(number), fields


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BrokenAnswer(f"a criterion is no JSON object: {_shown(value)}")
    return {str(key).strip().lower(): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON


def _score(value: object) -> int:
    number = _number(value)
    if number is None:
        raise BrokenAnswer(f"`score` is no number: {_shown(value)}")
    if not 0 <= number <= 100:
        raise BrokenAnswer(f"`score` is not from 0 to 100: {_shown(value)}")
    return math.floor(number + 0.5)


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        written = regex.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*(?:%|/\s*100)?\s*", value, regex.ASCII)
        return float(written[1]) if written else None
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def _shown(value: object) -> str:
    return squeeze(json.dumps(value, ensure_ascii=False, default=str))[:120]


def _fields_with(text: str, key: str) -> Iterator[dict[str, object]]:
    try:
        yield from objects_with(text, key)
    except ContradictoryJson as problem:
        raise BrokenAnswer(str(problem)) from None
