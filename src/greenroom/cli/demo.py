"""`greenroom demo`: plays the tests of a bundled agent, without a key and without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greenroom.cli.options import AsJson, Force


def demo(
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", metavar="DIR", help="Write the demo's test file into this folder instead of playing it."
        ),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """See Greenroom at work: a dental front desk and its tests, played without a key and without a network.

    One test fails on purpose, so that you see what a failure looks like; the exit code is 0 all the same.
    """
    from greenroom.cli.showing import play_demo, save_demo

    if save is not None:
        return save_demo(save, force=force, as_json=as_json)
    return play_demo(as_json=as_json)
