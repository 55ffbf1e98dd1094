"""What `greenroom compare` does: plays the same tests on two sides, or reads two reports, and tells what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from rich.text import Text

from greenroom.batch import BatchOptions
from greenroom.cli.amounts import read_dollars
from greenroom.cli.exits import ExitCode
from greenroom.cli.handing import Wanted, say_result, say_written, write_files
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import Aims, Planned, play
from greenroom.cli.running import hand_over, leave
from greenroom.cli.selecting import (
    Choice,
    Selection,
    choose,
    credentials_of,
    load_suite,
    plan,
    told_apart,
)
from greenroom.cli.sides import Side, company, is_yaml, read_side, with_same_company
from greenroom.cli.taping import CassetteWish, open_tape
from greenroom.files.overrides import read_assignments
from greenroom.files.suite import Case, Suite
from greenroom.model.errors import UserMistake
from greenroom.report.json_report import read_report
from greenroom.report.results import Report, ReportedRun, make_report

_REPORT = ".json"


@dataclass(frozen=True, slots=True)
class ComparisonWishes:
    """Everything that the command line of `greenroom compare` asks for."""

    first: str
    second: str
    paths: Sequence[Path] = ()
    choice: Choice = field(default_factory=Choice)
    concurrency: int = 10
    model: str | None = None
    settings: Sequence[str] = ()
    max_cost: str | None = None
    fail_on_worse: bool = False
    cassette: CassetteWish | None = None
    wanted: Wanted = field(default_factory=Wanted)


def compare_sides(wishes: ComparisonWishes) -> int:
    """Compare the two sides; the exit code.

    Raises:
        UserMistake: something in the files or on the command line is wrong; nothing was played.
    """
    keep_log()
    output = Output.open(as_json=wishes.wanted.as_json)
    options = BatchOptions(wishes.concurrency, read_dollars(wishes.max_cost))
    wishes.wanted.make_writable()
    if wishes.first.endswith(_REPORT) or wishes.second.endswith(_REPORT):
        return _compare_reports(wishes, output)
    selection, labels = select_sides(wishes)
    aims = Aims(sides=labels, tape=open_tape(wishes.cassette, selection.cases))
    if company := _company_words(selection.cases):
        output.say(Text(company, style="dim"))
        output.say()
    outcome = play(selection.planned, selection.credentials, options, output, aims)
    hand_over(outcome, wishes.wanted, wishes.max_cost, output)
    return leave(outcome, comparison_code(outcome.report, fail_on_worse=wishes.fail_on_worse))


def comparison_code(report: Report, *, fail_on_worse: bool) -> ExitCode:
    """The exit code for a comparison: what failed decides nothing, what could not be played does."""
    if report.interrupted:
        return ExitCode.INTERRUPTED
    if report.over_budget:
        return ExitCode.OVER_BUDGET
    if report.not_started or any(run.status not in ("passed", "failed") for run in report.runs):
        return ExitCode.COULD_NOT_FINISH
    overall = report.comparison.overall if report.comparison is not None else None
    is_worse = overall is not None and overall.is_seen and (overall.difference or 0) < 0
    return ExitCode.A_TEST_FAILED if fail_on_worse and is_worse else ExitCode.ALL_PASSED


def select_sides(wishes: ComparisonWishes) -> tuple[Selection, tuple[str, str]]:
    """The runs of both sides, one by one in turn, so that both are played under the same conditions; and the names of
    the sides.

    Raises:
        UserMistake: something in the files or in what was asked for is wrong, or no test fits.
    """
    paths = wishes.paths or ([Path(wishes.first)] if is_yaml(wishes.first) else [])
    written = load_suite(paths)
    first, second = (read_side(text, written.variants) for text in (wishes.first, wishes.second))
    if first.label == second.label:
        raise UserMistake(f"Both sides are `{first.label}`: name two that differ")
    settings = read_assignments(wishes.settings, "--set")
    base = written if wishes.model is None else written.with_model(wishes.model)
    base = base.override(settings) if settings else base
    chosen = choose(base, wishes.choice)
    places = {id(case): index for index, case in enumerate(base.cases)}
    cases: list[Case] = []
    planned: list[list[Planned]] = []
    for side in (first, second):
        suite = _suite_of(side, written, wishes.model, settings)
        side_cases = [
            with_same_company(replace(case, variant=side.label), base.cases[index])
            for index, case in enumerate(suite.cases)
        ]
        kept = [(side_cases[places[id(case)]], entries) for case, entries in chosen]
        cases.extend(case for case, _ in kept)
        planned.append([entry for case, entries in kept for entry in _same_runs(case, entries, wishes.choice, suite)])
    if wishes.cassette is None or not wishes.cassette.may_answer:
        replace(base, cases=tuple(cases)).require_secrets()
    in_turn = [entry for pair in zip(*planned, strict=True) for entry in pair]
    return Selection(told_apart(in_turn, written), credentials_of(cases), cases), (first.label, second.label)


def _suite_of(side: Side, written: Suite, model: str | None, settings: dict[str, str]) -> Suite:
    suite = side.change(written)
    if model is not None and not side.keeps_model:
        suite = suite.with_model(model)
    return suite.override(settings) if settings else suite


def _same_runs(case: Case, chosen: Sequence[Planned], choice: Choice, suite: Suite) -> Iterator[Planned]:
    """The runs of a side's case that stand for those that were chosen."""
    kept = {(entry.plan.variation, entry.plan.repeat_index) for entry in chosen}
    for entry in plan(case, choice, suite.limits):
        if (entry.plan.variation, entry.plan.repeat_index) in kept:
            yield entry


