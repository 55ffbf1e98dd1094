"""What is known of the judge, for the runs of a report: from the labels that lie beside their tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from greenroom.grade.calibration import Label, agreements, latest, question_of
from greenroom.model.errors import UserMistake
from greenroom.report.labels import find_labels, read_labels
from greenroom.report.results import ReportedRun


def note_agreements(runs: Sequence[ReportedRun]) -> None:
    """Note in each run how well the judge is known to agree with people on its questions. Labels that cannot be read
    are no reason to lose a report: they are passed over here, and told by `greenroom label --show`."""
    asked = [{question_of(result.check) for result in run.checks} - {None} for run in runs]
    if not any(asked):
        return
    labels: list[Label] = []
    for path in find_labels({run.file for run in runs if run.file is not None}, Path.cwd()):
        try:
            labels.extend(read_labels(path).labels)
        except UserMistake:
            continue
    known = agreements(latest(labels))
    for run, questions in zip(runs, asked, strict=True):
        run.agreements = [one for one in known if one.question in questions]
