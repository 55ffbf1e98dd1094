"""Testing agents in Python: callers, checks, and what a test comes to.

The `greenroom` fixture of the pytest plugin plays tests; see `docs/pytest.md`.

    async def test_moves_a_booking(greenroom):
        run = await greenroom.play("agent.yaml", caller=Persona("Ravi, …"), checks=[calls_tool("book_slot", ["day"])])
        run.assert_passed()
"""

from greenroom.model.agent import Agent, Tool
from greenroom.model.case import HistoryLine, Reaction, ScriptMessage, SpeechNoise, ToolMock, Variation
from greenroom.model.errors import UserMistake
from greenroom.model.llm import Llm, ScriptRule
from greenroom.testing.agents import AgentLike
from greenroom.testing.callers import History, Persona, Script
from greenroom.testing.checks import (
    calls_tool,
    components,
    criterion,
    ended_by,
    ends_call,
    grounded,
    hands_off_to,
    judge,
    language,
    matches,
    max_latency_ms,
    max_turns_used,
    max_words,
    never_calls_tool,
    never_matches,
    never_says,
    reply_meets,
    says,
    tool_order,
)
from greenroom.testing.fixture import Greenroom
from greenroom.testing.played import Played, TalkFailed

__all__ = [
    "Agent",
    "AgentLike",
    "Greenroom",
    "History",
    "HistoryLine",
    "Llm",
    "Persona",
    "Played",
    "Reaction",
    "Script",
    "ScriptMessage",
    "ScriptRule",
    "SpeechNoise",
    "TalkFailed",
    "Tool",
    "ToolMock",
    "UserMistake",
    "Variation",
    "calls_tool",
    "components",
    "criterion",
    "ended_by",
    "ends_call",
    "grounded",
    "hands_off_to",
    "judge",
    "language",
    "matches",
    "max_latency_ms",
    "max_turns_used",
    "max_words",
    "never_calls_tool",
    "never_matches",
    "never_says",
    "reply_meets",
    "says",
    "tool_order",
]
