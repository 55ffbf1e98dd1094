"""Every door, and the policies of all surfaces."""

from __future__ import annotations

from greenroom.server.doors.door import Door
from greenroom.server.doors.dvaarik.door import DVAARIK
from greenroom.server.doors.evasay.door import EVASAY
from greenroom.server.doors.zavu.door import ZAVU
from greenroom.server.policies.service import Policies, native_policy
from greenroom.server.settings import Settings

DOORS: tuple[Door, ...] = (DVAARIK, EVASAY, ZAVU)


def all_policies(settings: Settings) -> Policies:
    """The policies of the native API and of every door."""
    return Policies([native_policy(settings), *(policy for door in DOORS for policy in door.policies(settings))])
