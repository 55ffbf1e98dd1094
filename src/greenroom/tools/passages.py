"""Cutting a document into passages. Pure."""

from __future__ import annotations

import regex

SHORTEST = 400
LONGEST = 900

_PARAGRAPH_END = regex.compile(r"\n[ \t\r]*\n\s*")
_LINE_END = regex.compile(r"\n\s*")
# An end mark with what closes after it; scripts that write no spaces need none after it.
_SENTENCE_END = regex.compile(r"(?:[.!?…؟۔।॥][\"'”’»)\]]*\s+|[。！？｡][”’」』）]*\s*)")
_SPACE = regex.compile(r"\s+")
_CHARACTER = regex.compile(r"\X")


def split(text: str) -> list[str]:
    """`text` in passages of at most 900 characters, cut where a paragraph ends, else a line, a sentence or a word.

    Joined, the passages are `text` again: nothing is lost and nothing is said twice.
    """
    passages: list[str] = []
    start = 0
    while len(text) - start > LONGEST:
        end = _best_end(text, start)
        passages.append(text[start:end])
        start = end
    if start < len(text):
        passages.append(text[start:])
    return passages


def _best_end(text: str, start: int) -> int:
    first, last = start + SHORTEST, start + LONGEST
    for ending in (_PARAGRAPH_END, _LINE_END, _SENTENCE_END, _SPACE):
        ends = [match.end() for match in ending.finditer(text, first, last) if match.end() < last]
        if ends:
            return ends[-1]
    return _character_end(text, last)


def _character_end(text: str, last: int) -> int:
    """The end at or before `last` that splits no combined character, where one is near."""
    ends = [match.end() for match in _CHARACTER.finditer(text, last - 100, last + 1) if match.end() <= last]
    # A single "character" of a hundred code points is no text: cut it anywhere.
    return ends[-1] if ends else last
