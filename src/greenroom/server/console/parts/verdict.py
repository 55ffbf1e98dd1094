"""What came of a run: its checks with the lines they rest on, the scorecard, tokens and cost by role."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from greenroom.grade.calibration import can_be_labelled
from greenroom.model.run import CheckResult, Run
from greenroom.report.describe import describe_check
from greenroom.report.figures import cost
from greenroom.server.console.parts.basics import cell, heading, quiet, row, table, words
from greenroom.server.console.parts.talk import jump

Label = Callable[[int, bool], Awaitable[None]]

_STATES = {True: ("held", "gr-passed"), False: ("broke", "gr-failed"), None: ("not graded", "gr-queued")}


def checks(run: Run, labels: dict[int, bool], label: Label | None) -> None:
    """The checks of a run. `labels` says which verdicts people have called right or wrong; `label` takes a new word,
    and is `None` where this person may give none."""
    heading("Checks")
    if not run.checks:
        quiet("This test has no checks: it passes when it finishes.")
    with ui.element("ol").classes("gr-checks"):
        for place, result in enumerate(run.checks):
            with ui.element("li").classes("gr-check"):
                _check(place, result, labels.get(place), label if run.is_over else None)


def _check(place: int, result: CheckResult, labelled: bool | None, label: Label | None) -> None:
    word, look = _STATES[result.passed]
    with ui.element("div").classes("gr-row"):
        ui.label(word).classes(f"gr-status {look}")
        if not result.check.required:
            ui.label("optional").classes("gr-quiet")
        ui.label(describe_check(result.check)).classes("gr-words")
    if result.detail:
        ui.label(result.detail).classes("gr-words gr-quiet")
    with ui.element("div").classes("gr-row"):
        if result.line is not None:
            line = result.line
            name = f"Show the line (turn {result.turn})" if result.turn is not None else "Show the line"
            ui.button(name, on_click=lambda: ui.run_javascript(jump(line))).props(
                "flat dense no-caps size=sm color=link"
            )
        if result.votes:
            ui.label(f"judges: {result.votes}").classes("gr-quiet")
        if result.quote_verified is False:
            ui.label("the judge's quote is not in the talk").classes("gr-status gr-error")
        if can_be_labelled(result):
            _label_buttons(place, result, labelled, label)


def _label_buttons(place: int, result: CheckResult, labelled: bool | None, label: Label | None) -> None:
    if labelled is not None:
        ui.label(f"called {'right' if labelled else 'wrong'}").classes("gr-quiet")
    if label is None:
        return
    about = describe_check(result.check)[:80].replace('"', "'")
    with ui.element("div").props(f'role="group" aria-label="Was the judge right: {about}"').classes("gr-row"):
        for right, name in ((True, "Judge is right"), (False, "Judge is wrong")):

            async def say(right: bool = right) -> None:
                await label(place, right)

            pressed = "true" if labelled is right else "false"
            ui.button(name, on_click=say).props(f'flat dense no-caps size=sm color=link aria-pressed="{pressed}"')


def scorecard(run: Run) -> None:
    """The score and what to change."""
    if run.scorecard is None:
        return
    heading("Scorecard")
    with ui.element("div").classes("gr-row"):
        ui.linear_progress(run.scorecard.score / 100, show_value=False).props(
            f'aria-label="Score {run.scorecard.score} of 100" color=primary'
        ).classes("gr-score")
        ui.label(f"{run.scorecard.score} of 100")
    ui.label(run.scorecard.summary).classes("gr-words")


def usage(run: Run) -> None:
    """Tokens and cost by role."""
    heading("Tokens and cost")
    if not run.usage:
        quiet("No model was asked yet.")
        return
    with table("Tokens and cost by role", ["Role", "Model", "Requests", "Tokens", "Cost"]):
        for each in run.usage:
            with row():
                words("Role", each.role)
                words("Model", f"{each.provider}:{each.model}")
                words("Requests", f"{each.calls:,}", number=True)
                about = "~" if each.estimated else ""
                with cell("Tokens", number=True):
                    ui.label(f"{about}{each.input_tokens:,} in, {about}{each.output_tokens:,} out")
                    if each.cached_input_tokens:
                        ui.label(f"{each.cached_input_tokens:,} cached").classes("gr-quiet")
                known = each.cost_usd
                words("Cost", "unknown" if known is None else cost(known, complete=True), number=True)


def warnings(run: Run) -> None:
    """What there is to be careful about."""
    if not run.warnings:
        return
    heading("Warnings")
    with ui.element("ul"):
        for warning in run.warnings:
            with ui.element("li"):
                ui.label(warning)
