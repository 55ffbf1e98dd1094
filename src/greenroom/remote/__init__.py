"""Agents that live elsewhere, behind one port: OpenAI-compatible endpoints, JSON over HTTP, WebSockets and Python
callables. `connect.open_remote_agents` is the way in."""
