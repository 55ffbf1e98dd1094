"""The words by which knowledge is found, in any script. Pure."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import regex

# The boundaries of words as Unicode defines them (UAX 29).
_BOUNDARY = regex.compile(r"(?wV1)\b")
_WORD = regex.compile(r"[\p{L}\p{N}]")
_IGNORED = regex.compile(r"[\p{Default_Ignorable_Code_Point}]+")
# Accents, points and short vowels are often left out when people write; in other scripts the marks are the word.
_ACCENTS = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}\p{Arabic}\p{Hebrew}]\p{Mn}*)\p{Mn}+")
# Scripts that put no spaces between words, and Hangul, whose words carry their particles with them.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}ー々〆"
_RUN = regex.compile(rf"(?V1)[{_UNSPACED}][[{_UNSPACED}]\p{{M}}]*")
_CHARACTER = regex.compile(r"\X")


def index_words(text: str) -> list[str]:
    """The words of a passage, folded; in scripts without spaces, each character and each pair of neighbours."""
    return _words(text, with_characters=True)


def query_words(text: str) -> list[str]:
    """The words of a query, folded; in scripts without spaces, the pairs of neighbours, so that a character that
    happens to occur does not make a passage fit. A single character stands for itself."""
    return _words(text, with_characters=False)


def loose_query_words(text: str) -> list[str]:
    """The words of a query with single characters too: for when the pairs find nothing."""
    return _words(text, with_characters=True)


def fold_word(text: str) -> str:
    """`text` in the form in which words are compared: NFKC, case-folded, without accents where those are optional."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if folded.isascii():
        return folded
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", _IGNORED.sub("", folded)))
    return unicodedata.normalize("NFC", bare)


def _words(text: str, *, with_characters: bool) -> list[str]:
    folded = fold_word(text)
    found: list[str] = []
    end = 0
    for run in _RUN.finditer(folded):
        found += _spaced(folded[end : run.start()])
        found += _pairs(run[0], with_characters=with_characters)
        end = run.end()
    return found + _spaced(folded[end:])


def _spaced(text: str) -> list[str]:
    return [word for word in _BOUNDARY.split(text) if _WORD.search(word)]


def _pairs(text: str, *, with_characters: bool) -> list[str]:
    characters: list[str] = _CHARACTER.findall(text)
    pairs = [first + second for first, second in pairwise(characters)]
    return characters + pairs if with_characters or not pairs else pairs
