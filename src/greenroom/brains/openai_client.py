"""The official OpenAI client, without the work that a talk's requests do not need. Imported lazily: it is heavy."""

from __future__ import annotations

from typing import Any

import httpx2
from openai import AsyncOpenAI, NotGiven, Omit
from openai.types.chat import ChatCompletion


def open_client(api_key: str, base_url: str | None, http_client: httpx2.AsyncClient) -> AsyncOpenAI:
    """A client that never retries by itself and sends chat requests as they are given."""
    # Without an address the SDK would read the process's environment, which is not what the caller looked at.
    address = base_url or "https://api.openai.com/v1"
    client = AsyncOpenAI(api_key=api_key, base_url=address, http_client=http_client, max_retries=0)
    send_as_given(client)
    return client


def send_as_given(client: AsyncOpenAI) -> None:
    """Have `client` send chat requests as they are given.

    The SDK walks every message of every request through the type annotations of its parameters, to rename fields
    and encode files, and chat messages have neither: two thirds of a request's processor time, more with each turn.
    """

    async def create(
        *,
        extra_headers: dict[str, str] | None = None,
        extra_body: dict[str, Any] | None = None,
        **parameters: Any,  # the request's body, as the SDK's own method takes it
    ) -> ChatCompletion:
        body = {name: value for name, value in parameters.items() if not isinstance(value, Omit | NotGiven)}
        # The time limit is whoever's who asks, and there are no streams here.
        body.pop("timeout", None)
        body.pop("stream", None)
        return await client.post(
            "/chat/completions",
            body={**body, **extra_body} if extra_body else body,
            cast_to=ChatCompletion,
            options={"headers": extra_headers} if extra_headers else {},
        )

    # The SDK's own method has overloads for streams, which are never asked for here.
    client.chat.completions.create = create  # pyright: ignore[reportAttributeAccessIssue]
