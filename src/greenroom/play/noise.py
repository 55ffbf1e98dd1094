"""What speech recognition does to a caller's line, simulated: seeded, at a chosen share of words.

The kinds of error follow what recognisers are known for: words that sound alike, short words dropped, numbers written
as words, and no punctuation or capitals.
"""

from __future__ import annotations

import random

import regex

_TOKENS = regex.compile(r"\S+")
_EDGES = regex.compile(r"^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$")
_PUNCTUATION = regex.compile(r"(?<![\p{N}])[.,;:!?…]+|[.,;:!?…]+(?![\p{N}])|[\"“”«»()]")

_SOUND_ALIKE: tuple[tuple[str, ...], ...] = (
    ("their", "there", "they're"), ("your", "you're"), ("to", "two", "too"), ("for", "four"), ("by", "buy", "bye"),
    ("hear", "here"), ("know", "no"), ("right", "write"), ("week", "weak"), ("our", "hour"), ("its", "it's"),
    ("then", "than"), ("one", "won"), ("eight", "ate"), ("son", "sun"), ("meet", "meat"), ("mail", "male"),
    ("weather", "whether"), ("new", "knew"), ("be", "bee"), ("see", "sea"), ("sale", "sail"), ("wait", "weight"),
    ("fair", "fare"), ("whole", "hole"), ("road", "rode"), ("plane", "plain"), ("brake", "break"), ("cell", "sell"),
    ("fifteen", "fifty"), ("thirteen", "thirty"), ("fourteen", "forty"), ("sixteen", "sixty"), ("seventeen", "seventy"),
    ("eighteen", "eighty"), ("nineteen", "ninety"), ("tuesday", "thursday"), ("can", "can't"), ("order", "older"),
    ("ship", "chip"), ("thing", "think"), ("want", "won't"), ("cost", "caused"), ("address", "a dress"),
)  # fmt: skip
_ALIKE = {word: tuple(other for other in group if other != word) for group in _SOUND_ALIKE for word in group}
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SHORT = 3


def misheard(text: str, word_error_rate: float, seed: int, language: str | None = None) -> str:
    """`text` as a recogniser would hand it on.

    About `word_error_rate` (0 to 0.5) of the words come out wrong; punctuation and capitals are lost throughout.
    Numbers become words in English only. The same seed gives the same result.
    """
    chance = random.Random(seed)
    english = (language or "en").lower().split("-")[0] == "en"
    heard: list[str] = []
    for token in _TOKENS.findall(text):
        word = _EDGES.sub("", token).lower()
        if not word:
            continue
        if chance.random() >= word_error_rate:
            heard.append(_plain(word, english))
            continue
        heard.extend(_wrong(word, english, chance))
    return " ".join(heard) or text


def _plain(word: str, english: bool) -> str:
    if english and word.isascii() and word.isdigit():
        return " ".join(_DIGITS[int(digit)] for digit in word)
    return _PUNCTUATION.sub("", word)


def _wrong(word: str, english: bool, chance: random.Random) -> list[str]:
    """One word heard wrong: as another that sounds alike, not at all, or run together."""
    if english and word in _ALIKE:
        return [chance.choice(_ALIKE[word])]
    if word.isdecimal() and len(word) > 1:
        place = chance.randrange(len(word))
        return [_plain(word[:place] + str((int(word[place]) + chance.randint(1, 9)) % 10) + word[place + 1 :], english)]
    if len(word) <= _SHORT:
        return []
    # By what a reader sees as one character, so that no combining mark is torn from its letter.
    letters: list[str] = regex.findall(r"\X", word)
    if len(letters) < _SHORT:
        return []
    place = chance.randrange(1, len(letters) - 1)
    if chance.random() < 0.5:
        return ["".join(letters[:place]), "".join(letters[place:])]
    return ["".join(letters[:place] + letters[place + 1 :])]
