"""`greenroom compare`: the same tests on two variants of an agent."""

from __future__ import annotations

from typing import Annotated

import typer

from greenroom.cli.options import (
    AsJson,
    Cassette,
    CassetteMode,
    Concurrency,
    Html,
    Keyword,
    Markdown,
    MaxCost,
    Model,
    Paths,
    Record,
    Repeat,
    Replay,
    ReportJson,
    Seed,
    Settings,
    Tags,
)


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="What the agents are now: see below.")],
    second: Annotated[str, typer.Argument(metavar="B", help="What they may become.")],
    paths: Paths = None,
    keyword: Keyword = None,
    tag: Tags = None,
    repeat: Repeat = None,
    concurrency: Concurrency = 10,
    model: Model = None,
    settings: Settings = None,
    max_cost: MaxCost = None,
    seed: Seed = 0,
    fail_on_worse: Annotated[
        bool, typer.Option("--fail-on-worse", help="End with 1 when B is seen to be worse than A.")
    ] = False,
    record: Record = None,
    replay: Replay = None,
    cassette: Cassette = None,
    cassette_mode: CassetteMode = None,
    html: Html = None,
    markdown: Markdown = None,
    report_json: ReportJson = None,
    as_json: AsJson = False,
) -> int:
    """Play the same tests on two variants of an agent, with the same callers and seeds, and tell them apart.

    A and B are each: as-written; a variant of the files, by its name; model:PROVIDER:NAME; prompt:FILE; or a YAML file,
    whose agents then play (the tests are those of A, where no paths are given). Two reports of `run --report-json` are
    compared without playing.

    Exit codes: 0 whatever the difference; 1 with --fail-on-worse when B is seen to be worse; 2 a mistake in the files
    or in this command; 3 a run could not finish; 4 over budget; 130 stopped by Ctrl-C.
    """
    from greenroom.cli.comparing import ComparisonWishes, compare_sides
    from greenroom.cli.handing import Wanted
    from greenroom.cli.selecting import Choice
    from greenroom.cli.taping import read_cassette

    wishes = ComparisonWishes(
        first=first,
        second=second,
        paths=tuple(paths or ()),
        choice=Choice(keyword, tuple(tag or ()), repeat, seed),
        concurrency=concurrency,
        model=model,
        settings=tuple(settings or ()),
        max_cost=max_cost,
        fail_on_worse=fail_on_worse,
        cassette=read_cassette(record=record, replay=replay, cassette=cassette, mode=cassette_mode),
        wanted=Wanted(html=html, markdown=markdown, report_json=report_json, as_json=as_json),
    )
    return compare_sides(wishes)
