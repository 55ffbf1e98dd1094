"""Keys, session tokens and one-time links: random texts of which only a digest is kept."""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

Kind = Literal["gr_", "grs_", "grl_"]
"""What a token begins with: a key, a session, a link."""

_RANDOM_BYTES = 32
_SHOWN = 6
LONGEST = 200


def new_token(kind: Kind) -> str:
    """A new token with 256 random bits."""
    return kind + secrets.token_urlsafe(_RANDOM_BYTES)


def digest(token: str) -> str:
    """What is kept of a token. It is random, so that a plain SHA-256 cannot be guessed back."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def visible_prefix(token: str) -> str:
    """As much of a token as may be shown, to tell one from another."""
    head, _, rest = token.partition("_")
    return f"{head}_{rest[:_SHOWN]}"
