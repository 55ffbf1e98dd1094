"""The door as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from greenroom.server.doors.door import Door
from greenroom.server.doors.dvaarik.dialect import Dialect
from greenroom.server.doors.dvaarik.policy import NAME, POLICY
from greenroom.server.doors.dvaarik.routes import console, machine
from greenroom.server.policies.policy import Policy
from greenroom.server.settings import Settings


def _policies(_settings: Settings) -> Sequence[Policy]:
    return [POLICY]


DVAARIK = Door(
    name=NAME,
    title="Greenroom, at the door dvaarik",
    routers=[machine, console],
    dialect=Dialect(),
    policies=_policies,
)
