"""What is told about changes."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from greenroom.server.wire import Time, Told


class Actor(Told):
    """Who made a change: a key, a developer, or the operator at the machine."""

    kind: str = Field(examples=["key"])
    id: str = Field(examples=["key_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["ci"])


class Change(Told):
    """One change."""

    id: str = Field(examples=["aud_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    at: Time
    action: str = Field(examples=["agent.published"])
    subject_id: str | None = Field(examples=["agt_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    actor: Actor
    details: dict[str, Any] = Field(examples=[{"version": 3}])
    request_id: str | None = Field(examples=["req_01jq0m3v9a4n6r8t2w5y7z1b3d"])
