"""The agents of a file, for those who talk to them or write tests for them, whether the file holds tests or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from greenroom.files.casting import read_cast, read_variants
from greenroom.files.finding import find_files
from greenroom.files.layout import read_layout
from greenroom.files.library import Library
from greenroom.files.mistakes import Ledger, Place
from greenroom.files.suite import Case, Suite
from greenroom.model.case import Caller, ScriptMessage, Test
from greenroom.model.errors import UserMistake
from greenroom.model.limits import Limits

STAND_IN = "Chat"
_OWN_NAMES = ("greenroom.yaml", "greenroom.yml")
_NAMES_SHOWN = 5
_NATIVE = Limits()


def find_file(path: Path | None) -> Path:
    """The one test file that is meant: `path` itself, or the one in that folder (by default the current one).

    Of several in a folder, `greenroom.yaml` is meant.

    Raises:
        UserMistake: there is none, or more than one.
    """
    folder = path or Path()
    if path is not None and not path.is_dir():
        return path
    for name in _OWN_NAMES:
        if (folder / name).is_file():
            return folder / name
    found = find_files([folder])
    if len(found) == 1:
        return found[0]
    more = f" and {len(found) - _NAMES_SHOWN} more" if len(found) > _NAMES_SHOWN else ""
    names = ", ".join(f"`{file}`" for file in found[:_NAMES_SHOWN])
    raise UserMistake(f"There are several test files, {names}{more}: name the one that you mean.")


def load_agents(file: Path, *, environ: Mapping[str, str] | None = None, limits: Limits = _NATIVE) -> Suite:
    """The agents of a test file, or the agent that a file is: one case each, with a test that only stands in.

    Its tests are not read. What a test's case can (variants, changes, secrets), these can too.

    Raises:
        FileMistakes: anything is wrong in the file, its tests excepted; all of it, with places.
        UserMistake: there is no agent in it.
    """
    ledger = Ledger()
    library = Library(ledger)
    layout = read_layout(file, library, environ or {}, asked_at=Place(file, 1, 1))
    if layout is None:
        ledger.raise_any()
        raise UserMistake(f"{file}:1:1: there is no agent in this file: write one under `agent:`")
    cast = read_cast(layout, limits, ledger)
    variants = read_variants(layout, library, environ or {}, limits)
    ledger.raise_any()
    cases = [
        Case(
            file=file,
            line=1,
            agent=player.agent,
            test=Test(name=STAND_IN, caller=Caller(messages=[ScriptMessage(text=STAND_IN)])),
            others=cast.others(player.agent),
            credentials=layout.credentials,
            variants=variants,
            unset_credentials=layout.unset_credentials,
            players=cast.players,
        )
        for player in cast.players
    ]
    if not cases:
        raise UserMistake(f"{file}:1:1: there is no agent in this file: write one under `agent:`")
    return Suite(tuple(cases), limits)
