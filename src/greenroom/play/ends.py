"""How a talk can end, as the parts of the loop tell each other."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.model.checks import EndedBy


@dataclass(frozen=True, slots=True)
class End:
    """The talk is over: how, and in words where there is more to say."""

    by: EndedBy
    detail: str | None = None
