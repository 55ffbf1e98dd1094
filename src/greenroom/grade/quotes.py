"""Whether a quote stands in the talk, and in which line.

Compared in the normal form of every check (`greenroom.model.text.fold`), with typographic quotation marks, apostrophes
and dashes made plain. A quote may leave something out (`…`) or run over several lines: then each part must stand in
the talk, in order. What is short could stand there by chance: it must be whole words, and a short part of a quote must
come from the same side and turn as the part before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

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
_JOINED = regex.compile(
    r"\X\p{M}|\p{N}\p{N}|[\p{L}\p{M}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]{2}",
    regex.VERSION1,
)
_SPACES = regex.compile(r"\s+")
_SHORT = 10
"""In folded characters: what is shorter could stand in a talk by chance."""
_IN_REASON = regex.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|\"([^\"]+)\"")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the line's index in the transcript, and how far into it (in folded characters)."""

    line: int
    offset: int = 0


@dataclass(frozen=True)
class _Run:
    """Lines that a quote may run over: those that one side spoke in one turn; or one line alone."""

    text: str
    written: tuple[str, ...]
    """The lines as they were, not folded."""
    starts: tuple[tuple[int, int], ...]
    """For each line, where it starts in `text`, and its index."""

    def place(self, offset: int) -> Place:
        start, line = max(entry for entry in self.starts if entry[0] <= offset)
        return Place(line, offset - start)

    def find_all(self, part: str) -> Iterator[tuple[Place, Place]]:
        """Where `part` starts and where its last character stands, each time it occurs."""
        at = self.text.find(part)
        while at >= 0:
            end = at + len(part)
            if len(part) >= _SHORT or not (self._is_inside_a_word(at) or self._is_inside_a_word(end)):
                yield self.place(at), self.place(end - 1)
            at = self.text.find(part, at + 1)

    def _is_inside_a_word(self, offset: int) -> bool:
        if offset in self._word_starts or not 0 < offset < len(self.text):
            return False
        return _JOINED.fullmatch(self.text, offset - 1, offset + 1) is not None

    @cached_property
    def _word_starts(self) -> frozenset[int]:
        """Where white space stood before it was folded away."""
        found: set[int] = set()
        length = 0
        for text in self.written:
            for word in _SPACES.split(text):
                found.add(length)
                length += len(normal(word))
        # Letters that only come together by folding move what follows: then nothing is known of the spaces.
        return frozenset(found if length == len(self.text) else range(len(self.text)))


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

    def holds(self, text: str) -> bool:
        """Whether `text` stands in one go in the talk, also inside the JSON of a tool line."""
        wanted = normal(text)
        return any(wanted in run.text or wanted in run.text.replace("\\", "") for run in self._runs)

    def _find_parts(self, quote: str) -> Place | None:
        parts = [_trimmed(normal(_LABEL.sub("", part))) for part in _LEFT_OUT.split(quote) if part]
        first: Place | None = None
        last: Place | None = None
        for part in filter(None, parts):
            cursor = Place(last.line, last.offset + 1) if last else Place(-1)
            found = self._after(cursor, part, None if last is None or len(part) >= _SHORT else last.line)
            if found is None:
                return None
            first = first or found[0]
            last = found[1]
        return first

    def _after(self, cursor: Place, part: str, beside: int | None = None) -> tuple[Place, Place] | None:
        """The first occurrence of `part` that starts at `cursor` or later, in what was said in one go with the line
        `beside` where one is given."""
        if not part:
            return None
        hits = (
            hit
            for run in self._runs
            if beside is None or any(line == beside for _, line in run.starts)
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
    return _Run("".join(texts), tuple(text for _, text in lines), tuple(starts))
