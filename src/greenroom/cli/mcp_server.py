"""`greenroom mcp`: the MCP server over standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from greenroom.cli.serve import Data
from greenroom.cli.server_client import Key, Server


def mcp(
    server: Server = None,
    key: Key = None,
    data: Data = None,
    project: Annotated[
        str, typer.Option("--project", metavar="NAME", help="With --data, the project, by its name or id.")
    ] = "default",
) -> int:
    """Serve MCP over standard input and output, for a program that starts it.

    With --server, the tools ask that service with your key; otherwise the data folder on this machine is used, and runs
    are played in this process.
    """
    from greenroom.cli.mcp_serving import serve_mcp

    return serve_mcp(server, key, data, project)
