"""How well the judge agrees with people: labels of check results, and what they come to.

Cohen's kappa is the agreement beyond what chance alone would give (J. Cohen, "A coefficient of agreement for nominal
scales", 1960): 1 is full agreement, 0 no more than chance, below 0 less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from greenroom.model.base import Recorded
from greenroom.model.checks import CallsTool, Check, Criterion, Grounded, JudgeCheck, ReplyMeets
from greenroom.model.run import CheckResult


class Label(Recorded):
    """A person's word on one judged check result: `judge` is what the judge said, `right` whether that was right."""

    question: str
    judge: bool
    right: bool
    run_id: str = ""
    test: str = ""
    check: int = 0
    note: str = ""

    @property
    def person(self) -> bool:
        """What the person would have said."""
        return self.judge if self.right else not self.judge


class Agreement(Recorded):
    """The judge against people on one question (or on all): how often they agree, from 0 to 1, and Cohen's kappa from
    -1 to 1, `None` where it is not defined (both sides gave the same one answer throughout)."""

    question: str
    labels: int
    right: int
    accuracy: float
    kappa: float | None
    too_lenient: int
    """The judge said yes where the person said no."""
    too_strict: int
    """The judge said no where the person said yes."""


def agreement(question: str, labels: Sequence[Label]) -> Agreement:
    """What labels of one question come to.

    Raises:
        ValueError: there are no labels.
    """
    if not labels:
        raise ValueError("an agreement needs at least one label")
    count = len(labels)
    right = sum(label.right for label in labels)
    judge_yes, person_yes = sum(label.judge for label in labels), sum(label.person for label in labels)
    by_chance = (judge_yes * person_yes + (count - judge_yes) * (count - person_yes)) / (count * count)
    observed = right / count
    return Agreement(
        question=question,
        labels=count,
        right=right,
        accuracy=observed,
        kappa=None if by_chance == 1 else (observed - by_chance) / (1 - by_chance),
        too_lenient=sum(label.judge and not label.right for label in labels),
        too_strict=sum(not label.judge and not label.right for label in labels),
    )


def agreements(labels: Iterable[Label]) -> list[Agreement]:
    """One agreement a question, the worst first: by accuracy, then by how many labels say so."""
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.question, []).append(label)
    found = [agreement(question, group) for question, group in groups.items()]
    return sorted(found, key=lambda one: (one.accuracy, -one.labels, one.question))


def agreement_for(question: str, known: Iterable[Agreement]) -> Agreement | None:
    """What is known of the judge on one question; nothing where it has no labels."""
    return next((one for one in known if one.question == question), None)


def latest(labels: Iterable[Label]) -> list[Label]:
    """The labels that count: of one check of one run the last. Labels without a run each count by themselves."""
    kept: dict[tuple[object, ...], Label] = {}
    for number, label in enumerate(labels):
        key = (label.run_id, label.check, label.question) if label.run_id else (number,)
        kept.pop(key, None)
        kept[key] = label
    return list(kept.values())


def doubt(result: CheckResult) -> int:
    """How much a judged result is worth a look, from 0 (first) up: a no whose quote nobody said, a split vote, any
    other no, a yes whose quote nobody said, any other yes."""
    if result.passed is False and result.quote_verified is False:
        return 0
    if result.votes is not None and _is_split(result.votes):
        return 1
    if result.passed is False:
        return 2
    return 3 if result.quote_verified is False else 4


def _is_split(votes: str) -> bool:
    agreeing, _, all_of_them = votes.partition(" of ")
    return agreeing.strip() != all_of_them.strip()


def question_of(check: Check) -> str | None:
    """What a judged check asks; `None` for a check that no judge decides."""
    match check:
        case JudgeCheck():
            return check.question
        case Criterion():
            return check.text
        case ReplyMeets():
            return check.criteria
        case CallsTool(match="judge"):
            return f"{check.tool}: are the arguments the expected ones by meaning?"
        case Grounded():
            return "Is the last reply carried by the knowledge?"
        case _:
            return None


def can_be_labelled(result: CheckResult) -> bool:
    """Whether a judge decided this result (a `grounded` check counts where the judge was asked)."""
    if result.passed is None or question_of(result.check) is None:
        return False
    return not isinstance(result.check, Grounded) or result.quote is not None
