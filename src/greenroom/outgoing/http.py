"""Calls to outside addresses over HTTP: guarded, bounded in time and size, without redirects.

One exchange is a request and its whole answer. A WebSocket is opened by the same rules and then belongs to who asked.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
import yarl
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.http_exceptions import ContentEncodingError

from greenroom.model.run import Reason
from greenroom.outgoing.addresses import BlockedAddress, Guard

_CHUNK = 16_384
_SECONDS_TO_SAY_GOODBYE = 2.0


class ExchangeFailed(Exception):
    """An exchange did not give an answer: `reason` is the stable code, `words` say why in a plain sentence.

    `may_pass`: the same may go well in a moment. `unsent`: no connection came about, so the other side has seen
    nothing of the request. `status`: the HTTP status, where it is what failed.
    """

    def __init__(
        self, reason: Reason, words: str, *, may_pass: bool = False, unsent: bool = False, status: int | None = None
    ) -> None:
        super().__init__(words)
        self.reason: Reason = reason
        self.words = words
        self.may_pass = may_pass
        self.unsent = unsent
        self.status = status

    def words_about(self, service: str) -> str:
        """The words, with the other side called `service` (a noun with its article, in small letters)."""
        if "the service" not in self.words.lower():
            return f"{service[:1].upper()}{service[1:]} cannot be called: {self.words[:1].lower()}{self.words[1:]}"
        return self.words.replace("The service", service[:1].upper() + service[1:]).replace("the service", service)


class HandshakeRefused(Exception):
    """A service did not open a WebSocket: it answered with this status. `retry_after` and `location` are headers."""

    def __init__(self, status: int, retry_after: str | None, location: str | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.retry_after = retry_after
        self.location = location


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of the other side. `charset` is the one it named, if any; `content_type` is without parameters;
    `retry_after` and `location` are the headers as they came."""

    status: int
    body: bytes
    charset: str | None = None
    content_type: str = ""
    retry_after: str | None = None
    location: str | None = None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300

    @property
    def text(self) -> str:
        """The body as text; what cannot be decoded becomes U+FFFD."""
        try:
            return self.body.decode(self.charset or "utf-8", errors="replace")
        except LookupError:
            return self.body.decode("utf-8", errors="replace")


class GuardedResolver(AbstractResolver):
    """Resolves names for aiohttp to the addresses that a guard allows."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        results: list[ResolveResult] = []
        for address in await self._guard.addresses(host, port):
            own_family = socket.AF_INET6 if ":" in address else socket.AF_INET
            if family not in (socket.AF_UNSPEC, own_family):
                continue
            results.append(
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=own_family,
                    proto=0,
                    flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
                )
            )
        return results

    async def close(self) -> None:
        """Nothing is held."""


def guarded_connector(guard: Guard) -> aiohttp.TCPConnector:
    """A connector for `aiohttp.ClientSession` that connects only where `guard` allows, redirects included.

    Each exchange has a connection of its own: one that was kept open may be closed by the other side at any moment,
    and a POST may not be sent twice.
    """

    def open_socket(address: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
        # The last gate: hosts written as addresses never pass the resolver.
        family, kind, protocol, _, target = address
        if not guard.allows(str(target[0])):
            raise BlockedAddress("That address is not on the public internet, and only that may be called from here.")
        return socket.socket(family, kind, protocol)

    return aiohttp.TCPConnector(
        resolver=GuardedResolver(guard),
        socket_factory=open_socket,
        force_close=True,
        limit=0,
    )


class Outgoing:
    """Sends requests to outside addresses. Keeps no cookies; reads no proxy or netrc of the machine."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._session = aiohttp.ClientSession(
            connector=guarded_connector(guard),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
            headers={"User-Agent": "Greenroom"},
            middlewares=(_send_once,),
        )

    async def close(self) -> None:
        """Close what is open."""
        await self._session.close()

    async def exchange(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None,
        seconds: float,
        max_bytes: int,
        success_only: bool = False,
    ) -> Reply:
        """Send one request and read its whole answer, in at most `seconds` and `max_bytes`.

        With `success_only`, the body of an answer that is not 2xx is not read.

        Raises:
            ExchangeFailed: there is no answer to give.
        """
        async with (
            self._calling(url, seconds) as target,
            self._session.request(method, target, headers=headers, data=body, allow_redirects=False) as response,
        ):
            if success_only and not 200 <= response.status < 300:
                words = f"The service answered with status {response.status}."
                raise ExchangeFailed("bad_status", words, status=response.status)
            return Reply(
                response.status,
                await _read(response, max_bytes),
                response.charset,
                response.content_type,
                response.headers.get("Retry-After"),
                response.headers.get("Location"),
            )

    async def open_websocket(
        self, url: str, *, headers: Mapping[str, str], seconds: float, max_bytes: int
    ) -> aiohttp.ClientWebSocketResponse:
        """Open a WebSocket (`ws://`, `wss://`) in at most `seconds`; no message may be longer than `max_bytes`.

        Raises:
            HandshakeRefused: the service answered, and not with a WebSocket.
            ExchangeFailed: there is no connection to give.
        """
        async with self._calling(_over_http(url), seconds) as target:
            try:
                return await self._session.ws_connect(
                    target,
                    headers=headers,
                    timeout=aiohttp.ClientWSTimeout(ws_close=_SECONDS_TO_SAY_GOODBYE),  # pyright: ignore[reportCallIssue] - made by attrs
                    max_msg_size=max_bytes,
                )
            except aiohttp.WSServerHandshakeError as error:
                sent = error.headers or {}
                raise HandshakeRefused(error.status, sent.get("Retry-After"), sent.get("Location")) from None

    @asynccontextmanager
    async def _calling(self, url: str, seconds: float) -> AsyncGenerator[yarl.URL]:
        """The checked target of a call; what goes wrong in it becomes `ExchangeFailed`."""
        target = self._checked(url)
        try:
            async with asyncio.timeout(seconds):
                yield target
        except TimeoutError:
            raise ExchangeFailed(
                "timeout", f"The service did not answer within {round(seconds, 2):g} seconds."
            ) from None
        except BlockedAddress as error:
            raise ExchangeFailed("blocked_address", str(error)) from None
        except (aiohttp.ContentTypeError, aiohttp.ClientResponseError):
            raise ExchangeFailed("bad_body", "The service's answer is not valid HTTP.") from None
        except aiohttp.ClientPayloadError as error:
            raise _broken_body(error) from None
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, ValueError) and not isinstance(error, aiohttp.ClientSSLError):
                raise _unusable() from None  # aiohttp's own complaints about URLs are of this kind too
            raise _unreachable(error) from None
        except ValueError:
            raise _unusable() from None

    def _checked(self, url: str) -> yarl.URL:
        """`url` as the client reads it, so that what is checked is what is called."""
        try:
            target = yarl.URL(url)
            host = target.raw_host
        except ValueError:
            raise ExchangeFailed("unreachable", "The service's URL is not valid.") from None
        try:
            self._guard.check(target.scheme, host or "")
        except BlockedAddress as error:
            raise ExchangeFailed("blocked_address", str(error)) from None
        if not host:
            raise ExchangeFailed("unreachable", "The service's URL names no host.")
        return target


