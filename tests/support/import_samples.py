"""A file in each published format of other tools, written for these tests."""

from __future__ import annotations

from tests.support.import_samples_of_platforms import (
    DIALOGFLOW,
    ELEVENLABS,
    VAPI_EVALS,
    VAPI_SCENARIO_YAML,
    VAPI_SIMULATIONS,
)
from tests.support.import_samples_of_tools import CHATS, LIVEKIT, PROMPTFOO_PROMPTS, PROMPTFOO_USERS

SAMPLES: dict[str, tuple[str, str]] = {
    "elevenlabs": ("tests.json", ELEVENLABS),
    "vapi": ("evals.json", VAPI_EVALS),
    "vapi simulations": ("run.json", VAPI_SIMULATIONS),
    "vapi scenario": ("asks-for-the-price.yml", VAPI_SCENARIO_YAML),
    "dialogflow": ("test_cases.json", DIALOGFLOW),
    "promptfoo": ("promptfooconfig.yaml", PROMPTFOO_USERS),
    "promptfoo prompts": ("promptfooconfig.yaml", PROMPTFOO_PROMPTS),
    "livekit": ("scenarios.yaml", LIVEKIT),
    "chat": ("chats.jsonl", CHATS),
}
"""Each sample under its format (the first word of its name), with the name of its file."""
