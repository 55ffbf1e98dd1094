"""`greenroom report`: shows a stored report again, or writes it in other forms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import Annotations, AsJson, Html, Junit, Markdown


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A report that --report-json wrote.")],
    junit: Junit = None,
    html: Html = None,
    markdown: Markdown = None,
    annotations: Annotations = False,
    as_json: AsJson = False,
) -> int:
    """Show a stored report again, or write it in other forms; nothing is played.

    The exit code is 0 whatever the report says.
    """
    from greenroom.cli.handing import Wanted
    from greenroom.cli.reporting import show_report

    wanted = Wanted(junit=junit, html=html, markdown=markdown, annotations=annotations, as_json=as_json)
    return show_report(file, wanted)
