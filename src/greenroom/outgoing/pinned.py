"""A transport of the HTTP client that providers' and MCP's libraries use, which connects only where a guard allows.
Imported lazily: the client is heavy."""

from __future__ import annotations

import ssl
from functools import cache

import httpx2

from greenroom.outgoing.addresses import BlockedAddress, Guard


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends each request to an address that `guard` allows, with the name in `Host` and the certificate check.

    Connections are kept by host: two names on one address must not share one.
    """

    def __init__(self, guard: Guard, limits: httpx2.Limits | None = None) -> None:
        self._guard = guard
        self._limits = limits or httpx2.Limits(max_connections=100, max_keepalive_connections=20)
        self._of_host: dict[str, httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` to the first allowed address that accepts a connection.

        Raises:
            BlockedAddress: it may not be called.
        """
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

    async def aclose(self) -> None:
        while self._of_host:
            await self._of_host.popitem()[1].aclose()

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
        return await self._transport(request.url.host).handle_async_request(pinned)

    def _transport(self, host: str) -> httpx2.AsyncHTTPTransport:
        found = self._of_host.get(host)
        if found is None:
            found = httpx2.AsyncHTTPTransport(verify=_certificates(), trust_env=False, limits=self._limits)
            self._of_host[host] = found
        return found


@cache
def _certificates() -> ssl.SSLContext:
    """Loading the certificates takes longer than a call: once for all. Heeds `SSL_CERT_FILE`, as other programs do."""
    return httpx2.create_ssl_context()
