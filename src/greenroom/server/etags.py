"""States of agents and tests, so that nobody overwrites what they have not seen."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Response

from greenroom.server.problems import ChangedSince


def _wanted(
    if_match: Annotated[
        str | None,
        Header(max_length=1000, description='The `ETag` of the state that is to be changed, such as `"4"`.'),
    ] = None,
) -> str | None:
    return if_match


IfMatch = Annotated[str | None, Depends(_wanted)]
"""The state that a request wants to change, as a parameter of a route."""


def set_etag(response: Response, revision: int) -> None:
    """Tell which state an answer shows."""
    response.headers["ETag"] = etag(revision)


def etag(revision: int) -> str:
    """The tag of a state."""
    return f'"{revision}"'


def check_match(if_match: str | None, revision: int) -> None:
    """
    Raises:
        ChangedSince: the request wants to change another state than the present one.
    """
    if if_match is None or if_match.strip() == "*":
        return
    tags = {each.strip().removeprefix("W/") for each in if_match.split(",")}
    if etag(revision) not in tags:
        raise ChangedSince("It was changed since you read it: read it again, and make your change on that.")
