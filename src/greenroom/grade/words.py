"""Checks on what the agent said: text, patterns, length, cards."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import regex

from greenroom.grade.lines import (
    Reply,
    Settled,
    SpokenLine,
    last_reply,
    quoted,
    replies_at,
    settled,
    spoken_lines,
    ungraded,
)
from greenroom.grade.ports import Talk
from greenroom.model.checks import Components, Matches, MaxWords, NeverMatches, NeverSays, Says, Where
from greenroom.model.patterns import BadPattern, check_pattern, found
from greenroom.model.text import fold, speakable, squeeze, words

_INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
# Scripts that put no space between words: each of their letters counts as a word.
_UNSPACED = regex.compile(
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\p{L}]\p{M}*", regex.VERSION1
)
_SUBJECTS: dict[Where, str] = {"any": "No agent line", "last": "The last reply", "first": "The first reply"}

WordsCheck: TypeAlias = Says | NeverSays | Matches | NeverMatches


@dataclass(frozen=True, slots=True)
class _Sought:
    """What a check looks for: how it is shown, whether a text holds it, and the verb for that."""

    shown: str
    holds: Callable[[str], bool]
    verb: str
    verb_singular: str


def count_words(text: str) -> int:
    """How many words `text` has. In Chinese, Japanese, Thai and the like each letter counts as one."""
    return len(_UNSPACED.findall(text)) + len(words(_UNSPACED.sub(" ", text)))


def readable(text: str) -> str:
    """`text` as it reads: NFKC, on one line, single spaces, no invisible characters."""
    return squeeze(_INVISIBLE.sub("", unicodedata.normalize("NFKC", speakable(text))))


def settle_says(check: Says | NeverSays, talk: Talk) -> Settled:
    """Whether the agent said a text: in one line, or running over the lines of one turn."""
    needle = fold(check.text)
    if not needle:
        return settled(check, False, "`text` holds only spaces or invisible characters: write the words to look for.")
    sought = _Sought(f"“{squeeze(check.text)}”", lambda text: needle in fold(text), "contain", "contains")
    return _settle_words(check, talk, sought)


def settle_matches(check: Matches | NeverMatches, talk: Talk) -> Settled:
    """Whether the agent's words match a pattern, as they were written or with plain letters and single spaces."""
    pattern = speakable(check.pattern)
    try:
        check_pattern(pattern)
    except BadPattern as problem:
        return ungraded(check, f"`{check.pattern}` is not a pattern in RE2 syntax: {problem}.")

    def holds(text: str) -> bool:
        return found(pattern, speakable(text)) or found(pattern, readable(text))

    return _settle_words(check, talk, _Sought(f"`{check.pattern}`", holds, "match", "matches"))


def _settle_words(check: WordsCheck, talk: Talk, sought: _Sought) -> Settled:
    looked_at = replies_at(talk, check.where)
    hit = _first_hit(looked_at, sought.holds)
    if isinstance(check, NeverSays | NeverMatches):
        if hit is None:
            return settled(check, True, f"Nothing the agent said there {sought.verb_singular} {sought.shown}.")
        line, text = hit
        return settled(check, False, f"{sought.shown} was not to be said, but was: {quoted(text, sought.holds)}", line)
    if hit is not None:
        line, text = hit
        return settled(check, True, quoted(text, sought.holds), line)
    if not looked_at:
        return settled(check, False, f"The agent said nothing, so nothing {sought.verb_singular} {sought.shown}.")
    return _missed(check, looked_at[-1], sought)


def _missed(check: WordsCheck, reply: Reply, sought: _Sought) -> Settled:
    last = reply.lines[-1]
    subject = _SUBJECTS[check.where]
    if check.where == "any":
        detail = f"{subject} {sought.verb_singular} {sought.shown}; the last one was {quoted(last.line.text)}"
    else:
        detail = f"{subject} does not {sought.verb} {sought.shown}; it was {quoted(reply.text)}"
    return settled(check, False, detail, last)


def _first_hit(looked_at: Sequence[Reply], holds: Callable[[str], bool]) -> tuple[SpokenLine, str] | None:
    """The first line for which `holds` is true, or the last line of a turn whose lines hold it only together."""
    for reply in looked_at:
        for spoken in reply.lines:
            if holds(spoken.line.text):
                return spoken, spoken.line.text
        if len(reply.lines) > 1 and holds(reply.text):
            return reply.lines[-1], reply.text
    return None


def settle_components(check: Components, talk: Talk) -> Settled:
    """Whether the last reply carries the cards: at least one of `any_of`, and each of `all_of`."""
    reply = last_reply(talk)
    if reply is None:
        return settled(check, False, "The agent said nothing, so it showed no card.")
    shown = list(dict.fromkeys(card.kind for spoken in reply.lines for card in spoken.line.components))
    lacking: list[str] = []
    missing = [kind for kind in check.all_of if kind not in shown]
    if missing:
        lacking.append(f"not {_listed(missing)}")
    if check.any_of and not any(kind in shown for kind in check.any_of):
        lacking.append(f"none of {_listed(check.any_of)}")
    detail = f"The last reply carries {_listed(shown) or 'no card'}"
    if lacking:
        detail += f", but {' and '.join(lacking)}" if shown else f": {' and '.join(lacking)}"
    carrier = next((spoken for spoken in reversed(reply.lines) if spoken.line.components), reply.lines[-1])
    return settled(check, not lacking, f"{detail}.", carrier)


def settle_max_words(check: MaxWords, talk: Talk) -> Settled:
    """Whether every agent line stays within a number of words."""
    counted = [(count_words(spoken.line.text), spoken) for spoken in spoken_lines(talk)]
    if not counted:
        return settled(check, True, "The agent said nothing.")
    most, longest = max(counted, key=lambda entry: entry[0])
    noun = "word" if most == 1 else "words"
    if most <= check.max:
        return settled(check, True, f"The longest line has {most} {noun}: {quoted(longest.line.text)}", longest)
    detail = f"A line has {most} {noun}, more than {check.max}: {quoted(longest.line.text)}"
    return settled(check, False, detail, longest)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
