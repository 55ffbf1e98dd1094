"""What is asked and told about projects."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from greenroom.server.wire import Asked, Name, Time, Told


class Project(Told):
    """A project, and how many requests a minute it may send (0: any number)."""

    id: str = Field(examples=["prj_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["default"])
    owner_id: str | None = Field(examples=["dev_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    requests_per_minute: int = Field(examples=[1200])
    created_at: Time


class ProjectChange(Asked):
    """What to change of a project. `requests_per_minute: null` goes back to the setting of the service."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Front desk"}]})

    name: Name = Field(default="")
    requests_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
