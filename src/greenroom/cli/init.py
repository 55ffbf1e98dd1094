"""`greenroom init`: writes a first agent and a first test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Force


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where to write. By default the folder you are in.")
    ] = Path(),
    provider: Annotated[
        str | None,
        typer.Option("--provider", help="openai, anthropic, google, ollama, or scripted (no model, no key)."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The provider's model. By default a small, quick one.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: take what is not given by default.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Write a commented test file, a prompt and a first test, ready to run."""
    from greenroom.cli.starting import start_project

    return start_project(folder, provider=provider, model=model, ask=not (yes or as_json), force=force, as_json=as_json)
