"""`{{name}}` and `{name}` in prompts, greetings and opening lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import regex

# Only a single identifier between braces is a variable, so that `{"day": 1}` and `{a, b}` in a prompt survive.
_VARIABLE = regex.compile(r"\{\{[ \t]*([^\W\d]\w*)[ \t]*\}\}|(?<!\{)\{([^\W\d]\w*)\}(?!\})")


@dataclass(frozen=True, slots=True)
class Rendered:
    """A rendered template. `unknown` lists, in order of first use, the names that had no value and stay as written."""

    text: str
    unknown: tuple[str, ...]


def render(template: str, values: Mapping[str, str]) -> Rendered:
    """Insert `values` once. A value is text, never a template: it is not rendered again."""
    unknown: dict[str, None] = {}

    def insert(match: regex.Match[str]) -> str:
        name = match[1] or match[2]
        if name in values:
            return values[name]
        unknown[name] = None
        return match[0]

    return Rendered(_VARIABLE.sub(insert, template), tuple(unknown))
