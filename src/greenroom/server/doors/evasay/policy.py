"""The limits and the price of this door."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from greenroom.model.limits import Limits
from greenroom.server.credits.service import MILLION
from greenroom.server.policies.policy import Policy
from greenroom.server.settings import Settings
from greenroom.server.tests.service import Rules

NAME = "evasay"
MOST_TESTS = 30
MOST_TURNS = 20
MOST_LINES = 200
SCENARIO_CHARACTERS = 8000
LIMITS = Limits(max_turns=MOST_TURNS, history_lines=MOST_LINES, persona_chars=SCENARIO_CHARACTERS)
RULES = Rules(NAME, LIMITS, MOST_TESTS)


def policy_of(settings: Settings) -> Policy:
    """The policy of this door, as the settings have it. Where a run has no price of its own, it is paid as natively:
    an account of the operator's is not to be used for nothing."""
    price = settings.evasay_credits_per_run * settings.evasay_credit_price
    charge: Literal["run", "tokens"] = "run" if price else "tokens"
    return Policy(
        name=NAME,
        limits=LIMITS,
        tests_per_agent=MOST_TESTS,
        runs_per_request=settings.runs_per_request,
        active_per_project=settings.project_active_runs,
        active_per_developer=settings.developer_active_runs,
        running=settings.project_runs,
        charge=charge,
        run_price=price,
        refund_on_error=True,
        target="draft",
        retention_days=settings.retention_days,
    )


def credits_for(settings: Settings, charged: float, *, is_refunded: bool = False) -> int | float:
    """Credits of this door for what was charged, in the currency's unit. Where credits have no price, a run is told
    with its number of them, unless it is refunded."""
    price = settings.evasay_credit_price
    if not price:
        return 0 if is_refunded else settings.evasay_credits_per_run
    exact = (Decimal(str(charged)) * MILLION / price).quantize(Decimal("0.000001"))
    return int(exact) if exact == int(exact) else float(exact)
