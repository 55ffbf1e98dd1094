"""What tests are drafted from: a real call, or the failed runs of a stored report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from greenroom.cli.choosing import AgentWishes
from greenroom.drafting.transcript import read_transcript
from greenroom.files.mistakes import Ledger
from greenroom.files.text_files import MAX_BYTES, read_text
from greenroom.model.case import HistoryLine
from greenroom.model.errors import UserMistake
from greenroom.model.rules import nearest
from greenroom.report.json_report import read_report
from greenroom.report.results import ReportedRun


@dataclass(frozen=True, slots=True)
class CallSource:
    """A real call."""

    lines: Sequence[HistoryLine]


@dataclass(frozen=True, slots=True)
class FailedRuns:
    """Runs of a report that failed, one for each test and variation."""

    report: Path
    runs: Sequence[ReportedRun]

    def fill_in(self, wishes: AgentWishes) -> AgentWishes:
        """The file and the agent of the runs, where the command line names none.

        Raises:
            UserMistake: the runs are of several files or agents.
        """
        files = list(dict.fromkeys(run.file for run in self.runs))
        agents = list(dict.fromkeys(run.agent for run in self.runs))
        if wishes.file is None and len(files) == 1 and files[0] is not None and Path(files[0]).is_file():
            wishes = replace(wishes, file=Path(files[0]))
        elif wishes.file is None and len(files) > 1:
            raise UserMistake(f"{self.report}: the failed runs are of several files: name the one that you mean")
        if wishes.agent is None:
            if len(agents) > 1:
                raise UserMistake(
                    f"{self.report}: the failed runs are of several agents: choose one test with --test, or add --agent"
                )
            wishes = replace(wishes, agent=agents[0])
        return wishes


Source: TypeAlias = CallSource | FailedRuns | None
"""What tests are drafted from; nothing: from the agent's prompt."""


def read_call(path: str) -> CallSource:
    """The call in a file, or (`-`) on standard input.

    Raises:
        UserMistake: it cannot be read, or does not read as a call.
    """
    if path == "-":
        name, text = "standard input", _read_standard_input()
    else:
        ledger = Ledger()
        read = read_text(Path(path), ledger)
        ledger.raise_any()
        name, text = path, read or ""
    try:
        return CallSource(read_transcript(text))
    except UserMistake as mistake:
        raise UserMistake(f"{name}: {mistake}") from None


def _read_standard_input() -> str:
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by whoever started the program
        return ""
    if sys.stdin.isatty():
        sys.stderr.write("Paste the call, then press Ctrl-D on a line of its own.\n")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UserMistake("standard input: the call is larger than 2 MiB: give a shorter one")
    return data.decode("utf-8-sig", "replace")


def read_failed_runs(path: Path, test: str | None) -> FailedRuns:
    """The failed runs of a report, those of one test where it is named.

    Raises:
        UserMistake: the report cannot be read, or no such run failed.
    """
    runs = read_report(path).runs
    failed = [run for run in runs if run.status == "failed"]
    if test is not None:
        named = [run for run in runs if run.test == test]
        if not named:
            near = nearest(test, {run.test for run in runs})
            hint = f"; did you mean `{near}`?" if near else ""
            raise UserMistake(f"--test {test}: {path} has no such test{hint}")
        failed = [run for run in named if run.status == "failed"]
    if not failed:
        unfinished = sum(run.status == "error" for run in runs)
        more = f"; {unfinished} could not finish, which no test can mend" if unfinished else ""
        what = f"no run of `{test}` failed" if test is not None else "no run failed"
        raise UserMistake(f"{path}: {what}{more}")
    first = {(run.agent, run.test, run.variation): run for run in reversed(failed)}
    return FailedRuns(path, [run for run in failed if first[run.agent, run.test, run.variation] is run])
