"""What the page shows of a report, ready to be put into the templates: words, marks and lengths of bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from greenroom.model.run import CheckResult, RoleUsage, Run, Status
from greenroom.report.describe import KINDS, describe_check, describe_end
from greenroom.report.figures import (
    UNKNOWN,
    checks_held,
    dollars,
    is_estimated,
    plural,
    run_cost,
    run_seconds,
    seconds,
    tokens,
)
from greenroom.report.html.comparison import ComparisonView, comparison_of
from greenroom.report.html.repeats import RepeatsView, repeats_of
from greenroom.report.html.talk import Entry, anchor, entries
from greenroom.report.printable import printable_line
from greenroom.report.results import WHY_NOT_STARTED, GateResult, Report, ReportedRun, by_test
from greenroom.report.verdict import SIGNS, WORDS, Verdict, status_of, sums, verdict, why

ATTENTION_LIMIT = 20
"""How many tests that did not pass are listed at the top of the page."""

Named = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the bar over all runs: `start` and `width` in percent."""

    status: Status
    sign: str
    words: str
    count: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class CheckView:
    """A check of a run. `line` is where on the page the line is that it rests on, `turn` its turn."""

    status: Status
    sign: str
    spoken: str
    words: str
    detail: str
    notes: list[str]
    quote: str | None
    line: str | None
    turn: int | None


@dataclass(frozen=True, slots=True)
class UsageView:
    """What one model used in one role, as words."""

    role: str
    model: str
    calls: str
    input_tokens: str
    cached: str
    output_tokens: str
    reasoning: str
    cost: str


@dataclass(frozen=True, slots=True)
class RunView:
    """One run; `number` counts the runs of the page from 1. `title` names it where it stands, and `beside` are names
    to show with it."""

    number: int
    run: ReportedRun
    title: str
    beside: list[str]
    tags: str

    @property
    def status(self) -> Status:
        return self.run.status

    @property
    def sign(self) -> str:
        return SIGNS[self.run.status]

    @property
    def word(self) -> str:
        return WORDS[self.run.status]

    def brief(self) -> list[str]:
        """The few figures beside the title."""
        held, total = checks_held(self.run)
        took, cost = run_seconds(self.run), run_cost(self.run)
        return [
            *self.beside,
            *([f"{held}/{total} checks"] if total else []),
            plural(self.run.turns, "turn"),
            *([f"cost {cost}" if cost == UNKNOWN else cost] if self.run.usage else []),
            *([] if took is None else [seconds(took)]),
        ]

    def facts(self) -> list[Named]:
        """What else there is to know of the run."""
        run = self.run
        found: list[Named] = [
            ("Agent", run.agent if run.agent_version is None else f"{run.agent}, version {run.agent_version}")
        ]
        found += [("Caller", KINDS[run.kind]), ("Ended", describe_end(run))]
        if run.variant:
            found.append(("Variant", run.variant))
        if run.file is not None:
            found.append(("Written in", run.file if run.line is None else f"{run.file}:{run.line}"))
        if run.tags:
            found.append(("Tags", ", ".join(run.tags)))
        if run.started_at is not None:
            found.append(("Started", when(run.started_at)))
        found.append(("Seed", str(run.seed)))
        if run.force_primary_failure:
            found.append(("Rehearsal", "the backup brain wrote the replies"))
        if run.overrides_used:
            found.append(("Changed", "the agent was played with changes that are not in its file"))
        found.append(("Run", run.id))
        return found

    def checks(self) -> Iterator[CheckView]:
        return (_check(result, self.run, self.number) for result in self.run.checks)

    def talk(self) -> Iterator[Entry]:
        return entries(self.run, self.number)

    def usage(self) -> list[UsageView]:
        """A row for each role and model, and one for all where there are several."""
        rows = [_usage(entry) for entry in self.run.usage]
        return [*rows, _all_usage(self.run)] if len(rows) > 1 else rows


@dataclass(frozen=True, slots=True)
class TestView:
    """The runs of one test, variation and variant. `whole_title` tells it from all others on the page; `repeats` is
    there when there are several runs; `below_gate` says why the test closes the gate, and is empty where it does
    not."""

    __test__ = False

    title: str
    whole_title: str
    beside: list[str]
    runs: list[RunView]
    repeats: RepeatsView | None
    status: Status
    below_gate: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Runs that were never started, and why."""

    why: str
    titles: list[str]


@dataclass(frozen=True, slots=True)
class Attention:
    """A test that did not pass, for the list at the top: `number` is its first run that did not, `count` says how many
    of its repeats."""

    number: int
    status: Status
    sign: str
    word: str
    title: str
    count: str
    why: str


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page."""

    title: str
    verdict: Verdict
    version: str
    when: str
    when_iso: str
    variant: str | None
    sums: list[Named]
    closed: list[str]
    comparison: ComparisonView | None
    shares: list[Share]
    attention: list[Attention]
    attention_left_out: int
    tests: list[TestView]
    tags: list[str]
    waiting: list[Waiting]


