"""Numbers of the command line, as people write them: dollars, rates, gates."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

from greenroom.grade.repeats import Gate
from greenroom.model.errors import UserMistake
from greenroom.play.plan import Plan


def read_dollars(text: str | None) -> Decimal | None:
    """The amount that `--max-cost` names.

    Raises:
        UserMistake: it is not an amount above zero.
    """
    if text is None:
        return None
    amount = _number(text.strip().removeprefix("$"))
    if amount is None or amount <= 0:
        raise UserMistake(f"--max-cost: `{text}` is not an amount of US dollars above zero; write for example 0.50")
    return amount


def read_gate(min_pass_rate: str | None, min_pass_power: str | None) -> Gate | None:
    """What `--min-pass-rate` and `--min-pass-power` ask of every test; `None` where neither is given.

    Raises:
        UserMistake: one of them cannot be read.
    """
    if min_pass_rate is None and min_pass_power is None:
        return None
    rate = None if min_pass_rate is None else _rate(min_pass_rate)
    if min_pass_rate is not None and rate is None:
        raise UserMistake(f"--min-pass-rate: `{min_pass_rate}` is not a rate up to 100%; write for example 90% or 0.9")
    return Gate(rate, None if min_pass_power is None else _power(min_pass_power))


def _power(text: str) -> tuple[int, float]:
    power, sign, wanted = text.partition(":")
    rate = _rate(wanted)
    if not sign or not power.strip().isdecimal() or int(power) < 1 or rate is None:
        raise UserMistake(
            f"--min-pass-power: `{text}` is not a number of runs and a rate; write for example 3:0.8, which asks that "
            "3 runs in a row all pass with a likelihood of 80%"
        )
    return int(power), rate


def _rate(text: str) -> float | None:
    """A share from above 0 to 1, written as such or in percent."""
    trimmed = text.strip()
    number = _number(trimmed.removesuffix("%"))
    if number is None:
        return None
    share = number / 100 if trimmed.endswith("%") else number
    return float(share) if 0 < share <= 1 else None


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def require_enough_runs(gate: Gate | None, plans: Iterable[Plan]) -> None:
    """See, before anything is played, that every test is played often enough for the gate.

    Raises:
        UserMistake: pass^k is asked of a test that is played less than k times.
    """
    if gate is None or gate.min_pass_power is None:
        return
    k, rate = gate.min_pass_power
    for plan in plans:
        if plan.test.repeat < k:
            times = "once" if plan.test.repeat == 1 else f"{plan.test.repeat} times"
            raise UserMistake(
                f"--min-pass-power {k}:{rate:g} needs at least {k} runs of each test, and `{plan.test.name}` is played "
                f"{times}: add for example --repeat {max(k, 10)}"
            )
