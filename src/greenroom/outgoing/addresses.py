"""Which outside addresses may be called: the one rule for webhooks, HTTP tools, MCP servers and base URLs.

A name is resolved once, its addresses are checked, and the connection is made to one of the checked addresses, so
that a name which answers differently the next time gains nothing. The rule knows no HTTP client; `http` and the
tools' MCP transport fit it to theirs.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import regex

from greenroom.model.errors import GreenroomError
from greenroom.model.text import shorten

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

# Beside what the IANA registries behind `is_global` say, and whatever the age of Python's copy of them:
# protocol assignments with the metadata service of one cloud, another cloud's platform address, 6to4 relays,
# shared address space (carrier-grade NAT), benchmarks, and what is reserved.
_REFUSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "192.0.0.0/24",
        "168.63.129.16/32",
        "192.88.99.0/24",
        "100.64.0.0/10",
        "198.18.0.0/15",
        "240.0.0.0/4",
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_TEREDO = IPv6Network("2001::/32")
_TRANSLATED = (IPv6Network("64:ff9b::/96"),)
_HEXADECIMAL = regex.compile(r"0[xX][0-9a-fA-F]*")


class BlockedAddress(GreenroomError):
    """An address that may not be called. The message does not say what a name resolved to."""


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """The addresses of `host` as the operating system resolves them, in its order.

    Raises:
        OSError: the name has none.
    """
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))


def is_public(address: Address) -> bool:
    """Whether `address` is a unicast address of the public internet, looking through the IPv6 forms of IPv4."""
    if isinstance(address, IPv6Address):
        inner = _inner_address(address)
        if inner is not None:
            return is_public(inner)
        return address in _GLOBAL_V6 and address not in _TEREDO and address.is_global
    return address.is_global and not address.is_multicast and not any(address in network for network in _REFUSED_V4)


def _inner_address(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a mapped, 6to4 or NAT64 address stands for."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def literal_address(host: str) -> Address | None:
    """The address that `host` is written as, in the usual notation; `None` for a name or an unusual notation."""
    try:
        return ip_address(host.strip("[]").removesuffix("."))
    except ValueError:
        return None


def is_disguised_address(host: str) -> bool:
    """Whether `host` is a number that resolvers take for an address (`2130706433`, `0x7f.1`, `0177.0.0.1`)."""
    if literal_address(host) is not None:
        return False
    last = host.rstrip(".").rpartition(".")[2]
    return ":" in host or (last.isascii() and last.isdigit()) or _HEXADECIMAL.fullmatch(last) is not None


def _is_localhost(host: str) -> bool:
    """The names that stand for this machine by RFC 6761, whatever a resolver says."""
    return host.rstrip(".").lower().rpartition(".")[2] == "localhost"


@dataclass(frozen=True, slots=True)
class Guard:
    """What may be called.

    `allow_private_networks` lets through loopback, private, link-local and metadata addresses: for a program on
    one's own machine. `resolve` turns a name into addresses.
    """

    allow_private_networks: bool = False
    resolve: Resolve = field(default=resolve_by_system, repr=False)

    def check(self, scheme: str, host: str) -> None:
        """Check what can be told from the URL alone; names are checked by `addresses`.

        Raises:
            BlockedAddress: not http(s), or an address, plain or disguised, that may not be called.
        """
        if scheme.lower() not in ("http", "https"):
            raise BlockedAddress("Only http:// and https:// addresses may be called.")
        if self.allow_private_networks:
            return
        literal = literal_address(host)
        inside = not self.allows(str(literal)) if literal is not None else _is_localhost(host)
        if inside or is_disguised_address(host):
            raise _blocked(host)

    def allows(self, address: str) -> bool:
        """Whether a connection may be made to `address`, an IP address."""
        if self.allow_private_networks:
            return True
        literal = literal_address(address)
        return literal is not None and is_public(literal)

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of `host` that may be called, at least one. Connect to these, not to the name.

        Raises:
            BlockedAddress: it has only others.
            OSError: the name does not resolve.
        """
        if literal_address(host) is not None:
            found: Sequence[str] = (str(literal_address(host)),)
        else:
            found = await self.resolve(host, port)
        allowed = tuple(address for address in found if self.allows(address))
        if found and not allowed:
            raise _blocked(host)
        if not allowed:
            raise OSError(f"{shorten(host, 100)} has no address")
        return allowed


def _blocked(host: str) -> BlockedAddress:
    return BlockedAddress(
        f"`{shorten(host, 100)}` is not on the public internet, and only that may be called from here."
    )
