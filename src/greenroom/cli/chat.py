"""`greenroom chat`: talk to an agent yourself."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson


class ToolAnswers(StrEnum):
    """How the agent's tool calls are answered."""

    CANNED = "canned"
    REAL = "real"
    PLAN = "plan"


def chat(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The test file with the agent. By default the one where you are."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Which of the file's agents; by default the first.")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option("--test", metavar="NAME", help="Use this test's agent, variables and prepared tool answers."),
    ] = None,
    tools: Annotated[
        ToolAnswers | None,
        typer.Option("--tools", help="How tool calls are answered: prepared answers, the real tools, or only planned."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="PROVIDER:NAME", help="Talk to this model instead of the agent's.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Change a field of the agent, such as prompt=@file; again for more.",
        ),
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Talk to the agent as this variant of the file.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Talk to an agent yourself; `/save` makes a test of the talk.

    Each line that you type (or pipe in) is answered by the agent as in a run: with its real prompt, model and tools.
    /help lists the commands; Ctrl-C ends a reply, Ctrl-D the talk. With --json, the talk is printed at its end as JSON.
    """
    from greenroom.cli.chatting import ChatWishes, chat_with
    from greenroom.cli.choosing import AgentWishes

    chosen = AgentWishes(
        file=file, agent=agent, variant=variant, model=model, settings=tuple(settings or ()), test=test
    )
    return chat_with(ChatWishes(chosen, tools=tools.value if tools else None, as_json=as_json))
