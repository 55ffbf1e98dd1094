"""`greenroom import`: tests from other tools' files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Force


class ChatsAs(StrEnum):
    """What becomes of a recorded chat."""

    NEXT_REPLY = "next_reply"
    SCRIPT = "script"


def import_tests(
    format: Annotated[
        str | None, typer.Argument(metavar="FORMAT", help="What made the file; `auto` tells it from the file.")
    ] = None,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The file of the other tool.")] = None,
    list_formats: Annotated[bool, typer.Option("--list", help="List the formats instead.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the tests into this file instead of printing.")
    ] = None,
    agent: Annotated[
        Path | None, typer.Option("--agent", metavar="PATH", help="The file of the agent that the tests are for.")
    ] = None,
    tools: Annotated[
        list[str] | None,
        typer.Option("--tool", metavar="ID=NAME", help="The name of a tool known by its id; again for one more."),
    ] = None,
    chats: Annotated[
        ChatsAs, typer.Option("--chats", help="What becomes of a recorded chat: a test of its last reply, or a script.")
    ] = ChatsAs.NEXT_REPLY,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when something could not be carried.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Make Greenroom tests of another tool's file, and list what could not be carried.

    Prints the tests as YAML, or writes them with --out.
    """
    from greenroom.cli.importing import ImportWishes, import_file_of, list_importers

    if list_formats:
        return list_importers(as_json=as_json)
    wishes = ImportWishes(
        format=format,
        file=file,
        out=out,
        agent=agent,
        tools=tuple(tools or ()),
        chats=chats.value,
        strict=strict,
        force=force,
        as_json=as_json,
    )
    return import_file_of(wishes)
