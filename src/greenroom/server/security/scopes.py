"""What a key or a person may do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from greenroom.model.errors import UserMistake
from greenroom.model.rules import nearest


class Scope(StrEnum):
    """One permission. Each stands for itself alone: `admin` does not include the others."""

    AGENTS_READ = "agents:read"
    AGENTS_WRITE = "agents:write"
    TESTS_READ = "tests:read"
    TESTS_WRITE = "tests:write"
    TESTS_RUN = "tests:run"
    ADMIN = "admin"


class Role(StrEnum):
    """What a member of a project may do."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"


ALL_SCOPES = frozenset(Scope)
_READS = frozenset({Scope.AGENTS_READ, Scope.TESTS_READ})
_WRITES = frozenset({Scope.AGENTS_WRITE, Scope.TESTS_WRITE, Scope.TESTS_RUN})

SCOPES_OF: Mapping[Role, frozenset[Scope]] = {
    Role.VIEWER: _READS,
    Role.EDITOR: _READS | _WRITES,
    Role.ADMIN: ALL_SCOPES,
}

ALIASES: Mapping[str, frozenset[Scope]] = {
    "all": ALL_SCOPES,
    "voice:read": _READS,
    "voice:write": _WRITES,
    "agents.view": _READS,
    "agents.edit": _WRITES,
    "agents:test": frozenset({Scope.TESTS_RUN}),
}
"""Other names that scopes go by when a key is made."""


def read_scopes(names: Iterable[str]) -> frozenset[Scope]:
    """The scopes that go by these names.

    Raises:
        UserMistake: a name is unknown, or there is none.
    """
    found: set[Scope] = set()
    for name in names:
        word = name.strip()
        if word in ALIASES:
            found |= ALIASES[word]
        elif word in set(Scope):
            found.add(Scope(word))
        else:
            near = nearest(word, [*Scope, *ALIASES])
            hint = f"did you mean `{near}`?" if near else f"the scopes are {', '.join(f'`{each}`' for each in Scope)}"
            raise UserMistake(f"unknown scope `{word}`: {hint}")
    if not found:
        raise UserMistake("a key needs at least one scope, such as `tests:run`, or `all`")
    return frozenset(found)


def in_order(scopes: Iterable[str]) -> list[str]:
    """Scopes in the order in which they are listed everywhere."""
    held = set(scopes)
    return [each.value for each in Scope if each.value in held]
