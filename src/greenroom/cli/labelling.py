"""What `greenroom label` does: walks through the judge's answers of a report, keeps what a person says of them, and
shows what it comes to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from greenroom.cli.agreement_view import show_agreement
from greenroom.cli.asking import Lines, open_lines
from greenroom.cli.exits import ExitCode
from greenroom.cli.judged_view import show_judged, show_whole_talk
from greenroom.cli.log import keep_log
from greenroom.cli.output import Output
from greenroom.cli.playing import shown_path
from greenroom.grade.calibration import (
    Agreement,
    Label,
    agreement,
    agreements,
    can_be_labelled,
    doubt,
    latest,
    question_of,
)
from greenroom.model.errors import UserMistake
from greenroom.model.run import CheckResult
from greenroom.report.figures import plural
from greenroom.report.json_report import read_report
from greenroom.report.labels import LABELS_FILE, ReadLabels, add_label, read_labels
from greenroom.report.printable import printable_line
from greenroom.report.results import ReportedRun

ALL_QUESTIONS = "All questions"
_PASSED_OVER_SHOWN = 3
_PROMPT = "right (r), wrong (w), skip (Enter), note (n), talk (t), back (b), quit (q)? "
_ANSWERS = {
    "r": "right", "right": "right", "y": "right", "yes": "right",
    "w": "wrong", "wrong": "wrong", "no": "wrong",
    "": "skip", "s": "skip", "skip": "skip",
    "n": "note", "note": "note",
    "t": "talk", "talk": "talk",
    "b": "back", "back": "back",
    "q": "quit", "quit": "quit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelWishes:
    """Everything that the command line of `greenroom label` asks for."""

    files: Sequence[Path] = ()
    labels: Path | None = None
    settings: Sequence[str] = ()
    note: str | None = None
    again: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """A check result that a judge decided: the run, and the index of the check in it."""

    run: ReportedRun
    index: int

    @property
    def result(self) -> CheckResult:
        return self.run.checks[self.index]

    @property
    def question(self) -> str:
        return question_of(self.result.check) or ""

    def label(self, right: bool, note: str = "") -> Label:
        return Label(
            question=self.question,
            judge=self.result.passed is True,
            right=right,
            run_id=self.run.id,
            test=self.run.test,
            check=self.index,
            note=note,
        )


def judged_of(runs: Sequence[ReportedRun]) -> list[Judged]:
    """What the judge decided in these runs, the most doubtful first."""
    found = [Judged(run, index) for run in runs for index, result in enumerate(run.checks) if can_be_labelled(result)]
    return sorted(found, key=lambda judged: doubt(judged.result))


def label_results(wishes: LabelWishes) -> int:
    """Label the judge's answers of a report, by what `--set` says or by asking; the exit code.

    Raises:
        UserMistake: the report cannot be read, the labels cannot be written, or there is nothing to label.
    """
    keep_log()
    if len(wishes.files) != 1:
        raise UserMistake("Name one report: greenroom label REPORT.json (greenroom run --report-json writes one)")
    if wishes.note is not None and not wishes.settings:
        raise UserMistake("--note goes with --set: without it you are asked for each answer")
    report = wishes.files[0]
    output = Output.open(as_json=wishes.as_json)
    runs = read_report(report).runs
    judged = judged_of(runs)
    if not judged:
        raise UserMistake(f"{report}: no judge decided anything in it, so there is nothing to label")
    path = wishes.labels or report.parent / LABELS_FILE
    before = _read(path, output) if path.exists() else []
    if wishes.settings:
        made = read_sets(wishes.settings, runs, report, wishes.note or "")
        for label in made:
            add_label(path, label)
    else:
        made = _Walk(judged, before, path, wishes, output).go()
    _tell(made, path, [*before, *made], wishes, output)
    return ExitCode.ALL_PASSED


def _read(path: Path, output: Output) -> list[Label]:
    read: ReadLabels = read_labels(path)
    for sentence in read.passed_over[:_PASSED_OVER_SHOWN]:
        output.say_aside(Text(printable_line(sentence), style="yellow"))
    if (more := len(read.passed_over) - _PASSED_OVER_SHOWN) > 0:
        output.say_aside(Text(f"… and {plural(more, 'line')} more that are no label", style="yellow"))
    return read.labels


def read_sets(settings: Sequence[str], runs: Sequence[ReportedRun], report: Path, note: str) -> list[Label]:
    """The labels that `--set RUN_ID:CHECK=right|wrong` gives. The start of a run's id will do where it is the only one.

    Raises:
        UserMistake: one cannot be read, or names no judged check.
    """
    return [_read_set(setting, runs, report, note) for setting in settings]


def _read_set(setting: str, runs: Sequence[ReportedRun], report: Path, note: str) -> Label:
    place, sign, word = setting.rpartition("=")
    run_id, colon, number = place.rpartition(":")
    if not (sign and colon and run_id and number.isascii() and number.isdigit()):
        raise UserMistake(f"--set {setting}: write RUN_ID:CHECK=right or wrong, for example --set run_1a2b:2=wrong")
    if word not in ("right", "wrong"):
        raise UserMistake(f"--set {setting}: `{word}` is neither `right` nor `wrong`")
    found = [run for run in runs if run.id == run_id] or [run for run in runs if run.id.startswith(run_id)]
    if len(found) != 1:
        why = f"{len(found)} runs of {report} start so" if found else f"there is no such run in {report}"
        raise UserMistake(f"--set {setting}: {why}")
    run, index = found[0], int(number) - 1
    if not 0 <= index < len(run.checks):
        raise UserMistake(f"--set {setting}: this run has {plural(len(run.checks), 'check')}, counted from 1")
    judged = Judged(run, index)
    if not can_be_labelled(judged.result):
        raise UserMistake(f"--set {setting}: no judge decided this check ({judged.result.check.type})")
    return judged.label(word == "right", note)


class _Walk:
    """Asks for one answer of the judge's after the other. Each label is kept at once."""

    def __init__(
        self, judged: Sequence[Judged], before: Sequence[Label], path: Path, wishes: LabelWishes, output: Output
    ) -> None:
        known = {(label.run_id, label.check) for label in latest(before)}
        self._left = [one for one in judged if wishes.again or (one.run.id, one.index) not in known]
        self._path = path
        self._output = output
        self._lines: Lines = open_lines(on_stderr=wishes.as_json)
        self._made: list[Label] = []
        self._done = len(judged) - len(self._left)

    def go(self) -> list[Label]:
        """Ask until all are labelled or it is enough; the labels made."""
        if self._done:
            self._aside(f"{plural(self._done, 'answer has', 'answers have')} a label already; --again asks for all")
        place = 0
        while place < len(self._left):
            step = self._ask(self._left[place], place)
            if step is None:
                break
            place = max(0, place + step)
        return self._made

    def _ask(self, judged: Judged, place: int) -> int | None:
        """Show an answer and ask for a word on it: how many answers to go on by, or nothing to end."""
        for part in show_judged(judged.run, judged.index, place + 1, len(self._left), self._output.signs):
            self._show(part)
        note = ""
        while True:
            try:
                line = self._lines.next(_PROMPT)
            except KeyboardInterrupt:
                line = None
            if line is None:
                return None
            match _ANSWERS.get(line.strip().casefold()):
                case "right" | "wrong" as word:
                    label = judged.label(word == "right", note)
                    add_label(self._path, label)
                    self._made.append(label)
                    return 1
                case "skip":
                    return 1
                case "back":
                    return -1
                case "quit":
                    return None
                case "note":
                    note = (self._lines.next("note: ") or "").strip()
                case "talk":
                    self._show(show_whole_talk(judged.run, self._output.signs))
                case _:
                    self._aside("Type r, w, n, t, b or q, or Enter to skip.")

    def _show(self, part: RenderableType) -> None:
        if self._output.as_json:
            self._output.say_aside(part)
        else:
            self._output.say(part)

    def _aside(self, words: str) -> None:
        self._output.say_aside(Text(words, style="dim"))