def page_of(report: Report) -> Page:
    """The page for a report."""
    tags = sorted({tag for run in report.runs for tag in run.tags})
    tests = _tests(report.runs, {tag: index for index, tag in enumerate(tags)}, report.gate)
    troubled = [
        entry
        for test in sorted(tests, key=lambda test: test.status == "passed")
        if (entry := _attention(test)) is not None
    ]
    return Page(
        title=_title(report),
        verdict=verdict(report),
        version=report.greenroom_version,
        when=when(report.started_at),
        when_iso=report.started_at.isoformat(timespec="seconds"),
        variant=report.variant,
        sums=sums(report),
        closed=report.gate.closed if report.gate is not None else [],
        comparison=comparison_of(report.comparison) if report.comparison is not None else None,
        shares=_shares(report),
        attention=troubled[:ATTENTION_LIMIT],
        attention_left_out=max(0, len(troubled) - ATTENTION_LIMIT),
        tests=tests,
        tags=tags,
        waiting=[
            Waiting(reason, titles)
            for key, reason in WHY_NOT_STARTED.items()
            if (titles := [entry.title for entry in report.not_started if entry.reason == key])
        ],
    )


def when(moment: datetime) -> str:
    """A moment for people: `2 March 2026, 09:00 UTC`."""
    return f"{moment.day} {moment:%B %Y, %H:%M %Z}".strip()


def _title(report: Report) -> str:
    agents = list(dict.fromkeys(run.agent for run in report.runs))
    if not agents:
        return "Greenroom"
    return ", ".join(agents) if len(agents) <= 2 else f"{agents[0]} and {len(agents) - 1} other agents"


def _shares(report: Report) -> list[Share]:
    summary = report.summary
    counts: list[tuple[Status, int]] = [
        ("failed", summary.failed),
        ("error", summary.errors),
        ("cancelled", summary.cancelled),
        ("queued", summary.not_started),
        ("passed", summary.passed),
    ]
    total = sum(count for _, count in counts)
    shares: list[Share] = []
    start = 0.0
    for status, count in counts:
        if count:
            width = 100 * count / total
            shares.append(Share(status, SIGNS[status], WORDS[status], count, round(start, 3), round(width, 3)))
            start += width
    return shares


def _tests(runs: Sequence[ReportedRun], tag_numbers: Mapping[str, int], gate: GateResult | None) -> list[TestView]:
    several_agents = len({run.agent for run in runs}) > 1
    several_variants = len({run.variant for run in runs}) > 1
    number = 0
    tests: list[TestView] = []
    for summary, group in by_test(runs):
        together = len(group) > 1
        variant = summary.variant if several_variants else None
        beside = [*([summary.agent] if several_agents else []), *([variant] if variant else [])]
        views: list[RunView] = []
        for run in group:
            number += 1
            views.append(
                RunView(
                    number=number,
                    run=run,
                    title=f"Run {run.repeat_index + 1}" if together else run.title,
                    beside=[] if together else beside,
                    tags=" ".join(str(tag_numbers[tag]) for tag in run.tags),
                )
            )
        tests.append(
            TestView(
                title=summary.title,
                whole_title=f"{summary.title} ({variant})" if variant else summary.title,
                beside=beside,
                runs=views,
                repeats=repeats_of(summary) if together else None,
                status=status_of(summary, gate),
                below_gate=gate.gate.why_closed(summary) if gate is not None else "",
            )
        )
    return tests


def _attention(test: TestView) -> Attention | None:
    troubled = [view for view in test.runs if view.status in ("failed", "error")]
    if not troubled:
        return None
    first = next((view for view in troubled if view.status == "failed"), troubled[0])
    return Attention(
        number=first.number,
        status=first.status,
        sign=first.sign,
        word=first.word,
        title=test.whole_title,
        count="" if test.repeats is None else f"{len(troubled)} of {len(test.runs)} runs",
        why=why(first.run),
    )


def _check(result: CheckResult, run: Run, number: int) -> CheckView:
    status: Status = "queued" if result.passed is None else "passed" if result.passed else "failed"
    spoken = {"queued": "not graded", "passed": "held", "failed": "did not hold"}[status]
    notes: list[str] = []
    if not result.check.required:
        notes.append("not required")
    if result.votes:
        notes.append(f"{result.votes} judges")
    if result.passed is None:
        notes.append("not graded")
    if result.quote_verified is False:
        notes.append("the judge quotes what nobody said")
    on_page = result.line is not None and 0 <= result.line < len(run.transcript)
    turn = result.turn if result.turn is not None or not on_page else run.transcript[result.line or 0].turn
    return CheckView(
        status=status,
        sign=SIGNS[status],
        spoken=spoken,
        words=describe_check(result.check),
        detail=printable_line(result.detail),
        notes=notes,
        quote=result.quote,
        line=anchor(number, result.line) if on_page and result.line is not None else None,
        turn=turn,
    )


def _usage(entry: RoleUsage) -> UsageView:
    return UsageView(
        role=entry.role,
        model=f"{entry.provider}:{entry.model}",
        calls=f"{entry.calls:,}",
        input_tokens=tokens(entry.input_tokens, estimated=entry.estimated),
        cached=f"{entry.cached_input_tokens:,} cached" if entry.cached_input_tokens else "",
        output_tokens=tokens(entry.output_tokens, estimated=entry.estimated),
        reasoning=f"{entry.reasoning_tokens:,} reasoning" if entry.reasoning_tokens else "",
        cost=UNKNOWN if entry.cost_usd is None else dollars(entry.cost_usd),
    )


def _all_usage(run: Run) -> UsageView:
    asked, answered = run.tokens()
    estimated = is_estimated(run.usage)
    return UsageView(
        role="all",
        model="",
        calls=f"{sum(entry.calls for entry in run.usage):,}",
        input_tokens=tokens(asked, estimated=estimated),
        cached="",
        output_tokens=tokens(answered, estimated=estimated),
        reasoning="",
        cost=run_cost(run),
    )
