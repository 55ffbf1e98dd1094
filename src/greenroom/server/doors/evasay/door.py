"""The door as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from greenroom.server.doors.door import Door
from greenroom.server.doors.evasay.dialect import Dialect
from greenroom.server.doors.evasay.policy import NAME, policy_of
from greenroom.server.doors.evasay.routes import router
from greenroom.server.policies.policy import Policy
from greenroom.server.settings import Settings


def _policies(settings: Settings) -> Sequence[Policy]:
    return [policy_of(settings)]


EVASAY = Door(
    name=NAME,
    title="Greenroom, at the door evasay",
    routers=[router],
    dialect=Dialect(),
    policies=_policies,
)
