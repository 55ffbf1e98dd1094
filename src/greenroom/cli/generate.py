"""`greenroom generate`: drafts tests."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Force


class DraftedKind(StrEnum):
    """The kinds of test that can be drafted."""

    SIMULATION = "simulation"
    SCRIPT = "script"
    NEXT_REPLY = "next_reply"
    TOOL_CALL = "tool_call"


def generate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The test file with the agent. By default the one where you are."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Which of the file's agents; by default the first.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Draft for the agent as this variant of the file.")
    ] = None,
    from_call: Annotated[
        str | None,
        typer.Option("--from-call", metavar="FILE|-", help="Draft from a real call: pasted text or exported JSON."),
    ] = None,
    from_run: Annotated[
        Path | None,
        typer.Option("--from-run", metavar="REPORT.json", help="Draft from the failed runs of a stored report."),
    ] = None,
    test: Annotated[
        str | None, typer.Option("--test", metavar="NAME", help="With --from-run: only from runs of this test.")
    ] = None,
    as_script: Annotated[
        bool, typer.Option("--as-script", help="With --from-call: a test of what its caller said, without a model.")
    ] = False,
    as_reply: Annotated[
        bool, typer.Option("--as-reply", help="With --from-call: a test of its last reply, without a model.")
    ] = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="With --as-script or --as-reply: the test's name.")
    ] = None,
    count: Annotated[
        int | None,
        typer.Option("--count", min=1, max=20, help="How many tests; for each failed test with --from-run."),
    ] = None,
    kinds: Annotated[
        list[DraftedKind] | None, typer.Option("--kind", help="Which kind of test; again for one more.")
    ] = None,
    focus: Annotated[
        str | None, typer.Option("--focus", metavar="TEXT", help="What the tests are to be about.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="NAME", help="The language that they are written in.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="PROVIDER:NAME", help="The model that drafts; by default the agent's judge or brain."
        ),
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Add them to the test file.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write them into this file, a new one.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Draft tests for an agent: from its prompt, from a real call, or from a run that failed.

    Prints them as YAML; on a terminal you pick which to keep.
    """
    from greenroom.cli.choosing import AgentWishes
    from greenroom.cli.generating import GenerateWishes, generate_tests

    wishes = GenerateWishes(
        chosen=AgentWishes(file=file, agent=agent, variant=variant),
        from_call=from_call,
        from_run=from_run,
        test=test,
        as_script=as_script,
        as_reply=as_reply,
        name=name,
        count=count,
        kinds=tuple(kind.value for kind in dict.fromkeys(kinds or ())),
        focus=focus,
        language=language,
        model=model,
        save=save,
        out=out,
        force=force,
        as_json=as_json,
    )
    return generate_tests(wishes)
