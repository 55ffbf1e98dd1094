"""Numbers, times, days and months in a text, however they are written, as readings that can be compared.

A figure is the set of its readings: `17:00` may be meant as 17 or as 5. A figure of one text stands in another where
any of its readings is among the readings of the other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import regex

from greenroom.grade.wordlists import (
    CHINESE_DIGITS,
    DAILY,
    DAY_ABBREVIATIONS,
    DAYS,
    FREE,
    MONTHS,
    NUMBER_WORDS,
    ONES,
    SCALES,
    TENS,
    WEEKDAYS,
    WEEKENDS,
)

Figure: TypeAlias = frozenset[str]
LARGEST = 10**9

_DIGIT = regex.compile(r"[^\P{Nd}0-9]")
_EUROPEAN = regex.compile(r"([\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+")
# Beside another day or a time `Mon` is Monday; alone it is the French word.
_MONDAY = r"\bMon\b(?=\.?\s*(?:[-–—,/&:]|to\b|[0-9]))|(?<=[-–—/&]\s*|\bto\s+)Mon\b"
_ABBREVIATION = regex.compile(rf"{_MONDAY}|\b(?:{'|'.join(DAY_ABBREVIATIONS)})\b\.?")
_ISO_DATE = r"\b[0-9]{4}-[0-9][0-9]-[0-9][0-9]\b"
_PHONE = (
    r"(?<![\w.:,])(?:\+[0-9][0-9 ()./-]{5,}[0-9]|\([0-9]{2,5}\)[ -]?[0-9][0-9 -]{3,}[0-9]|0[0-9](?:[ .-][0-9][0-9]){4}"
    r"|(?:1[ -])?[0-9]{3,5}(?:[ -][0-9]{2,5})+|[0-9](?:[ -][0-9]){6,})(?![\w:])"
)
_CLOCK = r"\b[0-9]{1,2}[:h][0-9][0-9]\b"
# Bounded, since Python makes no number of thousands of digits.
_PLAIN = r"[0-9]{1,30}(?:[.,][0-9]{1,30}){0,20}(?:st|nd|rd|th|er|eme|º|ª)?"
_CHINESE_DAY = r"(?:星期|周|礼拜)[一二三四五六日天]"
_CHINESE_NUMBER = (
    r"[零〇一二两三四五六七八九]?[十百][零一二三四五六七八九十]*"
    r"|[零〇一二两三四五六七八九]{1,12}(?=[点月号日元块分个位年楼半])"
)
# A number may stand inside what is otherwise one run of Chinese letters.
_WORD = rf"(?:(?!{_CHINESE_DAY}|{_CHINESE_NUMBER}|免费)[\p{{L}}\p{{M}}])+"
_TOKEN = regex.compile(
    f"(?P<date>{_ISO_DATE})|(?P<phone>{_PHONE})|(?P<clock>{_CLOCK})|(?P<plain>{_PLAIN})"
    f"|(?P<chinese_day>{_CHINESE_DAY})|(?P<chinese>{_CHINESE_NUMBER})|(?P<free>免费)|(?P<word>{_WORD})"
)
_HOUR_FOLLOWS = regex.compile(r"\s*(?:uhr\b|h\b|hrs\b|heures?\b|点|बजे|时(?!间))")
_AFTERNOON_FOLLOWS = regex.compile(r"\s*(?:p\.?\s?m\b|(?:o'?clock )?in the (?:afternoon|evening))")
_RANGE_FOLLOWS = regex.compile(r"\s*(?:-|–|—|to|till|until|bis|a|al|alle|ate|hasta|tot|से|至|到|~)\s*(?=[0-9])")
_RANGE_BETWEEN = regex.compile(
    r"\s*(?:-|–|—|~|to|thru|through|till|until|bis|au|a|al|alla|ate|hasta|tot|t/m|से|至|到)\s*(?:le |la |el |il |den )?"
)
_GERMAN_COMPOUND = regex.compile(r"(ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und(\p{L}+zig|\p{L}+ssig)")


def plain(text: str) -> str:
    """`text` in NFKC, case-folded, and in European scripts without accents."""
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _EUROPEAN.sub(r"\1", folded))


def _ascii_digits(text: str) -> str:
    """`text` with the digits of every script as 0 to 9."""
    return _DIGIT.sub(lambda match: str(unicodedata.decimal(match[0], match[0])), text)


_NUMBER_WORDS = {plain(word): value for word, value in NUMBER_WORDS.items()}
_TENS = {plain(word): value for word, value in TENS.items()}
_SCALES = {plain(word): value for word, value in SCALES.items()}
_DAYS = {plain(word): value for word, value in DAYS.items()}
_MONTHS = {plain(word): value for word, value in MONTHS.items()}
_FREE = frozenset(map(plain, FREE))
_DAILY = frozenset(map(plain, DAILY))


@dataclass(frozen=True, slots=True)
class _Spelled:
    """A number in words, while it is being read: its value, and whether more may follow."""

    value: int
    open: bool


@dataclass(slots=True)
class Reading:
    """What was read in a text: its figures in order, and what is left of it when they are taken out."""

    figures: list[Figure]
    rest: str


def read_figures(text: str) -> Reading:
    """Take the figures out of `text`."""
    written = _ABBREVIATION.sub(lambda match: DAY_ABBREVIATIONS.get(match[0].strip("."), "Monday"), text)
    folded = _ascii_digits(plain(written))
    return _Reader(folded).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._figures: list[Figure] = []
        self._rest: list[str] = []
        self._spelled: _Spelled | None = None
        self._spelled_end = 0
        self._last_day: tuple[int, int] | None = None

    def read(self) -> Reading:
        for match in _TOKEN.finditer(self._text):
            kind, written = match.lastgroup or "", match[0]
            if kind == "word":
                self._read_word(written, match)
                self._spelled_end = match.end()
                continue
            self._close()
            self._figures.extend(self._read_sign(kind, written, match))
        self._close()
        return Reading(_with_phones(self._figures), " ".join(self._rest))

    def _read_sign(self, kind: str, written: str, match: regex.Match[str]) -> Iterator[Figure]:
        match kind:
            case "date":
                year, month, day = written.split("-")
                yield frozenset({f"#{int(year)}"})
                yield frozenset({f"month:{int(month)}"})
                yield frozenset({f"#{int(day)}"})
            case "phone":
                yield from self._read_phone(written)
            case "clock":
                hour, minute = regex.split("[:h]", written)
                yield clock_readings(int(hour), int(minute))
            case "chinese_day":
                day = (CHINESE_DIGITS[written[-1]] - 1) % 7
                self._add_day(day, match)
            case "chinese" if written == "一":
                return
            case "chinese":
                yield self._whole(_chinese_number(written), match)
            case "free":
                yield frozenset({"free"})
            case _:
                yield self._read_number(written, match)

    def _read_phone(self, written: str) -> Iterator[Figure]:
        digits = regex.sub("[^0-9]", "", written)
        if len(digits) >= 7:
            yield frozenset({f"phone:{digits[-7:]}"})
            return
        for number in regex.findall(r"[0-9]+", written):
            yield frozenset({f"#{int(number)}"})

    def _read_number(self, written: str, match: regex.Match[str]) -> Figure:
        number = regex.sub(r"[^0-9.,]+$", "", written).rstrip(".,")
        if number.isdecimal():
            phone = {f"phone:{number[-7:]}"} if len(number) >= 7 else set[str]()
            return self._whole(int(number), match) | {f"#{number}"} | phone
        if regex.fullmatch(r"[0-9]{1,3}(?:[.,][0-9]{3})+", number):
            return frozenset({f"#{int(regex.sub('[.,]', '', number))}"})
        whole, _, part = number.replace(",", ".").rpartition(".")
        cents = part.rstrip("0")
        value = whole.replace(".", "")
        readings = {f"#{int(value)}.{cents}" if cents else f"#{int(value)}"}
        if len(part) == 2 and int(value) <= 24 and int(part) < 60:
            readings |= clock_readings(int(value), int(part))
        return frozenset(readings)

    def _whole(self, value: int, match: regex.Match[str]) -> Figure:
        readings = {f"#{value}"}
        after = self._text[match.end() : match.end() + 24]
        is_hour = _HOUR_FOLLOWS.match(after) or _RANGE_FOLLOWS.match(after) or self._ends_range(match)
        if 13 <= value <= 24 and is_hour:
            readings.add(f"#{value - 12}")
        if 1 <= value <= 11 and _AFTERNOON_FOLLOWS.match(after):
            readings.add(f"#{value + 12}")
        return frozenset(readings)

    def _ends_range(self, match: regex.Match[str]) -> bool:
        before = self._text[max(0, match.start() - 12) : match.start()]
        return regex.search(r"[0-9]\s*(?:-|–|—|to|bis|a|al|alle|ate|hasta|tot|से|至|到|~)\s*\Z", before) is not None

    def _read_word(self, word: str, match: regex.Match[str]) -> None:
        if self._read_spelled(word, match):
            return
        self._close()
        name = word if word in _DAYS or word in _MONTHS else word.removesuffix("s")
        if name in _DAYS:
            self._add_day(_DAYS[name], match)
        elif name in _MONTHS:
            self._figures.append(frozenset({f"month:{_MONTHS[name]}"}))
        elif word in _FREE:
            self._figures.append(frozenset({"free"}))
        elif word in _DAILY or self._text[: match.end()].endswith(("every day", "seven days")):
            self._figures.extend(frozenset({f"day:{day}"}) for day in range(7))
        elif word in WEEKDAYS:
            self._figures.extend(frozenset({f"day:{day}"}) for day in range(5))
        elif word in WEEKENDS:
            self._figures.extend(frozenset({f"day:{day}"}) for day in (5, 6))
        else:
            self._rest.append(word)

    def _add_day(self, day: int, match: regex.Match[str]) -> None:
        if self._last_day is not None:
            first, end = self._last_day
            if _RANGE_BETWEEN.fullmatch(self._text[end : match.start()]):
                between = range(first + 1, first + 1 + (day - first - 1) % 7)
                self._figures.extend(frozenset({f"day:{step % 7}"}) for step in between)
        self._last_day = (day, match.end())
        self._figures.append(frozenset({f"day:{day}"}))

    # Numbers in words

    def _read_spelled(self, word: str, match: regex.Match[str]) -> bool:
        if self._spelled is not None and self._text[self._spelled_end : match.start()].strip(" -"):
            self._close()
        if self._spelled is not None and self._spelled.value >= 100 and word in ("and", "und"):
            return True
        if self._spelled is not None and self._spelled.value == 10 and word in ("sept", "huit", "neuf"):
            self._spelled = _Spelled(10 + _NUMBER_WORDS[word], open=False)
            return True
        compound = _GERMAN_COMPOUND.fullmatch(word)
        if compound and compound[2] in _TENS:
            self._close()
            unit = 1 if compound[1] == "ein" else _NUMBER_WORDS[compound[1]]
            self._figures.append(frozenset({f"#{_TENS[compound[2]] + unit}"}))
            return True
        if word in _SCALES and self._spelled is not None and self._spelled.value < LARGEST:
            self._spelled = _Spelled(self._spelled.value * _SCALES[word], open=True)
            return True
        if self._spelled is not None and self._spelled.open and word in ONES:
            self._spelled = _Spelled(self._spelled.value + ONES[word], open=False)
            return True
        if self._spelled is not None and not self._spelled.open and self._spelled.value < 10 and word in ("one", "oh"):
            # A phone number, digit by digit.
            self._begin(int(word == "one"), open=False)
            return True
        if word in _TENS:
            self._begin(_TENS[word], open=True)
            return True
        if word in _NUMBER_WORDS:
            self._begin(_NUMBER_WORDS[word], open=False)
            return True
        if word in _SCALES:
            self._begin(_SCALES[word], open=True)
            return True
        return False

    def _begin(self, value: int, *, open: bool) -> None:
        if self._spelled is not None:
            if self._spelled.open and self._spelled.value >= 100 and value < 100:
                self._spelled = _Spelled(self._spelled.value + value, open=open)
                return
            hour = self._spelled.value
            if 1 <= hour <= 12 and (value in range(10, 60, 5)) and not self._spelled.open:
                # `ten thirty` is a time.
                self._spelled = None
                self._figures.append(clock_readings(hour, value))
                return
            self._close()
        self._spelled = _Spelled(value, open=open)

    def _close(self) -> None:
        if self._spelled is not None:
            self._figures.append(frozenset({f"#{self._spelled.value}"}))
            self._spelled = None


def clock_readings(hour: int, minute: int) -> Figure:
    """How a time of day may be meant: by the clock of twelve or of twenty-four hours."""
    hours = {hour, hour - 12} if 13 <= hour <= 24 else {hour}
    if minute == 0:
        return frozenset(f"#{value}" for value in hours)
    return frozenset(f"{value}:{minute:02}" for value in hours)


def _with_phones(figures: list[Figure]) -> list[Figure]:
    """Figures with seven or more single digits in a row, as a phone number is spoken, made one number."""
    merged: list[Figure] = []
    run: list[tuple[Figure, str]] = []
    for figure in [*figures, frozenset[str]()]:
        digit = next((reading[1:] for reading in figure if regex.fullmatch(r"#[0-9]", reading)), None)
        if digit is not None:
            run.append((figure, digit))
            continue
        if len(run) >= 7:
            merged.append(frozenset({f"phone:{''.join(sign for _, sign in run)[-7:]}"}))
        else:
            merged.extend(single for single, _ in run)
        run = []
        if figure:
            merged.append(figure)
    return merged


def _chinese_number(written: str) -> int:
    if not any(sign in written for sign in "十百"):
        return int("".join(str(CHINESE_DIGITS[sign]) for sign in written))
    total = unit = 0
    for sign in written:
        if sign == "百":
            total, unit = total + (unit or 1) * 100, 0
        elif sign == "十":
            total, unit = total + (unit or 1) * 10, 0
        else:
            unit = CHINESE_DIGITS[sign]
    return total + unit
