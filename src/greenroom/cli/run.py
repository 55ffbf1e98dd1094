"""`greenroom run`: plays tests from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Concurrency


def run(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Test files, or folders with test files. By default the folder you are in.", metavar="[PATHS]..."
        ),
    ] = None,
    keyword: Annotated[
        str | None,
        typer.Option("-k", metavar="EXPR", help="Only tests whose name fits: words with and, or, not, parentheses."),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only tests with this tag; again for one more.")
    ] = None,
    concurrency: Concurrency = 10,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER:NAME", help="Play every agent with this model instead of its own."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a field of the agents, such as prompt=@file; again for one more."
        ),
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Play the agents as this variant of the file.")
    ] = None,
    max_cost: Annotated[
        str | None,
        typer.Option("--max-cost", metavar="USD", help="Stop once the runs have cost this much, in US dollars."),
    ] = None,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first run that does not pass.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Decides all that is left to chance.")] = 0,
    force_primary_failure: Annotated[
        bool,
        typer.Option("--force-primary-failure", help="Rehearse: let the backup brain write the agent's replies."),
    ] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML there.")] = None,
    report_json: Annotated[
        Path | None, typer.Option("--report-json", metavar="FILE", help="Write the whole result as JSON there.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Play tests from files and report on them.

    Exit codes: 0 all passed; 1 a test failed; 2 a mistake in the files or in this command; 3 a run could not finish,
    also when others failed; 4 over budget; 130 stopped by Ctrl-C (what had finished is kept and reported).
    """
    from greenroom.cli.running import Wishes, run_files

    wishes = Wishes(
        paths=tuple(paths or ()),
        keyword=keyword,
        tags=tuple(tag or ()),
        concurrency=concurrency,
        model=model,
        settings=tuple(settings or ()),
        variant=variant,
        max_cost=max_cost,
        fail_fast=fail_fast,
        seed=seed,
        force_primary_failure=force_primary_failure,
        junit=junit,
        report_json=report_json,
        as_json=as_json,
    )
    return run_files(wishes)