def _tell(made: Sequence[Label], path: Path, labels: Sequence[Label], wishes: LabelWishes, output: Output) -> None:
    if wishes.as_json:
        result = {
            "labels": [label.model_dump(mode="json") for label in made],
            "written_to": str(path),
            "agreements": [one.model_dump(mode="json") for one in agreements(latest(labels))],
        }
        output.print_json(json.dumps(result, ensure_ascii=False, indent=2))
        return
    made = latest(made)
    if not made:
        output.say(Text("No label was given."))
        return
    right = sum(label.right for label in made)
    output.say(
        Text(f"{plural(len(made), 'label')}: the judge was right in {right}. Written to ").append(
            shown_path(path), style="bold"
        )
    )
    output.say_next([(f"greenroom label --show {shown_path(path)}", "how well the judge agrees with the labels")])


# What they come to


def show_agreements(wishes: LabelWishes) -> int:
    """Show how well the judge agrees with the labels of some files; the exit code.

    Raises:
        UserMistake: a file cannot be read, or there are no labels.
    """
    keep_log()
    if wishes.settings or wishes.note is not None:
        raise UserMistake("--show only shows labels: take --set and --note out")
    output = Output.open(as_json=wishes.as_json)
    paths = list(wishes.files) or [wishes.labels or Path(LABELS_FILE)]
    if not wishes.files and wishes.labels is None and not paths[0].exists():
        raise UserMistake(
            f"There is no {LABELS_FILE} here: label a report with `greenroom label REPORT.json`, or name the file"
        )
    labels = latest(label for path in paths for label in _read(path, output))
    if not labels:
        raise UserMistake(f"There are no labels in {', '.join(printable_line(str(path)) for path in paths)}")
    by_question = agreements(labels)
    overall = agreement(ALL_QUESTIONS, labels)
    if wishes.as_json:
        output.print_json(json.dumps(_as_data(by_question, overall), ensure_ascii=False, indent=2))
        return ExitCode.ALL_PASSED
    for part in show_agreement(by_question, overall, output.signs):
        output.say(part)
    return ExitCode.ALL_PASSED


def _as_data(by_question: Sequence[Agreement], overall: Agreement) -> dict[str, object]:
    return {
        "all": overall.model_dump(mode="json", exclude={"question"}),
        "questions": [one.model_dump(mode="json") for one in by_question],
    }
