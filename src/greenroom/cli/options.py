"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else, on standard output.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=1000, help="How many runs at once.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")]
