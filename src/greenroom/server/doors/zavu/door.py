"""The door as a whole."""

from __future__ import annotations

from greenroom.server.doors.door import Door
from greenroom.server.doors.zavu.dialect import Dialect
from greenroom.server.doors.zavu.policy import NAME, policy
from greenroom.server.doors.zavu.routes import router

ZAVU = Door(
    name=NAME,
    title="Greenroom, at the door zavu",
    routers=[router],
    dialect=Dialect(),
    policies=lambda settings: [policy(settings)],
)
