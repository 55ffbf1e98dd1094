"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

CassetteModeName = Literal["auto", "record", "replay"]

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on standard output.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=1000, help="How many runs at once.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Test files, or folders with test files. By default the folder you are in.", metavar="[PATHS]..."
    ),
]
Keyword = Annotated[
    str | None,
    typer.Option("-k", metavar="EXPR", help="Only tests whose name fits: words with and, or, not, parentheses."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only tests with this tag; again for one more.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:NAME", help="Play every agent with this model instead of its own."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="FIELD=VALUE", help="Change a field of the agents, such as prompt=@file; again for one more."
    ),
]
Repeat = Annotated[
    int | None,
    typer.Option("--repeat", metavar="N", min=1, max=1000, help="Play each test N times, whatever its file says."),
]
Seed = Annotated[int, typer.Option("--seed", help="Decides all that is left to chance.")]
MaxCost = Annotated[
    str | None,
    typer.Option("--max-cost", metavar="USD", help="Stop once the runs have cost this much, in US dollars."),
]

Record = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Keep every answer of models, real tools and remote agents there."),
]
Replay = Annotated[
    Path | None,
    typer.Option("--replay", metavar="FILE", help="Answer from that recording and ask nobody: no key, no network."),
]
Cassette = Annotated[
    Path | None,
    typer.Option("--cassette", metavar="FILE", help="A recording to use as --cassette-mode says."),
]
CassetteMode = Annotated[
    CassetteModeName | None,
    typer.Option(
        "--cassette-mode",
        metavar="MODE",
        help="auto: replay what is recorded and record the rest (so if not said); record; replay.",
    ),
]

Junit = Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML there.")]
ReportJson = Annotated[
    Path | None, typer.Option("--report-json", metavar="FILE", help="Write the whole result as JSON there.")
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a page there that stands by itself, for a browser.")
]
Markdown = Annotated[
    Path | None, typer.Option("--md", metavar="FILE", help="Write Markdown there, for a pull request's comment.")
]
Annotations = Annotated[
    bool,
    typer.Option("--annotations", help="Mark failures in GitHub's view of the change, and fill the job's summary."),
]
