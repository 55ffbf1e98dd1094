"""What `greenroom run` does: finds the tests, plays them, writes and prints the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from greenroom.batch import BatchOptions
from greenroom.cli.amounts import read_dollars, read_gate, require_enough_runs
from greenroom.cli.exits import exit_code
from greenroom.cli.handing import Wanted, say_annotations, say_result, say_written, without_commands, write_files
from greenroom.cli.keywords import keyword_matcher
from greenroom.cli.log import keep_log, written_log
from greenroom.cli.output import Output
from greenroom.cli.playing import Aims, Outcome, leave_at_once, play
from greenroom.cli.selecting import select
from greenroom.cli.taping import CassetteWish, open_tape
from greenroom.files.overrides import read_assignments
from greenroom.grade.repeats import Gate
from greenroom.model.errors import UserMistake
from greenroom.report.results import Report


@dataclass(frozen=True, slots=True)
class Wishes:
    """Everything that the command line of `greenroom run` asks for."""

    paths: Sequence[Path] = ()
    keyword: str | None = None
    tags: Sequence[str] = ()
    repeat: int | None = None
    concurrency: int = 10
    model: str | None = None
    settings: Sequence[str] = ()
    variant: str | None = None
    max_cost: str | None = None
    fail_fast: bool = False
    min_pass_rate: str | None = None
    min_pass_power: str | None = None
    seed: int = 0
    force_primary_failure: bool = False
    cassette: CassetteWish | None = None
    watch: bool = False
    wanted: Wanted = field(default_factory=Wanted)


def run_files(wishes: Wishes) -> int:
    """Play the tests that were asked for, with `--watch` again and again; the exit code.

    Raises:
        UserMistake: something in the files or on the command line is wrong; nothing was played.
    """
    keep_log()
    output = Output.open(as_json=wishes.wanted.as_json)
    options = BatchOptions(wishes.concurrency, read_dollars(wishes.max_cost), wishes.fail_fast)
    gate = read_gate(wishes.min_pass_rate, wishes.min_pass_power)
    _refuse_what_excludes_each_other(wishes, gate)
    wishes.wanted.make_writable()
    if not wishes.watch:
        return _play(wishes, options, gate, output)
    from greenroom.cli.rerunning import keep_playing

    # What is wrong on the command line itself is told at once: no change of a file could mend it.
    read_assignments(wishes.settings, "--set")
    if wishes.keyword is not None:
        keyword_matcher(wishes.keyword)
    return keep_playing(lambda: _play(wishes, options, gate, output), wishes.paths, output)


def _refuse_what_excludes_each_other(wishes: Wishes, gate: Gate | None) -> None:
    if gate is not None and wishes.fail_fast:
        raise UserMistake(
            "--fail-fast stops at the first run that fails, and --min-pass-rate and --min-pass-power let some runs "
            "fail: leave one of them out"
        )
    if wishes.watch and wishes.wanted.as_json:
        raise UserMistake("--watch shows results as they come, and --json is one result: leave one of them out")


def _play(wishes: Wishes, options: BatchOptions, gate: Gate | None, output: Output) -> int:
    selection = select(
        wishes.paths,
        keyword=wishes.keyword,
        tags=wishes.tags,
        variant=wishes.variant,
        model=wishes.model,
        settings=wishes.settings,
        seed=wishes.seed,
        force_primary_failure=wishes.force_primary_failure,
        repeat=wishes.repeat,
        needs_secrets=wishes.cassette is None or not wishes.cassette.may_answer,
    )
    require_enough_runs(gate, [entry.plan for entry in selection.planned])
    aims = Aims(wishes.variant, gate, tape=open_tape(wishes.cassette, selection.cases))
    with without_commands(wishes.wanted, output):
        outcome = play(selection.planned, selection.credentials, options, output, aims)
        code = exit_code(outcome.report)
        hand_over(outcome, wishes.wanted, wishes.max_cost, output)
    say_annotations(outcome.report, wishes.wanted, output)
    return leave(outcome, code)


def hand_over(outcome: Outcome, wanted: Wanted, max_cost: str | None, output: Output) -> None:
    """Write and print the report on what was played.

    Raises:
        GreenroomError: nothing was played, and why; or a file could not be written.
    """
    outcome.raise_unreported()
    report = outcome.report
    # Files first: a reader of standard output may go away in the middle.
    write_files(report, wanted)
    if not (output.is_live or wanted.as_json):
        output.say()
    say_result(report, wanted, output)
    _say_remarks(report, max_cost, output)
    say_written(wanted, output)


def _say_remarks(report: Report, max_cost: str | None, output: Output) -> None:
    if max_cost is not None and not report.summary.cost_complete:
        output.say(
            Text(
                "! The price of some model is not known: the budget of --max-cost holds only for what is known.",
                style="yellow",
            )
        )
    if report.summary.errors and (path := written_log()) is not None:
        output.say_aside(Text(f"The log is in {path}"))


def leave(outcome: Outcome, code: int) -> int:
    """End a command whose report was given: at once where somebody wants that, else with its exit code.

    Raises:
        AfterReport: something ended it early.
    """
    if outcome.at_once:
        leave_at_once(code)
    outcome.raise_reported()
    return code
