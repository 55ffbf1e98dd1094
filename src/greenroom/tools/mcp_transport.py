"""The guarded HTTP transport under the MCP client."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache

import httpx2

from greenroom.model.errors import GreenroomError
from greenroom.outgoing.addresses import BlockedAddress, Guard

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
    """Sends each request to an address that `guard` allows, with the name in `Host` and the certificate check.

    One transport serves one host: connections are kept by address, and two names on one address must not share one.
    """

    def __init__(self, guard: Guard, trouble: Trouble) -> None:
        self._guard = guard
        self._trouble = trouble
        self._inner = httpx2.AsyncHTTPTransport(verify=_certificates(), trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` to the first allowed address that accepts a connection."""
        try:
            response = await self._send(request)
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

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        self._guard.check(url.scheme, url.host)
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            addresses = await self._guard.addresses(url.host, port)
        except OSError:
            raise httpx2.ConnectError("The name could not be found", request=request) from None
        for address in addresses[:-1]:
            try:
                return await self._send_to(address, request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._send_to(addresses[-1], request)

    async def _send_to(self, address: str, request: httpx2.Request) -> httpx2.Response:
        if not self._guard.allows(address):
            raise BlockedAddress("That address may not be called.")
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii").rstrip(".")},
        )
        return await self._inner.handle_async_request(pinned)


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


@cache
def _certificates() -> ssl.SSLContext:
    """Loading the certificates takes longer than a call: once for all. Heeds `SSL_CERT_FILE`, as other programs do."""
    return httpx2.create_ssl_context()
