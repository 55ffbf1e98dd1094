"""The limits of this door, as data."""

from __future__ import annotations

from greenroom.model.limits import Limits
from greenroom.server.doors.dvaarik.schemas import (
    MOST_AT_ONCE,
    MOST_CHECKS,
    MOST_JUDGED,
    MOST_TESTS,
    MOST_TURNS,
    PERSONA_CHARACTERS,
)
from greenroom.server.policies.policy import Policy
from greenroom.server.tests.service import Rules

NAME = "dvaarik"
LIMITS = Limits(
    max_turns=MOST_TURNS,
    checks=MOST_CHECKS,
    judged_checks=MOST_JUDGED,
    persona_chars=PERSONA_CHARACTERS,
    chat_seconds=90,
    judge_seconds=30,
)
POLICY = Policy(
    name=NAME,
    limits=LIMITS,
    tests_per_agent=MOST_TESTS,
    runs_per_request=MOST_AT_ONCE,
    active_per_project=12,
    active_per_developer=24,
    running=2,
    running_per="developer",
    charge="nothing",
    target="version",
    retention_days=30,
    test_header="X-Dvaarik-Test",
)
RULES = Rules(NAME, LIMITS, MOST_TESTS, for_realtime=True)
