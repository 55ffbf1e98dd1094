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
