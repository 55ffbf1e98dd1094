"""What a pytest session, and one test in it, ask of Greenroom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias, get_args

from greenroom.model.errors import UserMistake

CassetteWish: TypeAlias = Literal["record", "replay", "auto", "off"]
CASSETTE_WISHES: tuple[CassetteWish, ...] = get_args(CassetteWish)


@dataclass(frozen=True, slots=True)
class Marked:
    """What `@pytest.mark.greenroom(…)` says of a test; `None` where it says nothing."""

    cassette: CassetteWish | None = None
    repeat: int | None = None
    min_pass_rate: float | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line and the configuration file say; `None` where they say nothing.

    `min_pass_rate` is from 0 to 1. `changes` are the fields of agents that `--greenroom-set` sets. `usual_cassettes` is
    the configuration's, which a test's own mark overrules; `cassettes` is the command line's, which overrules both.
    `llm` (`provider:name`) plays caller and judge where an agent names no model for them.
    """

    repeat: int | None = None
    min_pass_rate: float | None = None
    variant: str | None = None
    model: str | None = None
    changes: Mapping[str, str] = field(default_factory=dict[str, str])
    cassettes: CassetteWish | None = None
    usual_cassettes: CassetteWish | None = None
    max_cost_usd: Decimal | None = None
    llm: str | None = None

    def cassette_for(self, marked: Marked) -> CassetteWish:
        """How cassettes are used in a test."""
        return self.cassettes or marked.cassette or self.usual_cassettes or "off"

    def repeat_for(self, marked: Marked, written: int | None) -> int:
        """How often a test is played, of which its own field says `written`."""
        return self.repeat or marked.repeat or written or 1

    def rate_for(self, marked: Marked, written: float | None = None) -> float:
        """The share of runs, from 0 to 1, that must pass; all of them where nobody says anything."""
        said = next((rate for rate in (self.min_pass_rate, marked.min_pass_rate, written) if rate is not None), None)
        return 1.0 if said is None else said


def read_marked(names: Mapping[str, object], positional: int = 0) -> Marked:
    """What the keywords of a `greenroom` mark say.

    Raises:
        UserMistake: it has other arguments than `cassette`, `repeat` and `min_pass_rate`, or one does not fit.
    """
    unknown = [name for name in names if name not in ("cassette", "repeat", "min_pass_rate")]
    if unknown or positional:
        what = f"`{unknown[0]}`" if unknown else "a value without a name"
        raise UserMistake(f"The mark `greenroom` takes `cassette`, `repeat` and `min_pass_rate`, not {what}.")
    cassette, repeat, rate = (names.get(name) for name in ("cassette", "repeat", "min_pass_rate"))
    if repeat is not None and not (isinstance(repeat, int) and 1 <= repeat <= 1000):
        raise UserMistake(f"The mark `greenroom`: `repeat` is a whole number from 1 to 1000, not `{repeat}`.")
    return Marked(
        cassette=None if cassette is None else read_cassette_wish(str(cassette), "The mark `greenroom`: `cassette`"),
        repeat=repeat,
        min_pass_rate=None if rate is None else read_rate(str(rate), "The mark `greenroom`: `min_pass_rate`"),
    )


def read_cassette_wish(text: str, what: str) -> CassetteWish:
    """A way to use cassettes.

    Raises:
        UserMistake: there is no such way.
    """
    for wish in CASSETTE_WISHES:
        if text == wish:
            return wish
    raise UserMistake(f"{what} is {', '.join(CASSETTE_WISHES[:-1])} or {CASSETTE_WISHES[-1]}, not `{text}`.")


def read_rate(text: str, what: str) -> float:
    """A share from 0 to 1, which may also be written as `80%`.

    Raises:
        UserMistake: it is none.
    """
    try:
        rate = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise UserMistake(f"{what} is a share from 0 to 1, for example 0.8 or 80%, not `{text}`.")
    return rate


def read_dollars(text: str, what: str) -> Decimal:
    """An amount of US dollars above zero.

    Raises:
        UserMistake: it is none.
    """
    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(0)
    if not (amount.is_finite() and amount > 0):
        raise UserMistake(f"{what} is an amount of US dollars above zero, for example 0.50, not `{text}`.")
    return amount
