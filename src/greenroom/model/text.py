"""How text is compared and read: one normal form for every check, quote and pattern."""

from __future__ import annotations

import unicodedata

import regex

# White space, and what takes no room: zero-width characters, joiners, direction marks, soft hyphens, the BOM.
_BLANKS = regex.compile(r"[\s\p{Default_Ignorable_Code_Point}]+")
_SPACE = regex.compile(r"\s+")
_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-.,:][\p{L}\p{M}\p{N}]+)*")
_THINKING = regex.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", regex.DOTALL | regex.IGNORECASE)
_LATE_THINKING = regex.compile(r"\A.*?</(?:think|thinking|reasoning)>", regex.DOTALL | regex.IGNORECASE)


def fold(text: str) -> str:
    """The form in which texts are compared: NFKC, case-folded, without white space and zero-width characters."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # Taking a blank out can bring a letter and a combining mark together.
    return unicodedata.normalize("NFKC", _BLANKS.sub("", folded))


def squeeze(text: str) -> str:
    """`text` on one line, with single spaces."""
    return _SPACE.sub(" ", text).strip()


def words(text: str) -> list[str]:
    """The words of `text`, in any script that separates words; `don't`, `4.30` and `10:00` are one each."""
    return _WORDS.findall(text)


def shorten(text: str, limit: int) -> str:
    """`text` on one line, cut to `limit` characters with an ellipsis."""
    line = squeeze(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def cut(text: str, limit: int) -> tuple[str, bool]:
    """`text` cut at `limit` characters, never inside a combined character, and whether it was cut."""
    if len(text) <= limit:
        return text, False
    end = limit
    while end > limit - 16 and (unicodedata.combining(text[end]) or text[end] in "\u200d\ufe0f"):
        end -= 1
    return text[:end], True


def without_thinking(text: str) -> str:
    """`text` without the `<think>` blocks that local models leak into it, closed or not."""
    if "<" not in text:
        return text
    cleaned = _THINKING.sub("", text)
    return _LATE_THINKING.sub("", cleaned).strip()


def is_speakable(text: str) -> bool:
    """Whether `text` can be stored and sent: no lone surrogate and no NUL."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def speakable(text: str) -> str:
    """`text` with what cannot be stored or sent replaced by U+FFFD."""
    if is_speakable(text):
        return text
    return regex.sub(r"[\x00\ud800-\udfff]", "\ufffd", text)
