"""Encryption of secrets (Fernet). New secrets are sealed with the first key; all keys open what they sealed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from greenroom.model.errors import GreenroomError, UserMistake
from greenroom.server.settings import PREFIX, SECRET_KEY_FILE, Settings


class CannotOpen(GreenroomError):
    """A secret was sealed with a key that is not at hand."""


class Vault:
    """Seals and opens secrets. Its keys are never shown."""

    __slots__ = ("_fernet",)

    def __init__(self, keys: Sequence[str]) -> None:
        try:
            self._fernet = MultiFernet([Fernet(key.strip()) for key in keys])
        except ValueError:
            raise UserMistake(
                f"{PREFIX}SECRET_KEYS holds something that is no Fernet key: make one with `greenroom keys secret`"
            ) from None

    def __repr__(self) -> str:
        return "Vault(…)"

    def seal(self, secret: str) -> str:
        """The secret, encrypted."""
        return self._fernet.encrypt(secret.encode("utf-8", "surrogatepass")).decode("ascii")

    def open(self, sealed: str) -> str:
        """The secret again.

        Raises:
            CannotOpen: none of the keys opens it.
        """
        try:
            return self._fernet.decrypt(sealed.encode("ascii")).decode("utf-8", "surrogatepass")
        except (InvalidToken, ValueError):
            raise CannotOpen(
                f"a stored secret cannot be decrypted: put the key that it was made with into {PREFIX}SECRET_KEYS again"
            ) from None

    def reseal(self, sealed: str) -> str:
        """The same secret, sealed with the first key.

        Raises:
            CannotOpen: none of the keys opens it.
        """
        return self.seal(self.open(sealed))


def new_secret_key() -> str:
    """A new Fernet key."""
    return Fernet.generate_key().decode("ascii")


def open_vault(settings: Settings) -> Vault:
    """The vault with the keys of the settings; without any, with the key of the data folder, made at first use.

    Raises:
        UserMistake: a key is no key, or none can be kept.
    """
    if settings.secret_keys is not None:
        keys = [key for key in settings.secret_keys.get_secret_value().split(",") if key.strip()]
        if not keys:
            raise UserMistake(f"{PREFIX}SECRET_KEYS is empty: take it out, or put a Fernet key there")
        return Vault(keys)
    if not settings.url.startswith("sqlite"):
        raise UserMistake(
            f"with PostgreSQL, every process needs the same key for secrets: set {PREFIX}SECRET_KEYS "
            "(make one with `greenroom keys secret`)"
        )
    return Vault(_kept_keys(settings.data / SECRET_KEY_FILE))


def _kept_keys(path: Path) -> list[str]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _keep(path, new_secret_key())
        return path.read_text(encoding="ascii").split()
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "it is not text"
        raise UserMistake(f"the key for secrets in {path} cannot be used: {why}") from None


def _keep(path: Path, key: str) -> None:
    # Written aside and linked into place: of several processes that start at once, one wins, and none sees half a key.
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key + "\n")
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    finally:
        aside.unlink()