def _over_http(url: str) -> str:
    """A WebSocket's address as that of the HTTP request which opens it."""
    scheme, colon, rest = url.partition(":")
    return {"ws": "http", "wss": "https"}.get(scheme.lower(), "other") + colon + rest


class _BrokenOff(aiohttp.ClientError):
    """The connection was lost after it had come about."""


async def _send_once(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Keep the client from what it does unasked: sending a GET or PUT a second time, which may do twice what the first
    one did, and following the redirect of a WebSocket's handshake."""
    try:
        response = await send(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
        raise _BrokenOff from None
    if 300 <= response.status < 400 and request.headers.get("Upgrade") == "websocket":
        response.close()
        raise aiohttp.WSServerHandshakeError(
            response.request_info, (), message="redirected", status=response.status, headers=response.headers
        )
    return response


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    if (response.content_length or 0) > max_bytes:
        raise _too_large(max_bytes)
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(body)


def _too_large(max_bytes: int) -> ExchangeFailed:
    size = f"{max_bytes // 1024} KiB" if max_bytes >= 1024 else f"{max_bytes} bytes"
    return ExchangeFailed("too_large", f"The service's answer is larger than {size}.")


def _unusable() -> ExchangeFailed:
    return ExchangeFailed("unreachable", "The request could not be sent: its URL or a header is not valid.")


def _broken_body(error: aiohttp.ClientPayloadError) -> ExchangeFailed:
    if isinstance(error.__cause__, ContentEncodingError):
        return ExchangeFailed("bad_body", "The service's answer could not be decompressed.")
    words = "The connection to the service broke off in the middle of its answer."
    return ExchangeFailed("unreachable", words, may_pass=True)


def _unreachable(error: Exception) -> ExchangeFailed:
    if isinstance(error, aiohttp.ClientSSLError):
        return ExchangeFailed("unreachable", "The service could not be reached: its certificate was not accepted.")
    if isinstance(error, aiohttp.ClientConnectorError):
        nameless = isinstance(error, aiohttp.ClientConnectorDNSError)
        why = "its name could not be found" if nameless else "the connection was not accepted"
        words = f"The service could not be reached: {why}."
        return ExchangeFailed("unreachable", words, may_pass=True, unsent=True)
    return ExchangeFailed("unreachable", "The connection to the service broke off before it answered.", may_pass=True)
