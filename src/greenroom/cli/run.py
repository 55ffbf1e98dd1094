"""`greenroom run`: plays tests from files."""

from __future__ import annotations

from typing import Annotated

import typer

from greenroom.cli.options import (
    Annotations,
    AsJson,
    Cassette,
    CassetteMode,
    Concurrency,
    Html,
    Junit,
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


def run(
    paths: Paths = None,
    keyword: Keyword = None,
    tag: Tags = None,
    repeat: Repeat = None,
    concurrency: Concurrency = 10,
    model: Model = None,
    settings: Settings = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Play the agents as this variant of the file.")
    ] = None,
    max_cost: MaxCost = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first run that does not pass.")] = False,
    min_pass_rate: Annotated[
        str | None,
        typer.Option(
            "--min-pass-rate", metavar="RATE", help="Each test must pass this share of its runs, such as 90% or 0.9."
        ),
    ] = None,
    min_pass_power: Annotated[
        str | None,
        typer.Option(
            "--min-pass-power",
            metavar="K:RATE",
            help="K runs in a row must all pass this likely, for each test, such as 3:0.8.",
        ),
    ] = None,
    seed: Seed = 0,
    force_primary_failure: Annotated[
        bool,
        typer.Option("--force-primary-failure", help="Rehearse: let the backup brain write the agent's replies."),
    ] = False,
    record: Record = None,
    replay: Replay = None,
    cassette: Cassette = None,
    cassette_mode: CassetteMode = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Play again whenever a file of the tests changes, until Ctrl-C.")
    ] = False,
    junit: Junit = None,
    html: Html = None,
    markdown: Markdown = None,
    report_json: ReportJson = None,
    annotations: Annotations = False,
    as_json: AsJson = False,
) -> int:
    """Play tests from files and report on them.

    Exit codes: 0 all passed; 1 a test failed; 2 a mistake in the files or in this command; 3 a run could not finish,
    also when others failed; 4 over budget; 130 stopped by Ctrl-C (what had finished is kept and reported).
    """
    from greenroom.cli.handing import Wanted
    from greenroom.cli.running import Wishes, run_files
    from greenroom.cli.taping import read_cassette

    wishes = Wishes(
        paths=tuple(paths or ()),
        keyword=keyword,
        tags=tuple(tag or ()),
        repeat=repeat,
        concurrency=concurrency,
        model=model,
        settings=tuple(settings or ()),
        variant=variant,
        max_cost=max_cost,
        fail_fast=fail_fast,
        min_pass_rate=min_pass_rate,
        min_pass_power=min_pass_power,
        seed=seed,
        force_primary_failure=force_primary_failure,
        cassette=read_cassette(record=record, replay=replay, cassette=cassette, mode=cassette_mode),
        watch=watch,
        wanted=Wanted(
            junit=junit, html=html, markdown=markdown, report_json=report_json, annotations=annotations, as_json=as_json
        ),
    )
    return run_files(wishes)
