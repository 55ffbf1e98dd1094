"""Passages of knowledge, prepared so that claims can be held against them."""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

import regex

from greenroom.grade.claims import Content, alike, content_of
from greenroom.grade.lines import sentences

_CLAUSE = regex.compile(r"[,;，；、—]\s+|\s[-–]\s|\b(?:but|aber|mais|pero|mas|ma|maar|लेकिन)\b", regex.IGNORECASE)
_LABEL = regex.compile(r"\A([^:：]{1,60})[:：]")
_ROW = regex.compile(r"[;|\n；]+")

NEARBY = 0.5
ELSEWHERE = 0.25
SAME_MATTER = 0.75
# How much of a claim's words must stand in the sentence, by how many figures stand in it too: three figures that all
# fit say so much that the words may be quite others.
ENOUGH = (0.6, 0.34, 0.2, 0.0)
IN_A_ROW = 3
ALL_BUT = 0.8
REMEMBERED = 5000


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or row of a passage. `heading` holds the words of the short line that it stands under."""

    passage: int
    content: Content
    readings: frozenset[str]
    heading: frozenset[str]
    clauses: tuple[Content, ...]

    def own_words(self) -> frozenset[str]:
        return frozenset(self.content.words) | self.heading


class Evidence:
    """What a set of passages can carry."""

    def __init__(self, passages: tuple[str, ...]) -> None:
        self._units: list[_Unit] = []
        for number, passage in enumerate(passages):
            self._read(number, passage)
        self._places: dict[str, set[int]] = {}
        for place, unit in enumerate(self._units):
            for word in unit.own_words():
                self._places.setdefault(word, set()).add(place)
        self._found: dict[str, frozenset[int]] = {}

    def _read(self, number: int, passage: str) -> None:
        heading = frozenset[str]()
        for row in _ROW.split(passage):
            for sentence in sentences(row):
                content = content_of(sentence)
                if content.size == 0:
                    continue
                heading = _heading(sentence) or heading
                parts = tuple(content_of(part) for part in _CLAUSE.split(sentence) if part.strip())
                self._units.append(_Unit(number, content, content.readings, heading, parts))

    def carries(self, claim: Content, given: AbstractSet[str] = frozenset()) -> bool:
        """Whether one sentence of the passages carries the claim.

        `given` are readings that were brought up in the talk; numbers among them need not stand in the passages.
        """
        if not self._units:
            return False
        figures = [figure for figure in claim.figures if not _is_number(figure) or not figure & given]
        scores = [self._score(claim, place) for place in range(len(self._units))]
        best = max(scores)
        enough = ENOUGH[min(sum(map(_weight, figures)), 3)]
        for place, score in enumerate(scores):
            unit = self._units[place]
            if score < SAME_MATTER * best or any(not figure & unit.readings for figure in figures):
                continue
            if claim.words and score < enough:
                continue
            if not claim.words and not figures:
                continue
            if self._agrees(claim, unit):
                return True
        return not figures and self._stands_in_a_row(claim)

    def _score(self, claim: Content, place: int) -> float:
        """The share of the claim's words that stand in a sentence; those next to it or elsewhere count in part."""
        total = carried = 0.0
        for word in claim.words:
            places = self._places_of(word)
            weight = math.log(1 + len(self._units) / max(1, len(places)))
            total += weight
            if place in places:
                carried += weight
            elif any(self._is_near(place, other) for other in (place - 1, place + 1) if other in places):
                carried += NEARBY * weight
            elif places:
                carried += ELSEWHERE * weight
        return carried / total if total else 1.0

    def _is_near(self, place: int, other: int) -> bool:
        return self._units[place].passage == self._units[other].passage

    def _places_of(self, word: str) -> frozenset[int]:
        if word not in self._found:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            places = [found for other, found in self._places.items() if alike(word, other)]
            self._found[word] = frozenset[int]().union(*places)
        return self._found[word]

    def _agrees(self, claim: Content, unit: _Unit) -> bool:
        """Whether claim and sentence both deny or both affirm, judged by the clause that is nearest to the claim."""
        if self._names_another_matter(claim, unit):
            return False
        nearest = max(unit.clauses, key=lambda clause: _shared(claim, clause), default=unit.content)
        negative, other = claim.denies or claim.closes, nearest.denies or nearest.closes
        return negative == other or (nearest.excepts if negative else claim.excepts)

    def _names_another_matter(self, claim: Content, unit: _Unit) -> bool:
        """Whether the claim's numbers belong to another item of the sentence: "the soup is $7, the sandwich $12"."""
        if not claim.figures or not all(map(_is_number, claim.figures)):
            return False
        shares = [_shared_words(claim, clause) for clause in unit.clauses]
        most = max(shares, default=0)
        if most == 0 or shares.count(most) > 1:
            return False
        clause = unit.clauses[shares.index(most)]
        has_numbers = any(map(_is_number, clause.figures))
        return has_numbers and any(not figure & clause.readings for figure in claim.figures)

    def _stands_in_a_row(self, claim: Content) -> bool:
        """Whether a list without figures stands in a few neighbouring sentences, nearly word for word."""
        if claim.denies or len(claim.words) < 2:
            return False
        for start, unit in enumerate(self._units):
            window = range(start, min(start + IN_A_ROW, len(self._units)))
            same = [place for place in window if self._units[place].passage == unit.passage]
            if any(self._units[place].content.denies for place in same):
                continue
            held = sum(1 for word in claim.words if any(place in self._places_of(word) for place in same))
            if held >= ALL_BUT * len(claim.words):
                return True
        return False


@lru_cache(maxsize=32)
def evidence_of(passages: tuple[str, ...]) -> Evidence:
    """The evidence in `passages`; runs of one agent share it, since its knowledge is the same in each."""
    return Evidence(passages)


def _heading(sentence: str) -> frozenset[str]:
    """The words of a heading: a short line without figures, or what stands before a colon. What follows is about it."""
    label = _LABEL.match(sentence)
    content = content_of(label[1] if label else sentence)
    if content.figures or len(content.words) > 4 or (label is None and sentence.endswith((".", "!", "。"))):
        return frozenset()
    return frozenset(content.words)


def _is_number(figure: frozenset[str]) -> bool:
    return all(reading[0] == "#" or reading[0].isdigit() for reading in figure)


def _weight(figure: frozenset[str]) -> int:
    """For how many figures one counts: the longer a number, the less likely it stands there by chance."""
    if any(reading.startswith("phone:") for reading in figure):
        return 3
    return 2 if any(len(reading) >= 5 and reading[1:].isdigit() for reading in figure) else 1


def _shared_words(claim: Content, clause: Content) -> int:
    return sum(1 for word in claim.words if any(alike(word, other) for other in clause.words))


def _shared(claim: Content, clause: Content) -> int:
    return _shared_words(claim, clause) + sum(1 for figure in claim.figures if figure & clause.readings)
