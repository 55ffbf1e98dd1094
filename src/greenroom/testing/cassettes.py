"""The cassette of one test: a file of its own beside the test's file, so that tests can be recorded side by side."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.model.errors import UserMistake
from greenroom.testing.settings import CassetteWish

if TYPE_CHECKING:
    from greenroom.cassettes.tape import Tape

_OPTION = "--greenroom-cassettes=record"
_NOT_IN_NAMES = re.compile(r"[^\w.]+")
_LONGEST_NAME = 60  # Characters; of up to four bytes each, within the 255 bytes of a file's name.


class Cassette:
    """The cassette of one test, opened when it is first played. One test may play several talks onto it."""

    def __init__(self, test_file: Path, test: str, wish: CassetteWish) -> None:
        self.path = cassette_path(test_file, test)
        self._wish: CassetteWish = wish
        self._tape: Tape | None = None

    @property
    def may_answer(self) -> bool:
        """Whether models and tools may not have to be asked at all."""
        return self._wish == "replay" or (self._wish == "auto" and self.path.exists())

    def tape(self, secrets: Iterable[str]) -> Tape | None:
        """The tape to play or record on; `None` where cassettes are off. `secrets` never reach the file.

        Raises:
            UserMistake: there is no cassette to replay, or it cannot be read.
        """
        if self._wish == "off":
            return None
        from greenroom.cassettes.tape import Tape

        if self._tape is None:
            if self._wish == "replay" and not self.path.exists():
                raise UserMistake(f"There is no cassette at {_shown(self.path)}: record this test once with {_OPTION}.")
            self._tape = Tape.open(self.path, self._wish, option=_OPTION)
        self._tape.secrets = tuple({*self._tape.secrets, *secrets})
        return self._tape

    def save(self) -> None:
        """Write what was recorded so far."""
        if self._tape is not None:
            self._tape.save()


def cassette_path(test_file: Path, test: str) -> Path:
    """Where the cassette of a test lies: `cassettes/FILE/TEST.json` beside the file, one for each test of it."""
    name = _NOT_IN_NAMES.sub("-", test).strip("-.")[:_LONGEST_NAME]
    if name.replace("-", " ") != test:
        name = f"{name}-{hashlib.sha256(test.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return test_file.parent / "cassettes" / test_file.name / f"{name}.json"


def _shown(path: Path) -> str:
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
