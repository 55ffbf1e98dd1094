"""`greenroom serve` and `greenroom worker`: the service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="The folder of the service's data; by default greenroom-data."),
]


def serve(
    host: Annotated[str | None, typer.Option("--host", help="The address to listen on; by default 127.0.0.1.")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="The port; by default 8080. 0 takes a free one.")
    ] = None,
    data: Data = None,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Play no runs here: `greenroom worker` processes do.")
    ] = False,
) -> int:
    """Serve the API, and play runs.

    Keeps everything in a SQLite file under --data, or in the PostgreSQL database that GREENROOM_DATABASE_URL names.
    """
    from greenroom.cli.serve_commands import run_serve

    return run_serve(host=host, port=port, data=data, worker=not no_worker)


def worker(data: Data = None) -> int:
    """Play the runs of a service whose API runs elsewhere."""
    from greenroom.cli.serve_commands import run_worker

    return run_worker(data=data)
