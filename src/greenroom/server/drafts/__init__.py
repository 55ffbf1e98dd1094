"""Drafting tests with a model, and what that costs the project."""
