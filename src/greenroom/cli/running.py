"""What `greenroom run` does: finds the tests, plays them, writes and prints the reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from rich.text import Text

from greenroom.batch import BatchOptions
from greenroom.cli.exits import exit_code
from greenroom.cli.log import keep_log, written_log
from greenroom.cli.output import Output
from greenroom.cli.playing import Outcome, leave_at_once, play
from greenroom.cli.selecting import select
from greenroom.model.errors import UserMistake
from greenroom.report.files import make_writable
from greenroom.report.json_report import report_json, write_json
from greenroom.report.junit import write_junit
from greenroom.report.results import Report


@dataclass(frozen=True, slots=True)
class Wishes:
    """Everything that the command line of `greenroom run` asks for."""

    paths: Sequence[Path] = ()
    keyword: str | None = None
    tags: Sequence[str] = ()
    concurrency: int = 10
    model: str | None = None
    settings: Sequence[str] = ()
    variant: str | None = None
    max_cost: str | None = None
    fail_fast: bool = False
    seed: int = 0
    force_primary_failure: bool = False
    junit: Path | None = None
    report_json: Path | None = None
    as_json: bool = False


def run_files(wishes: Wishes) -> int:
    """Play the tests that were asked for; the exit code.

    Raises:
        UserMistake: something in the files or on the command line is wrong; nothing was played.
    """
    keep_log()
    output = Output.open(as_json=wishes.as_json)
    options = BatchOptions(wishes.concurrency, read_dollars(wishes.max_cost), wishes.fail_fast)
    for path, option in ((wishes.junit, "--junit"), (wishes.report_json, "--report-json")):
        if path is not None:
            make_writable(path, option)
    selection = select(
        wishes.paths,
        keyword=wishes.keyword,
        tags=wishes.tags,
        variant=wishes.variant,
        model=wishes.model,
        settings=wishes.settings,
        seed=wishes.seed,
        force_primary_failure=wishes.force_primary_failure,
    )
    outcome = play(selection.planned, selection.credentials, options, output, wishes.variant)
    return _hand_over(outcome, wishes, output)


def read_dollars(text: str | None) -> Decimal | None:
    """The amount that `--max-cost` names.

    Raises:
        UserMistake: it is not an amount above zero.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(0)
    if not (amount.is_finite() and amount > 0):
        raise UserMistake(f"--max-cost: `{text}` is not an amount of US dollars above zero; write for example 0.50")
    return amount


def _hand_over(outcome: Outcome, wishes: Wishes, output: Output) -> int:
    outcome.raise_unreported()
    report = outcome.report
    # Files first: a reader of standard output may go away in the middle.
    if wishes.junit is not None:
        write_junit(report, wishes.junit)
    if wishes.report_json is not None:
        write_json(report, wishes.report_json)
    code = exit_code(report)
    _print(report, wishes, output)
    if report.summary.errors and (path := written_log()) is not None:
        output.say_aside(Text(f"The log is in {path}"))
    if outcome.at_once:
        leave_at_once(code)
    outcome.raise_reported()
    return code


def _print(report: Report, wishes: Wishes, output: Output) -> None:
    if wishes.as_json:
        output.print_json(report_json(report))
        return
    if not output.is_live:
        output.say()
    output.say_report(report)
    if wishes.max_cost is not None and not report.summary.cost_complete:
        output.say(
            Text(
                "! The price of some model is not known: the budget of --max-cost holds only for what is known.",
                style="yellow",
            )
        )
    for path in (wishes.junit, wishes.report_json):
        if path is not None:
            output.say(Text(f"Written: {path}", style="dim"))
