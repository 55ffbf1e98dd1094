"""The report as JUnit XML, which every CI service reads: one suite a file, one case a run."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from rich.console import RenderableType

from greenroom.model.run import CheckResult, Run
from greenroom.report.console import UNICODE, WIDTH_OF_A_FILE, QuietConsole
from greenroom.report.describe import describe_check, describe_end
from greenroom.report.figures import run_cost, run_seconds, run_tokens
from greenroom.report.files import write_file
from greenroom.report.printable import printable, printable_line
from greenroom.report.results import WHY_NOT_STARTED, NotStarted, Report, ReportedRun
from greenroom.report.talk import TalkView

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MESSAGE_LIMIT = 500

Case = ReportedRun | NotStarted


def junit_xml(report: Report) -> str:
    """The report as JUnit XML. A run that failed is a `failure` with its checks and its talk, one that could not
    finish an `error`, one that was stopped or never started `skipped`."""
    root = ElementTree.Element("testsuites", name="greenroom", time=f"{report.summary.seconds:.3f}")
    everything: list[Case] = [*report.runs, *report.not_started]
    for name in dict.fromkeys(_suite_name(case) for case in everything):
        cases = [case for case in everything if _suite_name(case) == name]
        root.append(_suite(name, cases, report))
    _count(root, everything)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def write_junit(report: Report, path: Path) -> None:
    """Write the report to `path`.

    Raises:
        UserMistake: it could not be written.
    """
    write_file(path, junit_xml(report))


def _suite_name(case: Case) -> str:
    return case.file or case.agent


def _suite(name: str, cases: Sequence[Case], report: Report) -> ElementTree.Element:
    took = sum((run_seconds(case) or 0.0) for case in cases if isinstance(case, ReportedRun))
    suite = ElementTree.Element(
        "testsuite", name=_xml(name), time=f"{took:.3f}", timestamp=report.started_at.isoformat(timespec="seconds")
    )
    _count(suite, cases)
    for case in cases:
        element = ElementTree.SubElement(suite, "testcase", name=_xml(case.title), classname=_xml(case.agent))
        if case.file is not None:
            element.set("file", _xml(case.file))
            if case.line is not None:
                element.set("line", str(case.line))
        if isinstance(case, NotStarted):
            ElementTree.SubElement(element, "skipped", message=f"Not started: {WHY_NOT_STARTED[case.reason]}.")
        else:
            _fill(element, case)
    return suite


def _count(element: ElementTree.Element, cases: Sequence[Case]) -> None:
    statuses = [case.status if isinstance(case, ReportedRun) else "cancelled" for case in cases]
    element.set("tests", str(len(statuses)))
    element.set("failures", str(statuses.count("failed")))
    element.set("errors", str(statuses.count("error")))
    element.set("skipped", str(sum(1 for status in statuses if status not in ("passed", "failed", "error"))))


def _fill(element: ElementTree.Element, run: ReportedRun) -> None:
    element.set("time", f"{run_seconds(run) or 0.0:.3f}")
    _properties(element, run)
    match run.status:
        case "passed":
            return
        case "failed":
            problem = ElementTree.SubElement(element, "failure", type="failed", message=_xml(_failed_message(run)))
            problem.text = _xml(_findings(run) + "\n\n" + _talk(run))
        case "error":
            message = printable_line(run.error or "The run could not finish.")
            problem = ElementTree.SubElement(element, "error", type="error", message=_xml(message))
            problem.text = _xml(_talk(run))
        case _:
            ElementTree.SubElement(element, "skipped", message="Stopped before it was finished.")


def _properties(element: ElementTree.Element, run: Run) -> None:
    values = {
        "ended_by": describe_end(run),
        "turns": str(run.turns),
        "tokens": run_tokens(run),
        "cost": run_cost(run),
        "seed": str(run.seed),
    }
    if run.variant:
        values["variant"] = run.variant
    holder = ElementTree.SubElement(element, "properties")
    for name, value in values.items():
        ElementTree.SubElement(holder, "property", name=name, value=_xml(value))
    for warning in run.warnings:
        ElementTree.SubElement(holder, "property", name="warning", value=_xml(printable_line(warning)))


def _failed_message(run: Run) -> str:
    broken = [_finding(result) for result in run.checks if result.passed is False and result.check.required]
    if not broken and run.scorecard is not None:
        broken = [f"score {run.scorecard.score} of 100: {printable_line(run.scorecard.summary)}"]
    message = "; ".join(broken)
    return message if len(message) <= _MESSAGE_LIMIT else message[: _MESSAGE_LIMIT - 1] + "…"


def _findings(run: Run) -> str:
    signs = {True: UNICODE.passed, False: UNICODE.failed, None: UNICODE.open}
    lines = [f"{signs[result.passed]} {_finding(result)}" for result in run.checks]
    if run.scorecard is not None:
        lines.append(f"score {run.scorecard.score} of 100: {printable_line(run.scorecard.summary)}")
    return "\n".join(lines)


def _finding(result: CheckResult) -> str:
    words = describe_check(result.check)
    if result.detail and result.passed is not True:
        words += f": {printable_line(result.detail)}"
    return words


def _talk(run: Run) -> str:
    return plain_text(TalkView(run, UNICODE)) if run.transcript else ""


def plain_text(renderable: RenderableType, width: int = WIDTH_OF_A_FILE) -> str:
    """What a terminal of `width` columns would show, without colours or space at the ends of lines."""
    page = io.StringIO()
    console = QuietConsole(file=page, width=width, markup=False, emoji=False, highlight=False, force_terminal=False)
    console.print(renderable)
    return "\n".join(line.rstrip() for line in page.getvalue().removesuffix("\n").split("\n"))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", printable(text))
