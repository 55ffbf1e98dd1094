"""What all schemas of requests and answers share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer, StringConstraints, WithJsonSchema

from greenroom.model.text import is_speakable


class Asked(BaseModel):
    """The body of a request: unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Told(BaseModel):
    """The body of an answer."""

    model_config = ConfigDict(from_attributes=True)


def _plain(text: str) -> str:
    if not is_speakable(text) or any(not char.isprintable() for char in text):
        raise ValueError("this text holds characters that cannot be shown: take them out")
    return text


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), AfterValidator(_plain)]
"""A name that a person gives: one line of 1 to 100 characters."""

Time = Annotated[
    datetime,
    PlainSerializer(_iso, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-03-01T09:30:00.000000Z"]}),
]
"""A moment, told in UTC."""


class SecretSet(BaseModel):
    """That a secret is set. What it is, is never told."""

    set: bool = Field(examples=[True])


JsonObject = dict[str, Any]
