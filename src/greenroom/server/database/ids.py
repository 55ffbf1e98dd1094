"""Ids: a prefix that says what they are of, and 26 characters that sort by time."""

from __future__ import annotations

import os
import re
import time
from typing import Literal

Prefix = Literal[
    "agt", "tst", "run", "bat", "key", "prj", "dev", "ses", "lnk", "crd", "aud", "req", "lab", "led", "drf", "rpl"
]

# Crockford's base 32: no I, L, O or U, and in the order of ASCII, so that text sorts as the number does.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_BITS = 48
_RANDOM_BYTES = 10
_LENGTH = 26
_ID = re.compile(rf"([a-z]{{3}})_[{_ALPHABET}]{{{_LENGTH}}}", re.ASCII)


def new_id(prefix: Prefix) -> str:
    """A new id of the kind `prefix`. Ids of different milliseconds sort in the order they were made."""
    return make_id(prefix, time.time_ns() // 1_000_000, os.urandom(_RANDOM_BYTES))


def make_id(prefix: Prefix, milliseconds: int, noise: bytes) -> str:
    """The id for a time (milliseconds since 1970) and 10 random bytes."""
    number = (milliseconds % (1 << _TIME_BITS)) << (8 * _RANDOM_BYTES) | int.from_bytes(noise[:_RANDOM_BYTES])
    digits = [_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(_LENGTH))]
    return f"{prefix}_{''.join(digits)}"


def is_id(text: str, prefix: Prefix) -> bool:
    """Whether `text` has the form of an id of this kind. Nothing else is ever looked up."""
    match = _ID.fullmatch(text)
    return match is not None and match[1] == prefix
