"""What changed between a recorded request and the one that was asked, in a line."""

from __future__ import annotations

from dataclasses import dataclass

from greenroom.model.base import Json
from greenroom.model.text import shorten

_SHOWN = 3
_CONTEXT = 24


@dataclass(frozen=True, slots=True)
class Difference:
    """`size` counts the places that differ; 0 where nothing does."""

    size: int
    text: str


def difference(recorded: Json, asked: Json) -> Difference:
    """Compare two requests place by place."""
    places = _places(recorded, asked, "")
    shown = "; ".join(places[:_SHOWN])
    more = f"; and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return Difference(len(places), f"{shown}{more}." if places else "")


def _places(recorded: Json, asked: Json, path: str) -> list[str]:
    if recorded == asked:
        return []
    if isinstance(recorded, dict) and isinstance(asked, dict):
        found: list[str] = []
        for key in sorted({*recorded, *asked}):
            inner = f"{path}.{key}" if path else key
            if key not in recorded:
                found.append(f"{inner} is new")
            elif key not in asked:
                found.append(f"{inner} is gone")
            else:
                found.extend(_places(recorded[key], asked[key], inner))
        return found
    if isinstance(recorded, list) and isinstance(asked, list):
        found = [
            place
            for index, (one, other) in enumerate(zip(recorded, asked, strict=False))
            for place in _places(one, other, f"{path}[{index}]")
        ]
        if len(recorded) != len(asked):
            found.append(f"{path} has {len(asked)} entries instead of {len(recorded)}")
        return found
    if isinstance(recorded, str) and isinstance(asked, str):
        before, after = _around(recorded, asked)
        return [f"{path}: “{before}” became “{after}”"]
    return [f"{path}: {shorten(str(recorded), 60)} became {shorten(str(asked), 60)}"]


def _around(recorded: str, asked: str) -> tuple[str, str]:
    """Both texts, shortened to where they first differ."""
    first = next(
        (index for index, (a, b) in enumerate(zip(recorded, asked, strict=False)) if a != b),
        min(len(recorded), len(asked)),
    )
    start = max(0, first - _CONTEXT)
    lead = "…" if start else ""
    return lead + shorten(recorded[start:], 80), lead + shorten(asked[start:], 80)
