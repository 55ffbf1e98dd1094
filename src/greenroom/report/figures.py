"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from greenroom.model.run import RoleUsage, Run

UNKNOWN = "unknown"
_CENT = Decimal("0.01")
_SMALLEST = Decimal("0.0001")


def dollars(amount: Decimal) -> str:
    """An amount in US dollars: whole cents from a cent up, four places below."""
    if amount == 0:
        return "$0"
    if amount >= _CENT:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= _SMALLEST else "<$0.0001"


def cost(known: Decimal, *, complete: bool) -> str:
    """A cost of which `known` is the part whose price is known."""
    if complete:
        return dollars(known)
    return f"{dollars(known)} + {UNKNOWN}" if known else UNKNOWN


def run_cost(run: Run) -> str:
    return cost(run.known_cost_usd, complete=run.cost_usd is not None)


def run_tokens(run: Run) -> str:
    """All tokens of a run; with a tilde where some were counted by estimate."""
    return tokens(sum(run.tokens()), estimated=is_estimated(run.usage))


def tokens(count: int, *, estimated: bool) -> str:
    return f"~{count:,}" if estimated else f"{count:,}"


def is_estimated(usage: Iterable[RoleUsage]) -> bool:
    return any(entry.estimated for entry in usage)


def seconds(length: float) -> str:
    """A length of time, given in seconds."""
    if length < 60:
        return f"{length:.1f} s"
    minutes, rest = divmod(round(length), 60)
    return f"{minutes} min {rest:02d} s"


def run_seconds(run: Run) -> float | None:
    """How long a run took; `None` when it did not start or is not over."""
    if run.started_at is None or run.finished_at is None:
        return None
    return max(0.0, (run.finished_at - run.started_at).total_seconds())


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 test`, `2 tests`, `0 tests`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def checks_held(run: Run) -> tuple[int, int]:
    """How many of a run's checks held, and how many there are."""
    return sum(1 for check in run.checks if check.passed), len(run.checks)
