"""What is asked and told about keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import AwareDatetime, ConfigDict, Field

from greenroom.server.wire import Asked, Name, Time, Told


class Key(Told):
    """A key. The key itself is never told again."""

    id: str = Field(examples=["key_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["ci"])
    prefix: str = Field(examples=["gr_x7Qm2a"], description="The first characters of the key.")
    scopes: list[str] = Field(examples=[["agents:read", "tests:run"]])
    created_at: Time
    expires_at: Time | None
    revoked_at: Time | None
    last_used_at: Time | None


class NewKey(Key):
    """A key that was just made, with the key itself: it is shown this once."""

    key: str = Field(examples=["gr_x7Qm2aEXAMPLE"])


class KeyWanted(Asked):
    """A key to make. `all` as a scope stands for every scope."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "ci", "scopes": ["tests:read", "tests:run"]}]})

    name: Name
    scopes: Annotated[list[Annotated[str, Field(max_length=40)]], Field(min_length=1, max_length=20)]
    expires_at: AwareDatetime | None = None