def _company_words(cases: Sequence[Case]) -> str:
    """Who calls and who judges on both sides, where models do."""
    callers = {
        llm.model: None
        for case in cases
        if case.test.caller.persona is not None and (llm := company(case.agent)[0]) is not None
    }
    judges = {
        llm.model: None
        for case in cases
        if any(check.type in ("judge", "criterion", "reply_meets") for check in case.test.checks)
        and (llm := company(case.agent)[1]) is not None
    }
    if not callers and not judges:
        return ""
    if callers.keys() == judges.keys():
        return f"On both sides the same models call and judge: {', '.join(callers)}."
    parts = [f"{', '.join(models)} {verb}" for models, verb in ((callers, "calls"), (judges, "judges")) if models]
    return f"On both sides {' and '.join(parts)}."


def _compare_reports(wishes: ComparisonWishes, output: Output) -> int:
    if wishes.paths or not (wishes.first.endswith(_REPORT) and wishes.second.endswith(_REPORT)):
        raise UserMistake(
            "A stored report is compared with another, without playing: give two files of `run --report-json`"
        )
    paths = Path(wishes.first), Path(wishes.second)
    reports = [read_report(path) for path in paths]
    report = compared(reports[0], reports[1], *_labels(reports, paths))
    write_files(report, wishes.wanted)
    if different := _seeds_differ(reports):
        output.say_aside(Text(different, style="yellow"))
    say_result(report, wishes.wanted, output)
    say_written(wishes.wanted, output)
    return comparison_code(report, fail_on_worse=wishes.fail_on_worse)


def _labels(reports: Sequence[Report], paths: Sequence[Path]) -> tuple[str, str]:
    for path, report in zip(paths, reports, strict=True):
        if report.comparison is not None:
            raise UserMistake(f"{path} is a comparison already: show it with `greenroom report {path}`")
    if paths[0] == paths[1]:
        raise UserMistake(f"Both sides are `{paths[0]}`: name two reports")
    for names in ([report.variant or "" for report in reports], [path.stem for path in paths]):
        if all(names) and names[0] != names[1]:
            return names[0], names[1]
    return str(paths[0]), str(paths[1])


def compared(first: Report, second: Report, first_label: str, second_label: str) -> Report:
    """The comparison of two reports, as a report."""
    runs: list[ReportedRun] = []
    for report, label in ((first, first_label), (second, second_label)):
        runs.extend(run.model_copy(update={"variant": label}) for run in report.runs)
    started_at = min(first.started_at, second.started_at)
    return make_report(
        runs,
        [*first.not_started, *second.not_started],
        started_at=started_at,
        finished_at=started_at + timedelta(seconds=first.summary.seconds + second.summary.seconds),
        sides=(first_label, second_label),
    )


def _seeds_differ(reports: Sequence[Report]) -> str:
    seeds = [{(run.test, run.variation, run.repeat_index): run.seed for run in report.runs} for report in reports]
    if any(seeds[1].get(key, seed) != seed for key, seed in seeds[0].items()):
        return "! The reports were played with different seeds: their runs are paired all the same."
    return ""
