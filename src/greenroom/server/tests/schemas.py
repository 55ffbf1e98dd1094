"""What is told about tests, beside the test itself (`greenroom.model.Test`)."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from greenroom.server.runs.schemas import RunHead
from greenroom.server.wire import Time, Told


class TestAnswer(Told):
    """A test: every field. `version` grows with every change; `policy` names the limits it is played under."""

    __test__ = False
    model_config = ConfigDict(extra="allow")

    id: str = Field(examples=["tst_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    agent_id: str = Field(examples=["agt_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["Moves a booking"])
    version: int = Field(examples=[1])
    policy: str = Field(examples=["native"])
    created_at: Time
    updated_at: Time


class ListedTest(TestAnswer):
    """A test in a list: with its newest run in short, `null` where it was never run."""

    last_run: RunHead | None
