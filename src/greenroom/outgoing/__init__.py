"""Calls to outside addresses, for every room that makes some: which may be called, one guarded exchange over HTTP, a
guarded WebSocket, and what comes back made into JSON without secrets."""
