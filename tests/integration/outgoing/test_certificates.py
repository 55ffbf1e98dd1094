"""Pinned connections over TLS: the certificate is checked under the name that was asked for."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# The trusted certificates are read when a client is first used, so each look is a program of its own.
_LOOK = """
import asyncio, sys
from greenroom.outgoing.addresses import Guard

async def loopback(host, port):
    return ["127.0.0.1"]

async def webhook(url, guard):
    from greenroom.outgoing.http import ExchangeFailed, Outgoing
    outgoing = Outgoing(guard)
    try:
        await outgoing.exchange("GET", url, headers={}, body=None, seconds=10, max_bytes=1000)
        print("answered")
    except ExchangeFailed as error:
        print(error.reason)
    finally:
        await outgoing.close()

async def mcp(url, guard):
    import httpx2
    from greenroom.tools.mcp_transport import GuardedTransport, Trouble
    async with httpx2.AsyncClient(transport=GuardedTransport(guard, Trouble())) as client:
        try:
            await client.get(url)
            print("answered")
        except httpx2.ConnectError:
            print("unreachable")

way, url = sys.argv[1:]
asyncio.run(globals()[way](url, Guard(allow_private_networks=True, resolve=loopback)))
"""


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of its own for `shop.example`, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "shop.example")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("shop.example")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = tmp_path / "shop.pem"
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize("way", ["webhook", "mcp"])
@pytest.mark.parametrize(
    ("host", "outcome"), [("shop.example", "answered"), ("other.example", "unreachable"), ("127.0.0.1", "unreachable")]
)
async def test_a_certificate_is_accepted_for_the_name_it_is_for_and_no_other(
    certificate: Path, way: str, host: str, outcome: str
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        await writer.drain()
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as service:
        url = f"https://{host}:{service.sockets[0].getsockname()[1]}/"
        look = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _LOOK, way, url,
            env={**os.environ, "SSL_CERT_FILE": str(certificate)}, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        said, _ = await look.communicate()
    assert said.decode().strip() == outcome
