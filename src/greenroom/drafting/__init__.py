"""Tests drafted by a model: from the agent's prompt, from a real call, or from a run that failed."""
