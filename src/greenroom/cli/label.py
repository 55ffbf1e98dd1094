"""`greenroom label`: says whether the judge was right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson


def label(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="REPORT.json", help="A stored report; with --show, files of labels instead."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Where the labels are kept: labels.jsonl beside the report."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="RUN_ID:CHECK=right|wrong",
            help="Label one check (counted from 1) without being asked; again for one more.",
        ),
    ] = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="With --set: why, for whoever reads the labels.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Ask for those too that have a label already.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show how well the judge agrees with the labels.")] = False,
    as_json: AsJson = False,
) -> int:
    """Say of the judge's answers in a stored report whether they are right, the most doubtful first.

    With --show: how often the judge was right and Cohen's kappa, question by question, the worst first.
    """
    from greenroom.cli.labelling import LabelWishes, label_results, show_agreements

    wishes = LabelWishes(
        files=tuple(files or ()),
        labels=labels,
        settings=tuple(settings or ()),
        note=note,
        again=again,
        as_json=as_json,
    )
    return show_agreements(wishes) if show else label_results(wishes)
