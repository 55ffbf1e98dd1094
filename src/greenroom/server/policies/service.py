"""The policies that a service knows, by name."""

from __future__ import annotations

from collections.abc import Iterable

from greenroom.server.policies.policy import Policy
from greenroom.server.settings import Settings

NATIVE = "native"


class Policies:
    """All policies of a service."""

    def __init__(self, policies: Iterable[Policy]) -> None:
        self._policies = {policy.name: policy for policy in policies}
        if NATIVE not in self._policies:
            raise ValueError("a service needs the policy `native`")

    @property
    def native(self) -> Policy:
        return self._policies[NATIVE]

    def find(self, name: str) -> Policy:
        """The policy of this name; the native one where it is not known (any more)."""
        return self._policies.get(name, self.native)

    def all(self) -> tuple[Policy, ...]:
        return tuple(self._policies.values())


def native_policy(settings: Settings) -> Policy:
    """The native policy, as the settings have it."""
    return Policy(
        name=NATIVE,
        tests_per_agent=settings.tests_per_agent,
        runs_per_request=settings.runs_per_request,
        active_per_project=settings.project_active_runs,
        active_per_developer=settings.developer_active_runs,
        running=settings.project_runs,
        retention_days=settings.retention_days,
    )
