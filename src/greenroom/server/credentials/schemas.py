"""What is asked and told about credentials."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, SecretStr

from greenroom.server.wire import Asked, Name, SecretSet, Time, Told

ApiKey = Annotated[SecretStr, Field(min_length=1, max_length=10_000)]
BaseUrl = Annotated[
    str, Field(max_length=2000, pattern=r"^https?://[^\s\x00-\x1f\x7f]+$", examples=["https://api.example.com/v1"])
]


class CredentialAnswer(Told):
    """A provider's account. Its key is never told."""

    id: str = Field(examples=["crd_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["openai-main"])
    api_key: SecretSet
    base_url: str | None = Field(examples=[None])
    created_at: Time
    updated_at: Time


class CredentialWanted(Asked):
    """A provider's account to keep. Models name it: `llm: {"credential": NAME}`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "openai-main", "api_key": "sk-EXAMPLE"}]})

    name: Name
    api_key: ApiKey
    base_url: BaseUrl | None = None


class CredentialChange(Asked):
    """What to change of a credential. A field that is left out stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"api_key": "sk-OTHER-EXAMPLE"}]})

    name: Name | None = None
    api_key: ApiKey | None = None
    base_url: BaseUrl | None = None
