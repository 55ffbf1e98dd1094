"""What is asked and told about developers, sessions and members."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, SecretStr, StringConstraints

from greenroom.server.security.scopes import Role
from greenroom.server.wire import Asked, Name, Time, Told

Email = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, to_lower=True, max_length=254, pattern=r"^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$"
    ),
]


class Developer(Told):
    """An account."""

    id: str = Field(examples=["dev_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    email: str = Field(examples=["maya@example.com"])
    name: str = Field(examples=["Maya"])


class SignIn(Asked):
    """Who wants to sign in."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"email": "maya@example.com", "password": "four plain words here"}]}
    )

    email: Email
    password: Annotated[SecretStr, Field(max_length=1000)]


class Session(Told):
    """A session. Its token goes with each request, as `Authorization: Bearer TOKEN`."""

    token: str = Field(examples=["grs_EXAMPLE"])
    expires_at: Time
    developer: Developer


class PasswordByLink(Asked):
    """A password to set with a one-time link. The first developer gives an `email` too."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"token": "grl_EXAMPLE", "password": "four plain words here", "email": "maya@example.com"}]
        }
    )

    token: Annotated[str, Field(max_length=200)]
    password: Annotated[SecretStr, Field(max_length=1000)]
    email: Email | None = None
    name: Name | None = None


class PasswordChange(Asked):
    """A new password in the place of the one there is. All other sessions end."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"password": "four plain words here", "new_password": "five other plain words"}]
        }
    )

    password: Annotated[SecretStr, Field(max_length=1000)]
    new_password: Annotated[SecretStr, Field(max_length=1000)]


class Membership(Told):
    """A project that a developer is a member of."""

    project_id: str = Field(examples=["prj_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["default"])
    role: Role


class Myself(Told):
    """Who sends this request, for which project, and what they may do there."""

    kind: str = Field(examples=["key"])
    id: str = Field(examples=["key_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    name: str = Field(examples=["ci"])
    project_id: str = Field(examples=["prj_01jq0m3v9a4n6r8t2w5y7z1b3d"])
    scopes: list[str] = Field(examples=[["agents:read", "tests:run"]])
    projects: list[Membership]


class Member(Told):
    """A developer in this project."""

    developer: Developer
    role: Role
    suspended: bool
    created_at: Time


class Invited(Member):
    """A new member; `link` sets the password of an account that is new, once."""

    link: str | None = Field(examples=["https://greenroom.example.com/welcome#grl_EXAMPLE"])


class MemberWanted(Asked):
    """Somebody to make a member. An account is made where there is none."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"email": "ravi@example.com", "role": "editor"}]})

    email: Email
    role: Role = Role.EDITOR
    name: Name | None = None


class MemberChange(Asked):
    """Another role for a member."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "viewer"}]})

    role: Role
