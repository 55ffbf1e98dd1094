"""The guarded HTTP transport under the MCP client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2

from greenroom.model.errors import GreenroomError
from greenroom.outgoing.addresses import Guard
from greenroom.outgoing.pinned import PinnedTransport

MAX_MESSAGE_BYTES = 4 * 1024 * 1024


class MessageTooLarge(GreenroomError):
    """A server's answer is larger than is read."""


@dataclass(slots=True)
class Trouble:
    """What the MCP client does not pass on: the status of the last answer that was an error, and what stopped the
    transport."""

    status: int | None = None
    stopped_by: Exception | None = None

    def clear(self) -> None:
        """Forget: what came before was part of getting acquainted."""
        self.status = None
        self.stopped_by = None


class GuardedTransport(httpx2.AsyncBaseTransport):
    """A pinned transport that notes what the MCP client does not pass on, and bounds what is read."""

    def __init__(self, guard: Guard, trouble: Trouble) -> None:
        self._trouble = trouble
        self._inner = PinnedTransport(guard)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request`; see `PinnedTransport`."""
        try:
            response = await self._inner.handle_async_request(request)
        except Exception as error:
            self._trouble.stopped_by = error
            raise
        if response.status_code >= 400:
            self._trouble.status = response.status_code
        if request.method == "POST":
            stream = response.stream
            assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - an async transport gives no other
            response.stream = _BoundedStream(stream, self._trouble)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    """An answer that is read up to a bound."""

    def __init__(self, stream: httpx2.AsyncByteStream, trouble: Trouble) -> None:
        self._stream = stream
        self._trouble = trouble

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_MESSAGE_BYTES:
                self._trouble.stopped_by = MessageTooLarge("The answer is larger than is read.")
                raise self._trouble.stopped_by
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
