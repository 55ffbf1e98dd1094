"""What is told about usage."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from greenroom.server.wire import Told


class Used(Told):
    """What runs, drafts and replies that are no runs came to. Money in the currency's unit.

    `cost` is the part whose price is known, on whatever credential; `unknown_costs` counts those with a part that is
    not. `charged` was taken off the project's credits.
    """

    runs: int = Field(examples=[12])
    passed: int = Field(examples=[9])
    failed: int = Field(examples=[2])
    errors: int = Field(examples=[1])
    cancelled: int = Field(examples=[0])
    drafts: int = Field(examples=[1])
    replies: int = Field(examples=[3])
    input_tokens: int = Field(examples=[81_200])
    output_tokens: int = Field(examples=[6_410])
    cost: float = Field(examples=[0.042736])
    unknown_costs: int = Field(examples=[0])
    charged: float = Field(examples=[0.0])


class UsedOnDay(Used):
    """What was used on one day, in UTC."""

    day: date = Field(examples=["2026-03-01"])


class Usage(Told):
    """What a project used, day by day, the oldest first."""

    currency: str = Field(examples=["USD"])
    items: list[UsedOnDay]
    total: Used
