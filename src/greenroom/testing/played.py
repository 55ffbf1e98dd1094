"""What came of a test that was played: its runs, and assertions on them whose failure shows the talk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Self

from greenroom.model.base import Json
from greenroom.model.errors import UserMistake
from greenroom.testing import checks

if TYPE_CHECKING:
    from pathlib import Path

    from greenroom.grade.repeats import RepeatSummary
    from greenroom.model.agent import Agent
    from greenroom.model.case import Test
    from greenroom.model.checks import Check, EndedBy, Where
    from greenroom.model.run import CheckResult, Line, Run, Scorecard, Status, ToolLine


class TalkFailed(AssertionError):
    """A talk was not as a test wants it. The message shows the talk; `summary` is its first line."""

    __module__ = "greenroom"  # short, since pytest shows it before every message

    def __init__(self, summary: str, talk: str) -> None:
        super().__init__(f"{summary}\n\n{talk}" if talk else summary)
        self.summary = summary
        self.talk = talk

    def __reduce__(self) -> tuple[object, ...]:
        return TalkFailed, (self.summary, self.talk)


@dataclass(frozen=True, slots=True)
class _Finding:
    """A run on which an assertion does not hold, as it is to be shown, and why."""

    run: Run
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class Played:
    """A test that was played: one run, or several where it is repeated or has variations.

    Properties that speak of one talk (`transcript`, `reply`, `tool_calls` and so on) speak of the first run; the others
    are in `runs`. An assertion on several runs holds where at least `min_pass_rate` (0 to 1) of them pass it, for each
    variation. Every assertion gives the result back, so that they can be chained.
    """

    test: Test
    agent: Agent
    runs: tuple[Run, ...]
    min_pass_rate: float = 1.0
    width: int = 100
    place: tuple[Path, int] | None = None

    # What happened

    @property
    def run(self) -> Run:
        """The first run, whole."""
        return self.runs[0]

    @property
    def status(self) -> Status:
        """`passed`, `failed`, `error` (it could not finish) or `cancelled`."""
        return self.run.status

    @property
    def passed(self) -> bool:
        """Whether `assert_passed` holds."""
        return self._why_not_passed() is None

    @property
    def error(self) -> str | None:
        """Why the talk could not finish, where it could not."""
        return self.run.error

    @property
    def ended_by(self) -> EndedBy | None:
        """How the talk ended."""
        return self.run.ended_by

    @property
    def transcript(self) -> list[Line]:
        """Every line of the talk: the agent's, the caller's, and tool calls."""
        return self.run.transcript

    @property
    def replies(self) -> list[str]:
        """What the agent said, one text a turn; its greeting is the first."""
        turns: dict[int, list[str]] = {}
        for line in self.run.transcript:
            if line.role == "agent" and not line.from_history:
                turns.setdefault(line.turn, []).append(line.text)
        return [" ".join(texts) for texts in turns.values()]

    def reply(self, index: int = -1) -> str:
        """What the agent said in one turn in which it spoke: `0` is the first, `-1` the last.

        Raises:
            TalkFailed: it did not speak so often.
        """
        __tracebackhide__ = True
        replies = self.replies
        if not -len(replies) <= index < len(replies):
            raise self._failure(
                _Finding(self.run, f"there is no reply {index}: the agent spoke in {len(replies)} turns")
            )
        return replies[index]

    @property
    def tool_calls(self) -> list[ToolLine]:
        """The tool calls of the talk, those that did not run among them (`call.ran` tells)."""
        return [line for line in self.run.transcript if line.role == "tool" and not line.from_history]

    @property
    def checks(self) -> list[CheckResult]:
        """What became of each check of the test."""
        return self.run.checks

    @property
    def scorecard(self) -> Scorecard | None:
        """The judge's score and summary, where the test has criteria."""
        return self.run.scorecard

    @property
    def warnings(self) -> list[str]:
        """What to know before judging the agent by this talk."""
        return self.run.warnings

    @property
    def pass_rate(self) -> float | None:
        """The share of all finished runs that passed, from 0 to 1; `None` where none finished."""
        finished = [run for run in self.runs if run.status in ("passed", "failed")]
        return sum(run.status == "passed" for run in finished) / len(finished) if finished else None

    @property
    def summaries(self) -> list[RepeatSummary]:
        """The statistics of the runs, one for each variation."""
        from greenroom.grade.repeats import summarise

        return summarise(self.runs)

    @property
    def tokens(self) -> int:
        """Input and output tokens of all runs."""
        return sum(sum(run.tokens()) for run in self.runs)

    @property
    def cost_usd(self) -> Decimal | None:
        """What all runs cost; `None` where the price of some model is not known."""
        costs = [run.cost_usd for run in self.runs]
        return None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0))

    def __str__(self) -> str:
        from greenroom.testing.showing import joined, shown_run

        return joined([shown_run(run, self.width, self.place) for run in self.runs])

    def __repr__(self) -> str:
        statuses = ", ".join(run.status for run in self.runs)
        return f"<{self.test.name!r} played against {self.agent.name!r}: {statuses}>"

    # Assertions

    def assert_passed(self) -> Self:
        """Every required check held, in enough of the runs.

        Raises:
            TalkFailed: it is not so; the message shows a talk that failed. So for all assertions.
        """
        __tracebackhide__ = True
        failure = self._why_not_passed()
        if failure is not None:
            raise failure
        return self

    def assert_says(self, text: str, *, where: Where = "any") -> Self:
        """The agent said `text` (in its last or first reply, with `where`); capitals and spacing do not count."""
        __tracebackhide__ = True
        return self.assert_holds(checks.says(text, where=where))

    def assert_never_says(self, text: str, *, where: Where = "any") -> Self:
        """The agent never said `text`."""
        __tracebackhide__ = True
        return self.assert_holds(checks.never_says(text, where=where))

    def assert_matches(self, pattern: str, *, where: Where = "any") -> Self:
        """The agent said something that matches `pattern` (RE2 syntax, searched without regard to case)."""
        __tracebackhide__ = True
        return self.assert_holds(checks.matches(pattern, where=where))

    def assert_never_matches(self, pattern: str, *, where: Where = "any") -> Self:
        """The agent said nothing that matches `pattern`."""
        __tracebackhide__ = True
        return self.assert_holds(checks.never_matches(pattern, where=where))

    def assert_called(self, tool: str, /, **arguments: Json) -> Self:
        """The agent ran `tool`, with these arguments where some are given; more than these may have been there."""
        __tracebackhide__ = True
        return self.assert_holds(checks.calls_tool(tool, arguments or None))

    def assert_called_times(self, tool: str, times: int, /, **arguments: Json) -> Self:
        """The agent ran `tool` (with these arguments) exactly so often."""
        __tracebackhide__ = True
        return self.assert_holds(checks.calls_tool(tool, arguments or None, times=times))

    def assert_never_called(self, tool: str) -> Self:
        """The agent never ran `tool`."""
        __tracebackhide__ = True
        return self.assert_holds(checks.never_calls_tool(tool))

    def assert_tool_order(self, *tools: str) -> Self:
        """These tools ran in this order; others may stand between."""
        __tracebackhide__ = True
        return self.assert_holds(checks.tool_order(*tools))

    def assert_handed_off_to(self, agent: str) -> Self:
        """The talk moved to this agent (its name or id)."""
        __tracebackhide__ = True
        return self.assert_holds(checks.hands_off_to(agent))

    def assert_ended_by(self, *any_of: EndedBy) -> Self:
        """The talk ended in one of these ways."""
        __tracebackhide__ = True
        return self.assert_holds(checks.ended_by(*any_of))

    def assert_holds(self, check: Check) -> Self:
        """A check holds on the finished talk: any that needs no judge.

        Raises:
            UserMistake: the check needs a judge, who is asked while the test is played: give it in `checks`.
        """
        __tracebackhide__ = True
        failure = self._why_not(lambda run: _look_for(check, run, self.test, self.agent))
        if failure is not None:
            raise failure
        return self

    def _why_not_passed(self) -> TalkFailed | None:
        from greenroom.testing.showing import why_not_passed

        return self._why_not(lambda run: None if run.status == "passed" else _Finding(run, why_not_passed(run)))

    def _why_not(self, look: Callable[[Run], _Finding | None]) -> TalkFailed | None:
        for run in self.runs:
            if run.status in ("error", "cancelled"):
                return self._failure(_unfinished(run), among=self.runs)
        for runs in self._by_variation():
            found = [finding for run in runs if (finding := look(run)) is not None]
            if found and (len(runs) - len(found)) / len(runs) < self.min_pass_rate:
                return self._failure(found[0], among=runs, failed=len(found))
        return None

    def _by_variation(self) -> list[list[Run]]:
        groups: dict[str | None, list[Run]] = {}
        for run in self.runs:
            groups.setdefault(run.variation, []).append(run)
        return list(groups.values())

    def _failure(self, finding: _Finding, among: Sequence[Run] = (), failed: int = 1) -> TalkFailed:
        from greenroom.testing.showing import joined, shown_checks, shown_rates, shown_run

        summary = f"{finding.run.title}: {finding.why}"
        if len(among) < 2:
            return TalkFailed(summary, shown_run(finding.run, self.width, self.place))
        held = len(among) - failed
        wanted = f", below the {self.min_pass_rate:.0%} asked for" if self.min_pass_rate < 1 else ""
        counted = finding.run.status in ("error", "cancelled")
        if not counted:
            summary = (
                f"{self.test.name}: {held} of {len(among)} runs hold ({held / len(among):.0%}){wanted}; "
                f"the first that does not: {finding.why}"
            )
        rates = [
            line for group in self.summaries for line in (f"{group.title}: {shown_rates(group)}", *shown_checks(group))
        ]
        return TalkFailed(summary, joined(rates, shown_run(finding.run, self.width, self.place)))


def _unfinished(run: Run) -> _Finding:
    from greenroom.testing.showing import why_not_passed

    return _Finding(run, why_not_passed(run))


def _look_for(check: Check, run: Run, test: Test, agent: Agent) -> _Finding | None:
    from greenroom.grade.deterministic import settle
    from greenroom.grade.language import load
    from greenroom.grade.ports import Talk
    from greenroom.model.checks import Grounded, Language, needs_judge

    if needs_judge(check) or isinstance(check, Grounded):
        raise UserMistake(
            f"A `{check.type}` check is graded while the test is played: give it to `play` in `checks`, and ask "
            "`assert_passed()`."
        )
    if isinstance(check, Language):
        load()
    talk = Talk(transcript=tuple(run.transcript), ended_by=run.ended_by or "error", agent=agent, test=test)
    settled = settle(check, talk)
    if settled is None or settled.result.passed:
        return None
    shown = run.model_copy(update={"checks": [settled.result], "scorecard": None, "status": "failed"})
    return _Finding(shown, settled.result.detail)
