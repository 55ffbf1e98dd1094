"""Which texts are secrets, and how they are kept out of what the other side repeats."""

from __future__ import annotations

from collections.abc import Iterable

import regex

from greenroom.model.base import Json

_SHORTEST_SECRET = 6
_HIDDEN = "[hidden]"
_SECRET_NAME = regex.compile(
    r"authori[sz]ation|(?<![a-z])auth(?![a-z])|cookie|token|secret|api[-_]?key|(?<![a-z])key(?![a-z])|passw|signature|credential",
    regex.IGNORECASE,
)
# What looks like a key or a token (long, of letters and digits mixed), and a URL with a password in it.
TOKEN = regex.compile(r"(?=[\w+/=.-]*\d)(?=[\w+/=.-]*\p{L})(?<![\w+/=.-])[\w+/=-]{16,}")
KEY = regex.compile(
    r"\b(?:sk|rk|pk|gsk|xai|hf|r8|whsec|ghp|xox[a-z])[-_][\w*.…-]{6,}|\bAIza[\w-]{10,}|\bBearer\s+\S+", regex.IGNORECASE
)
"""What has the form of a well-known provider's key, whoever's it is."""
_URL_WITH_USER = regex.compile(r"://[^/\s]*@")


def header_secrets(headers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The values of `headers` that must not be shown, and the parts of such as `Bearer abc` that are the secret."""
    return secret_forms(value for name, value in headers if _SECRET_NAME.search(name))


def setting_secrets(settings: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Those values of `settings` that are secrets by their name or their looks: `LOG_LEVEL: warning` is none."""
    return secret_forms(
        value
        for name, value in settings
        if _SECRET_NAME.search(name) or TOKEN.search(value) or _URL_WITH_USER.search(value)
    )


def secret_forms(values: Iterable[str]) -> frozenset[str]:
    """`values` and their last words, where they are long enough to be secrets."""
    forms = [form for value in values for form in (value, value.rpartition(" ")[2])]
    return frozenset(form for form in forms if len(form) >= _SHORTEST_SECRET)


def hide(value: Json, secrets: frozenset[str]) -> Json:
    """`value` with each of `secrets` blanked out, wherever the other side may have repeated it."""
    if not secrets:
        return value
    if isinstance(value, str):
        return hide_text(value, secrets)
    if isinstance(value, list):
        return [hide(item, secrets) for item in value]
    if isinstance(value, dict):
        return {hide_text(key, secrets): hide(item, secrets) for key, item in value.items()}
    return value


def hide_text(text: str, secrets: frozenset[str]) -> str:
    """`text` with each of `secrets` blanked out, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text
