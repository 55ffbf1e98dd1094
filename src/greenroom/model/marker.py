"""The marker with which a caller hangs up. It is asked for in the caller's prompt and never shown in a transcript."""

HANG_UP = "[HANG UP]"
