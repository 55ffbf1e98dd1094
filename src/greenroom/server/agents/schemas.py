"""What is asked and told about agents, beside the agent itself (`greenroom.model.Agent`)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from greenroom.server.wire import Asked, Name, Time, Told

_ID = "agt_01jq0m3v9a4n6r8t2w5y7z1b3d"


class AgentHead(Told):
    """An agent in a list. `has_changes`: its draft is not published as it stands."""

    id: str = Field(examples=[_ID])
    name: str = Field(examples=["Northline Dental"])
    published_version: int | None = Field(examples=[3])
    has_changes: bool
    created_at: Time
    updated_at: Time


class AgentAnswer(AgentHead):
    """An agent: every field, and `{"set": true}` in the place of each secret. `version` is that of the state that is
    shown, `null` for a draft."""

    model_config = ConfigDict(extra="allow")

    version: int | None = Field(examples=[3])


class Version(Told):
    """A saved state of an agent."""

    version: int = Field(examples=[3])
    note: str | None = Field(examples=["Shorter greeting"])
    author: str = Field(examples=["ci"])
    created_at: Time


class Publish(Asked):
    """What to say of the version that is made."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"note": "Shorter greeting"}]})

    note: Annotated[str, Field(max_length=1000, pattern=r"^[^\x00]*$")] | None = None


class Difference(BaseModel):
    """One field that differs. `diff` shows texts of several lines, as `diff -u` does."""

    field: str = Field(examples=["greeting"])
    before: Any = Field(examples=["Hello"])
    after: Any = Field(examples=["Good morning"])
    diff: list[str] | None = None


class Comparison(BaseModel):
    """What is different between two states."""

    model_config = ConfigDict(populate_by_name=True)

    from_: int | str = Field(alias="from", examples=[2])
    to: int | str = Field(examples=["draft"])
    changes: list[Difference]


class DocumentHead(Told):
    """A document in a list."""

    id: str = Field(examples=["doc_5f0c3a9be1d24c7788f16a02bd"])
    name: str = Field(examples=["Opening hours"])
    characters: int = Field(examples=[240])


class DocumentAnswer(DocumentHead):
    """A document."""

    text: str = Field(examples=["Monday to Friday, 8 to 17."])


class DocumentList(BaseModel):
    """All documents of a draft. At most `inline_limit` characters go whole into the prompt; more is searched."""

    items: list[DocumentHead]
    next_cursor: str | None
    inline_limit: int = Field(examples=[8000])
    characters: int = Field(examples=[240])


class DocumentWanted(Asked):
    """A document to add."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Opening hours", "text": "Monday to Friday, 8 to 17."}]}
    )

    name: Annotated[Name, Field(max_length=200)]
    text: str


class DocumentText(Asked):
    """The text of a document."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "Monday to Friday, 8 to 18."}]})

    text: str
