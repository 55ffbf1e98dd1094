"""What an answer from outside becomes: an answer to the model, without the secrets of who asked."""

from __future__ import annotations

from dataclasses import replace

from greenroom.model.run import Reason
from greenroom.outgoing.hiding import hide
from greenroom.play.ports import ToolAnswer


def failed(reason: Reason, words: str, status: int | None = None) -> ToolAnswer:
    """An answer that did not come, or is of no use, told to the model in `words`."""
    return ToolAnswer({"error": words}, ok=False, reason=reason, status=status)


def without_secrets(answer: ToolAnswer, secrets: frozenset[str]) -> ToolAnswer:
    """`answer` with each of `secrets` blanked out."""
    return replace(answer, result=hide(answer.result, secrets))
