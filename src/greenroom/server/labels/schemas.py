"""What is asked and told about labels."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from greenroom.grade.calibration import Agreement
from greenroom.server.wire import Asked, Time, Told


class LabelWish(Asked):
    """Whether the judge was right about a check of a run, by the check's place from 0."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"check": 1, "right": False, "note": "It did read the time back."}]}
    )

    check: int = Field(ge=0, le=100_000)
    right: bool
    note: str = Field(default="", max_length=2000, pattern=r"^[^\x00]*$")


class LabelAnswer(Told):
    """One label. `judge` is whether the judge said yes, `right` whether that was right."""

    id: str = Field(examples=["lab_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    run_id: str = Field(examples=["run_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    agent_id: str = Field(examples=["agt_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    check: int = Field(examples=[1])
    test: str = Field(examples=["Moves a booking"])
    question: str = Field(examples=["Did the agent read the new time back before ending?"])
    judge: bool
    right: bool
    note: str = ""
    author: str = Field(examples=["Dana"])
    created_at: Time


class LabelsOfRun(Told):
    """The labels of one run."""

    items: list[LabelAnswer]


class AgreementAnswer(Told):
    """How well the judge agrees with people on each question, the worst first, and on all (`null` without labels)."""

    items: list[Agreement]
    overall: Agreement | None
