"""Talks in which the agent calls tools."""

from __future__ import annotations

import json
from typing import Any

from tests.support.talks import FunctionBrain

from greenroom.model.talk import BrainReply, BrainRequest, ToolAnswered, ToolCall

BOOK = {
    "name": "book_slot",
    "description": "Book a visit",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]},
}


def calling(*calls: ToolCall, text: str = "", then: str = "Done.") -> FunctionBrain:
    """A brain that makes these calls in its first reply and then answers in words."""

    def answer(request: BrainRequest) -> str | BrainReply:
        if any(isinstance(message, ToolAnswered) for message in request.messages):
            return then
        return BrainReply(text=text, calls=calls)

    return FunctionBrain(answer)


def told(brain: FunctionBrain) -> list[Any]:
    """What the model was told as results, in order."""
    return [json.loads(m.content) for m in brain.requests[-1].messages if isinstance(m, ToolAnswered)]
