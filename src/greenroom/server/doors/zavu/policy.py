"""What holds for the test runs of this door."""

from __future__ import annotations

from greenroom.model.limits import Limits
from greenroom.server.policies.policy import Policy
from greenroom.server.settings import Settings

NAME = "zavu"
AT_ONCE = 10
SECONDS = 120

# The longest context window of an agent, and the message itself.
_LINES = 1001


def policy(settings: Settings) -> Policy:
    """The policy of the door, as the settings have it."""
    return Policy(
        name=NAME,
        limits=Limits(history_lines=_LINES, chat_seconds=SECONDS, time_out_is_error=True),
        running=AT_ONCE,
        replies_per_minute=settings.zavu_runs_per_minute or None,
        pays_in_part=True,
        target="version",
    )
