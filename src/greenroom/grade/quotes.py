"""Whether a quote stands in the talk, and in which line.

Compared in the normal form of every check (`greenroom.model.text.fold`), with typographic quotation marks, apostrophes
and dashes made plain. A quote may leave something out (`…`) or run over several lines: then each part must stand in
the talk, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import regex

from greenroom.grade.rendering import show_call
from greenroom.grade.words import count_words
from greenroom.model.run import Line
from greenroom.model.text import fold

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'"} | dict.fromkeys("“”„‟«»", '"'))
_DASHES = regex.compile(r"\p{Pd}")
_LEFT_OUT = regex.compile(r"\[?(?:…|\.{3,})\]?|\s*[\r\n]+\s*(?:\|\s*)?")
_LABEL = regex.compile(
    r"\A\s*(?:\[\d+\])?\s*(?:turn \d+,\s*)?(?:agent|caller|tool|customer|user|assistant)\b[^:\n]{0,80}:\s*",
    regex.IGNORECASE,
)
_EDGES = regex.compile(r"\A[\s\p{P}]+|[\s\p{P}]+\Z")
_IN_REASON = regex.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|\"([^\"]+)\"")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the line's index in the transcript, and how far into it (in folded characters)."""

    line: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class _Run:
    """Lines that a quote may run over: those that one side spoke in one turn; or one line alone."""

    text: str
    starts: tuple[tuple[int, int], ...]
    """For each line, where it starts in `text`, and its index."""

    def place(self, offset: int) -> Place:
        start, line = max(entry for entry in self.starts if entry[0] <= offset)
        return Place(line, offset - start)

    def find_all(self, part: str) -> Iterator[tuple[Place, Place]]:
        """Where `part` starts and where its last character stands, each time it occurs."""
        at = self.text.find(part)
        while at >= 0:
            yield self.place(at), self.place(at + len(part) - 1)
            at = self.text.find(part, at + 1)


class Quotable:
    """A talk, prepared for looking up quotes."""

    def __init__(self, transcript: Sequence[Line]) -> None:
        self._runs = tuple(_runs(transcript))

    def find(self, quote: str) -> Place | None:
        """Where `quote` starts in the talk; `None` where it does not stand there (or holds no word)."""
        whole = normal(_LABEL.sub("", quote))
        if not has_words(quote):
            return None
        found = self._after(Place(-1), whole) or self._after(Place(-1), _trimmed(whole))
        return found[0] if found else self._find_parts(quote)

    def _find_parts(self, quote: str) -> Place | None:
        parts = [_trimmed(normal(_LABEL.sub("", part))) for part in _LEFT_OUT.split(quote) if part]
        first: Place | None = None
        cursor = Place(-1)
        for part in filter(None, parts):
            found = self._after(cursor, part)
            if found is None:
                return None
            first = first or found[0]
            cursor = Place(found[1].line, found[1].offset + 1)
        return first

    def _after(self, cursor: Place, part: str) -> tuple[Place, Place] | None:
        """The first occurrence of `part` that starts at `cursor` or later."""
        if not part:
            return None
        hits = (
            hit
            for run in self._runs
            for hit in run.find_all(part)
            if (hit[0].line, hit[0].offset) >= (cursor.line, cursor.offset)
        )
        return min(hits, key=lambda hit: (hit[0].line, hit[0].offset), default=None)


def normal(text: str) -> str:
    """`text` as quotes are compared."""
    return _DASHES.sub("-", fold(text.translate(_PLAIN)).translate(_PLAIN))


def has_words(text: str) -> bool:
    """Whether there is anything in `text` beside marks and spaces."""
    return bool(_trimmed(normal(text)))


def quotes_in(reason: str) -> list[str]:
    """What a reason puts in double quotation marks, where it has at least three words: shorter ones name things."""
    found = (next(group for group in match.groups() if group) for match in _IN_REASON.finditer(reason))
    return [quote for quote in found if count_words(quote) >= 3]


def stands_in_any(quote: str, texts: Iterable[str]) -> bool:
    """Whether `quote` stands in one of `texts`, such as the question itself."""
    wanted = _trimmed(normal(quote))
    return any(wanted in normal(text) for text in texts)


def _trimmed(folded: str) -> str:
    return _EDGES.sub("", folded)


def _runs(transcript: Sequence[Line]) -> Iterator[_Run]:
    spoken: list[tuple[int, str]] = []
    speaker: tuple[str, int] | None = None
    for index, line in enumerate(transcript):
        if line.role == "tool":
            yield _run([(index, show_call(line))])
            continue
        if (line.role, line.turn) != speaker and spoken:
            yield _run(spoken)
            spoken = []
        speaker = (line.role, line.turn)
        spoken.append((index, line.text))
        if line.role == "caller" and line.said is not None:
            yield _run([(index, line.said)])
    if spoken:
        yield _run(spoken)


def _run(lines: Sequence[tuple[int, str]]) -> _Run:
    texts: list[str] = []
    starts: list[tuple[int, int]] = []
    length = 0
    for index, text in lines:
        folded = normal(text)
        starts.append((length, index))
        texts.append(folded)
        length += len(folded)
    return _Run("".join(texts), tuple(starts))
