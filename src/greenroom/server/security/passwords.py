"""Passwords: argon2, off the event loop since it takes tens of milliseconds."""

from __future__ import annotations

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from greenroom.model.errors import UserMistake

SHORTEST = 10
LONGEST = 200
_HASHER = PasswordHasher()
# Checked where there is no such account, so that the time of an answer does not tell which accounts there are.
_NOBODY = _HASHER.hash("nobody's password")


def check_password(password: str) -> None:
    """
    Raises:
        UserMistake: this cannot be a password.
    """
    if len(password) < SHORTEST:
        raise UserMistake(f"a password has at least {SHORTEST} characters: several words are easy to keep in mind")
    if len(password) > LONGEST:
        raise UserMistake(f"a password has at most {LONGEST} characters")
    if len(set(password)) < 4:
        raise UserMistake("this password repeats itself: take one with more different characters")


async def hash_password(password: str) -> str:
    """What is kept of a password."""
    return await asyncio.to_thread(_HASHER.hash, _bytes(password))


async def is_password(password: str, kept: str | None) -> bool:
    """Whether this is the password that `kept` was made of; takes as long where there is none."""
    return await asyncio.to_thread(_verify, _bytes(password[: LONGEST + 1]), kept or _NOBODY) and kept is not None


def needs_new_hash(kept: str) -> bool:
    """Whether argon2's parameters have grown since."""
    return _HASHER.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")


def _verify(password: bytes, kept: str) -> bool:
    try:
        return _HASHER.verify(kept, password)
    except (VerificationError, InvalidHashError):
        return False
