"""The limits that hold for a run, as data. Surfaces bring their own; these are the native ones."""

from __future__ import annotations

from pydantic import Field

from greenroom.model.base import Written


class Limits(Written):
    """What a test may ask for and how long a run may take. Times in seconds, lengths in characters."""

    max_turns: int = Field(default=50, ge=1)
    checks: int = Field(default=50, ge=1)
    judged_checks: int = Field(default=20, ge=0)
    messages: int = Field(default=100, ge=1)
    history_lines: int = Field(default=200, ge=1)
    persona_chars: int = Field(default=8000, ge=1)
    chat_seconds: float = Field(default=600, gt=0)
    judge_seconds: float = Field(default=180, gt=0)
    time_out_is_error: bool = False
    reply_chars: int = Field(default=4000, ge=1)
    caller_line_chars: int = Field(default=1000, ge=1)
    tool_rounds: int = Field(default=8, ge=1)
    moves_a_turn: int = Field(default=3, ge=0)
    moves_a_run: int = Field(default=10, ge=0)
    webhook_seconds: float = Field(default=10, gt=0)
    webhook_bytes: int = Field(default=65_536, ge=1)
