"""The expressions of `-k`: words that must occur, joined by `and`, `or`, `not` and parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from greenroom.model.errors import UserMistake

Matcher = Callable[[str], bool]

_TOKEN = re.compile(r"""\s*(?:(?P<sign>[()])|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s()"']+))""")
_OPERATORS = frozenset({"and", "or", "not"})
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    column: int
    is_quoted: bool = False

    def is_sign(self, *signs: str) -> bool:
        return not self.is_quoted and self.text.lower() in signs


def keyword_matcher(expression: str) -> Matcher:
    """What tells whether a name fits `expression`.

    A name fits a word that occurs in it, without regard to case. Words that follow each other are one phrase
    (`moves a booking`); quotes make words of `and`, `or`, `not` and parentheses.

    Raises:
        UserMistake: the expression cannot be read; says where.
    """
    reader = _Reader(expression)
    matcher = reader.read_any(0)
    reader.expect_end()
    return lambda name: matcher(name.casefold())


class _Reader:
    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._tokens = list(self._split())
        self._next = 0

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        position = 0
        text = self._expression.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._mistake("a quote is opened and never closed", self._column_of(position))
            quoted = match["double"] if match["double"] is not None else match["single"]
            plain = match["sign"] or match["word"] or ""
            start = match.end() - len(plain) if quoted is None else match.end() - len(quoted) - 2
            tokens.append(_Token(plain if quoted is None else quoted, start + 1, quoted is not None))
            position = match.end()
        return tokens

    def _column_of(self, position: int) -> int:
        rest = self._expression[position:]
        return position + len(rest) - len(rest.lstrip()) + 1

    def _mistake(self, what: str, column: int) -> UserMistake:
        return UserMistake(
            f"-k {self._expression!r}, column {column}: {what}; write words with and, or, not and parentheses, "
            f"for example: -k 'booking and not (hindi or angry)'"
        )

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _take(self, *signs: str) -> bool:
        token = self._peek()
        if token is None or not token.is_sign(*signs):
            return False
        self._next += 1
        return True

    def read_any(self, depth: int) -> Matcher:
        matchers = [self._read_all(depth)]
        while self._take("or"):
            matchers.append(self._read_all(depth))
        return matchers[0] if len(matchers) == 1 else lambda name: any(fits(name) for fits in matchers)

    def _read_all(self, depth: int) -> Matcher:
        matchers = [self._read_one(depth)]
        while self._take("and"):
            matchers.append(self._read_one(depth))
        return matchers[0] if len(matchers) == 1 else lambda name: all(fits(name) for fits in matchers)

    def _read_one(self, depth: int) -> Matcher:
        token = self._peek()
        if token is None:
            raise self._mistake("a word is missing at the end", len(self._expression) + 1)
        if depth > _DEEPEST:
            raise self._mistake("this is nested too deeply", token.column)
        if self._take("not"):
            inner = self._read_one(depth + 1)
            return lambda name: not inner(name)
        if self._take("("):
            inner = self.read_any(depth + 1)
            if not self._take(")"):
                raise self._mistake("a parenthesis is opened and never closed", token.column)
            return inner
        return self._read_phrase(token)

    def _read_phrase(self, first: _Token) -> Matcher:
        words: list[str] = []
        while (token := self._peek()) is not None and not token.is_sign("(", ")", *_OPERATORS):
            words.append(token.text)
            self._next += 1
        if not words:
            raise self._mistake(f"a word is missing before `{first.text}`", first.column)
        phrase = " ".join(words).casefold()
        return lambda name: phrase in name

    def expect_end(self) -> None:
        token = self._peek()
        if token is not None:
            raise self._mistake(f"`{token.text}` does not fit here", token.column)
