"""Who sends a request, and for which project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from greenroom.server.security.scopes import ALL_SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Access:
    """Somebody who may act in one project: a key, a developer with a session, or the operator at the machine.

    `actor_id` is the id of the key or the developer; `developer_id` the developer behind either, where there is one.
    """

    project_id: str
    scopes: frozenset[Scope]
    kind: Literal["key", "developer", "operator"]
    actor_id: str
    actor_name: str
    developer_id: str | None = None
    request_id: str | None = None

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes


def operator(project_id: str) -> Access:
    """The access of whoever runs commands on the machine of the service."""
    return Access(project_id, ALL_SCOPES, "operator", "operator", "the operator")
