"""The HTTP client that all providers share. Imported lazily: it is heavy."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2
from openai import DefaultAioHttpClient

from greenroom.outgoing.addresses import Guard
from greenroom.outgoing.pinned import PinnedTransport

MAX_CONNECTIONS = 1000
MAX_BODY_BYTES = 8 * 1024 * 1024
_LIMITS = httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS)
_TIMEOUT = httpx2.Timeout(None, connect=10)
_PACKED = "gzip"
_STEP = 65_536


class BodyTooLarge(Exception):
    """A provider sent more than any reply can be."""


class UnaskedEncoding(Exception):
    """A provider packed its reply in a way that it was not asked for."""


def open_http_client() -> httpx2.AsyncClient:
    """A client for up to 1,000 requests at once, over aiohttp, which takes a fifth less processor time.

    It has no time limit of its own but for connecting (10 s): each request brings its limit.
    """
    return DefaultAioHttpClient(
        headers={"Accept-Encoding": _PACKED},
        limits=_LIMITS,
        timeout=_TIMEOUT,
        event_hooks={"response": [_bound_the_body]},
    )


def open_guarded_client(guard: Guard) -> httpx2.AsyncClient:
    """A client that connects only where `guard` allows, and follows no redirect: for addresses that strangers give."""
    return httpx2.AsyncClient(
        headers={"Accept-Encoding": _PACKED},
        transport=PinnedTransport(guard, _LIMITS),
        timeout=_TIMEOUT,
        event_hooks={"response": [_bound_the_body]},
        follow_redirects=False,
        trust_env=False,
    )


async def _bound_the_body(response: httpx2.Response) -> None:
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", _PACKED):
        raise UnaskedEncoding
    if int(response.headers.get("content-length", "0")) > MAX_BODY_BYTES:
        raise BodyTooLarge
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    if encoding == _PACKED:
        response.stream = _Bounded(response.stream, _Unpacked())
    elif "content-length" not in response.headers:
        response.stream = _Bounded(response.stream)


class _Unpacked:
    """Counts what a packed body comes to, without keeping it: a few kilobytes may unpack to gigabytes."""

    def __init__(self) -> None:
        self._unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._size = 0

    def size_with(self, chunk: bytes) -> int:
        """How large the body is with this chunk; no further than needed to tell that it is too large."""
        rest = chunk
        while rest and self._size <= MAX_BODY_BYTES:
            try:
                self._size += len(self._unpacking.decompress(rest, _STEP))
            except zlib.error:
                break  # whoever reads the body says so
            rest = self._unpacking.unconsumed_tail
        return self._size


class _Bounded(httpx2.AsyncByteStream):
    """A body whose size is not known before, read no further than it may be."""

    def __init__(self, stream: httpx2.AsyncByteStream, unpacked: _Unpacked | None = None) -> None:
        self._stream = stream
        self._unpacked = unpacked

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._stream:
            seen = seen + len(chunk) if self._unpacked is None else self._unpacked.size_with(chunk)
            if seen > MAX_BODY_BYTES:
                raise BodyTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
