"""What is asked and told about credits. Amounts are whole millionths of the currency's unit."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from greenroom.server.wire import Asked, Time, Told


class Standing(Told):
    """How the project stands. `available` is what new runs may use; `month_spent` counts all credentials."""

    currency: str = Field(examples=["USD"])
    balance: int = Field(examples=[12_500_000])
    held: int
    available: int
    month_spent: int
    month_expected: int
    monthly_budget: int | None
    batch_cap: int | None


class BoundsWanted(Asked):
    """What the project's runs may cost a month and one batch; `null` is any."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"monthly_budget": 50_000_000, "batch_cap": None}]})

    monthly_budget: Annotated[int, Field(ge=0, le=2**53)] | None = None
    batch_cap: Annotated[int, Field(ge=0, le=2**53)] | None = None


class Entry(Told):
    """One change of the balance."""

    id: str
    amount: int = Field(examples=[-12_000])
    kind: str = Field(examples=["run"])
    reference: str | None
    note: str
    created_at: Time
