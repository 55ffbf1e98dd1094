"""The rule of outside addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

from greenroom.outgoing.addresses import BlockedAddress, Guard, is_public

PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "64:ff9b::7f00:1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::a00:1",
    "2001:0:53aa:64c::1",
    "2001:db8::1",
    "100::1",
]
PUBLIC = ["8.8.8.8", "93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]

REFUSED_URLS = [
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://[::ffff:127.0.0.1]/",
    "http://[::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://a@127.0.0.1/",
    "http://example.com@127.0.0.1/",
    "http://example.com:80@127.0.0.1:8080/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://１２７.0.0.1/",
    "http://0/",
    "http://0x0/",
    "http://3232235777/",
    "http://1.2.3.4.5/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://shop.localhost/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "//example.com/",
    "example.com/hook",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_of_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))
    assert not Guard().allows(address)
    assert Guard(allow_private_networks=True).allows(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    assert Guard().allows(address)


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_url_that_leads_inside_is_refused_as_the_client_reads_it(url: str) -> None:
    read = yarl.URL(url)
    with pytest.raises(BlockedAddress):
        Guard().check(read.scheme, read.raw_host or "")


@pytest.mark.parametrize("scheme", ["ftp", "file", "gopher", ""])
def test_only_http_is_allowed_on_private_networks_too(scheme: str) -> None:
    with pytest.raises(BlockedAddress, match="https"):
        Guard(allow_private_networks=True).check(scheme, "example.com")


@pytest.mark.parametrize("host", ["example.com", "8.8.8.8", "xn--bcher-kva.example", "1password.com", "0x.org", "a.b2"])
def test_ordinary_hosts_pass_the_first_look(host: str) -> None:
    Guard().check("https", host)


@given(st.ip_addresses(v=4))
def test_the_ipv6_forms_of_an_address_are_refused_exactly_when_it_is(address: IPv4Address) -> None:
    mapped = IPv6Address(0xFFFF << 32 | int(address))
    translated = IPv6Address(int(IPv6Address("64:ff9b::")) | int(address))
    relayed = IPv6Address(0x2002 << 112 | int(address) << 80)
    assert {is_public(mapped), is_public(translated), is_public(relayed)} == {is_public(address)}


@given(st.ip_addresses(v=4))
def test_a_number_for_a_host_is_always_refused(address: IPv4Address) -> None:
    for host in (str(int(address)), hex(int(address)), f"0{int(address):o}", f"{int(address)}."):
        with pytest.raises(BlockedAddress):
            Guard().check("http", host)


class _Names:
    """Answers each look-up with the next list of addresses."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return self.answers.pop(0)


def _resolved(names: _Names, host: str = "shop.example") -> tuple[str, ...]:
    return asyncio.run(Guard(resolve=names).addresses(host, 443))


def test_a_name_that_turns_private_after_the_check_gains_nothing() -> None:
    names = _Names(["93.184.216.34"], ["127.0.0.1"])
    assert _resolved(names) == ("93.184.216.34",)
    with pytest.raises(BlockedAddress):
        _resolved(names)


def test_of_mixed_addresses_only_the_public_ones_are_left() -> None:
    assert _resolved(_Names(["10.0.0.1", "93.184.216.34", "::1"])) == ("93.184.216.34",)


def test_a_refusal_does_not_tell_what_a_name_resolves_to() -> None:
    with pytest.raises(BlockedAddress) as refusal:
        _resolved(_Names(["10.20.30.40"]), "intranet.example")
    assert "intranet.example" in str(refusal.value)
    assert "10.20.30.40" not in str(refusal.value)


def test_a_name_without_addresses_is_not_found() -> None:
    with pytest.raises(OSError, match="no address"):
        _resolved(_Names([]))


@pytest.mark.parametrize("host", ["localhost", "localhost."])
def test_localhost_is_refused_by_what_it_resolves_to(host: str) -> None:
    with pytest.raises(BlockedAddress):
        _resolved(_Names(["127.0.0.1", "::1"]), host)
