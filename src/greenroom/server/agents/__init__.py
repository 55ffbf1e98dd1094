"""Agents: their drafts, their published versions and what they know."""
