"""The two base classes of everything that crosses a boundary."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from typing_extensions import TypeAliasType

Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | float | bool | None")


class Written(BaseModel):
    """Data that a person writes (agents, tests): frozen, and unknown fields are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Recorded(BaseModel):
    """Data that Greenroom writes (runs, lines): it may grow, so unknown fields of a newer version are kept out
    quietly when read."""

    model_config = ConfigDict(extra="ignore")
