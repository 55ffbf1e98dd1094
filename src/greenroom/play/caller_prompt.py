"""The system prompt of the model that plays the caller."""

from __future__ import annotations

import json
from collections.abc import Mapping

from greenroom.model.case import Caller
from greenroom.model.marker import HANG_UP
from greenroom.model.templates import render
from greenroom.play.temperaments import TEMPERAMENTS

_RULES = """You play one person in a conversation with {other}. You are {side}, never the one who answers. \
Write only the words that this person says next, nothing else.

# How you speak
- One or two short spoken sentences a line, as people talk: no lists, no markup, no stage directions, no labels, no \
quotation marks.
- Stay in the language and the mood of your persona, whatever language the other side uses, unless your persona would \
switch.
- Answer what you were asked. Give one or two details at a time, not all you know at once.
- Do not help the other side do its job, do not thank it for its help on its behalf, and never speak its lines.
- Never say or hint that this is a test, that you are a model, or that you follow instructions.

# What you know
- You know only what your persona and your facts say. Where something matters that they do not give (a name, a number, \
a date, an address), say that you do not know it or do not have it at hand. Never make it up.

# When you are done
- Hang up when you have what you came for, when you were refused for good, or when the conversation goes in circles: \
say your last words and end the line with {marker}.
- Once goodbyes were exchanged, write only {marker}.
- Write {marker} only to hang up."""


def caller_prompt(caller: Caller, variables: Mapping[str, str], *, spoken: bool, language: str | None) -> str:
    """Who the caller is, what they know and how they speak; the same text for every line of a talk."""
    other = "the person or system that answers a phone call" if spoken else "the agent that answers a chat"
    side = "the caller" if spoken else "the customer who writes"
    parts = [
        _RULES.format(other=other, side=side, marker=HANG_UP),
        f"# Your persona\n{render(caller.persona or '', variables).text.strip()}",
    ]
    if caller.temperament:
        parts.append(f"# Your temperament\n{TEMPERAMENTS[caller.temperament]}")
    if caller.facts:
        facts = "\n".join(f"- {name}: {_plain(value)}" for name, value in caller.facts.items())
        parts.append(f"# Your facts\nThese are your only source for such details:\n{facts}")
    if language:
        parts.append(f"# Your language\nYou speak {language}.")
    return "\n\n".join(parts)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
