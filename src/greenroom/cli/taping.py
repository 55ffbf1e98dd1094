"""`--record`, `--replay` and `--cassette`: which recording is used, and how."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.cli.options import CassetteModeName
from greenroom.model.errors import UserMistake

if TYPE_CHECKING:
    from greenroom.cassettes.tape import Tape
    from greenroom.files.suite import Case


@dataclass(frozen=True, slots=True)
class CassetteWish:
    """A recording, what to do with it, and the option that asked for it."""

    path: Path
    mode: CassetteModeName
    option: str

    @property
    def may_answer(self) -> bool:
        """Whether nobody may have to be asked, so that no key is required before it turns out to be needed."""
        return self.mode == "replay" or (self.mode == "auto" and self.path.exists())


def read_cassette(
    *, record: Path | None, replay: Path | None, cassette: Path | None, mode: CassetteModeName | None
) -> CassetteWish | None:
    """The recording that the command line names; `None` where it names none.

    Raises:
        UserMistake: options that exclude each other are given.
    """
    given: list[CassetteWish] = []
    if record is not None:
        given.append(CassetteWish(record, "record", "--record"))
    if replay is not None:
        given.append(CassetteWish(replay, "replay", "--replay"))
    if cassette is not None:
        given.append(CassetteWish(cassette, mode or "auto", "--cassette"))
    if len(given) > 1:
        raise UserMistake(f"{given[0].option} and {given[1].option} exclude each other: give one of them")
    if mode is not None and cassette is None:
        raise UserMistake("--cassette-mode goes with --cassette: add the file of the recording, or leave it out")
    return given[0] if given else None


def open_tape(wish: CassetteWish | None, cases: Iterable[Case]) -> Tape | None:
    """Open the recording, for tests whose secrets must not reach it.

    Raises:
        UserMistake: it is missing, it is no recording, or it could not be written.
    """
    if wish is None:
        return None
    from greenroom.cassettes.secrets import secrets_of
    from greenroom.cassettes.tape import Tape
    from greenroom.report.files import make_writable

    if wish.mode != "replay":
        make_writable(wish.path, wish.option)
    written = [model for case in cases for model in (case.agent, *case.others.values(), *case.credentials.values())]
    return Tape.open(wish.path, wish.mode, sorted(secrets_of(written, os.environ)))


def save_tape(tape: Tape) -> None:
    """Write what was recorded so far.

    Raises:
        UserMistake: the system refuses.
    """
    try:
        tape.save()
    except OSError as problem:
        why = (problem.strerror or "the system refused").lower()
        raise UserMistake(f"The recording could not be written to {tape.path}: {why}") from None
