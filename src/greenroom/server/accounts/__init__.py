"""Developers: their passwords, sessions and one-time links, and who is a member of which project."""
