"""Mistakes in what a person wrote in a file: where each stands and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from greenroom.model.errors import Problem, UserMistake


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a file. Lines and columns count from 1, columns in characters."""

    file: Path
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: where it stands, one sentence on what to do, and the name that was probably meant."""

    file: Path
    line: int
    column: int
    message: str
    suggestion: str | None = None

    @classmethod
    def at(cls, place: Place, message: str, suggestion: str | None = None) -> Mistake:
        """A mistake that stands at `place`."""
        return cls(place.file, place.line, place.column, message, suggestion)

    def __str__(self) -> str:
        hint = f"; did you mean `{self.suggestion}`?" if self.suggestion else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{hint}"


class FileMistakes(UserMistake):
    """Everything that is wrong in the files that were read, in the order of the files; `str()` is one line each."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        # The same place may be read twice (an anchor, an agent that two files share): it is told once.
        self.mistakes: tuple[Mistake, ...] = tuple(dict.fromkeys(mistakes))
        lines = [str(mistake) for mistake in self.mistakes]
        super().__init__("\n".join(lines), [Problem((), line) for line in lines])

    def __reduce__(self) -> tuple[object, ...]:
        return FileMistakes, (self.mistakes,)


class Ledger:
    """Where mistakes are collected while files are read, so that all are told at once."""

    def __init__(self) -> None:
        self._mistakes: list[Mistake] = []

    def add(self, place: Place, message: str, suggestion: str | None = None) -> None:
        """Note one mistake."""
        self._mistakes.append(Mistake.at(place, message, suggestion))

    def add_mistake(self, mistake: Mistake) -> None:
        """Note a mistake as it is."""
        self._mistakes.append(mistake)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """What was noted so far, in the order in which it was found."""
        return tuple(self._mistakes)

    def raise_any(self) -> None:
        """Raise `FileMistakes` where anything was noted.

        Raises:
            FileMistakes: at least one mistake was noted.
        """
        if self._mistakes:
            raise FileMistakes(_in_reading_order(self._mistakes))


def _in_reading_order(mistakes: list[Mistake]) -> list[Mistake]:
    order = {file: index for index, file in enumerate(dict.fromkeys(mistake.file for mistake in mistakes))}
    return sorted(mistakes, key=lambda mistake: (order[mistake.file], mistake.line, mistake.column))
