"""`greenroom push` and `greenroom pull`: files to and from a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Force
from greenroom.cli.server_client import Key, Server


def push(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The test file. By default the one where you are.")
    ] = None,
    server: Server = None,
    key: Key = None,
    as_json: AsJson = False,
) -> int:
    """Bring the agents and tests of a file to a server.

    What is there by the same name is brought up to date, the rest is made; nothing is made twice, and nothing is taken
    away. An agent that changed is published as its next version.
    """
    from greenroom.cli.pushing import push_file

    return push_file(file, server, key, as_json=as_json)


def pull(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's name, or its id.")],
    server: Server = None,
    key: Key = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to; by default it is printed.")
    ] = None,
    force: Force = False,
) -> int:
    """Fetch an agent and its tests from a server, as a test file.

    Secrets stay on the server: in the file, each is a `${NAME}` to be set in the environment.
    """
    from greenroom.cli.pulling import pull_agent

    return pull_agent(agent, server, key, out, force=force)
