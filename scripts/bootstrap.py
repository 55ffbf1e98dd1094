"""Bring uv into the project's private folder, where the machine has none.

    python3 scripts/bootstrap.py .tools/bin/uv

Needs only the standard library of Python 3.11+. pip installs it, in a throw-away environment, since pip knows the
machine's mirrors and certificates; where Python came without pip (Debian's, without python3-venv), uv's wheel is
taken from the package index and its checksum compared. Prints the path of the program; progress goes to stderr.
"""

from __future__ import annotations

import hashlib
import html.parser
import importlib.util
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

UV_VERSION = "0.13.9"
PYPI = "https://pypi.org/simple"
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.2"
SECONDS = 60


class CannotBootstrap(Exception):
    """uv could not be brought; the message says what to do."""


@dataclass(frozen=True)
class Wheel:
    """A wheel as the package index lists it."""

    filename: str
    url: str
    sha256: str


def main() -> int:
    """Put uv where the first argument says. Returns the exit code: 0, or 2 where it could not be brought."""
    program = Path(sys.argv[1]).absolute()
    program.parent.mkdir(parents=True, exist_ok=True)
    print(f"Bringing uv {UV_VERSION} into {program.parent} (your machine has none)", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=program.parent, prefix="making-") as folder:
        try:
            made = install_with_pip(Path(folder)) or download(Path(folder))
        except CannotBootstrap as problem:
            print(problem, file=sys.stderr)
            return 2
        # Renamed in one step, so that two commands at once cannot see half a program.
        os.replace(made, program)
    print(program)
    return 0


def install_with_pip(folder: Path) -> Path | None:
    """uv, installed by pip into a virtual environment in `folder`; None where this Python cannot do that."""
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        return None
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    for command in ([sys.executable, "-m", "venv", str(folder / "venv")], [*pip, f"uv=={UV_VERSION}"]):
        if subprocess.run(command, check=False, capture_output=True).returncode:
            return None
    return python.with_name("uv")


def download(folder: Path) -> Path:
    """uv, out of its wheel on the package index.

    Raises:
        CannotBootstrap: the index cannot be reached, has no wheel for this machine, or sent a damaged one.
    """
    index = os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("PIP_INDEX_URL") or PYPI
    page = f"{index.rstrip('/')}/uv/"
    try:
        wheel = choose(listed(page, *fetch(page)), platform_words())
        content, _ = fetch(wheel.url)
    except (urllib.error.URLError, OSError, ValueError) as problem:
        raise CannotBootstrap(
            f"uv could not be fetched from {urllib.parse.urlsplit(page).hostname} ({problem}): "
            "install it yourself (https://docs.astral.sh/uv), then try again."
        ) from problem
    if hashlib.sha256(content).hexdigest() != wheel.sha256:
        raise CannotBootstrap(f"{wheel.filename} arrived damaged (its checksum does not match): try again.")
    program = folder / "uv"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inside = next(name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        with archive.open(inside) as source, program.open("wb") as target:
            shutil.copyfileobj(source, target)
    program.chmod(0o755)
    return program


def fetch(url: str) -> tuple[bytes, str]:
    """The body and the content type of `url`."""
    request = urllib.request.Request(url, headers={"Accept": ACCEPT})
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        return response.read(), response.headers.get_content_type()


def listed(page: str, body: bytes, content_type: str) -> list[Wheel]:
    """The wheels of the pinned version on an index's page, in either of the forms that indexes speak."""
    if content_type.endswith("json"):
        found = [
            (file["filename"], file["url"], file["hashes"].get("sha256", "")) for file in json.loads(body)["files"]
        ]
    else:
        reader = _Links()
        reader.feed(body.decode())
        found = [
            (url.path.rpartition("/")[2], url.geturl(), url.fragment.removeprefix("sha256=")) for url in reader.urls
        ]
    prefix = f"uv-{UV_VERSION}-"
    return [
        Wheel(filename, urllib.parse.urljoin(page, url), sha256)
        for filename, url, sha256 in found
        if filename.startswith(prefix) and filename.endswith(".whl")
    ]


class _Links(html.parser.HTMLParser):
    """Collects where the links of a page lead."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[urllib.parse.SplitResult] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.urls.extend(
            urllib.parse.urlsplit(value) for name, value in attrs if tag == "a" and name == "href" and value
        )


def platform_words() -> tuple[str, str]:
    """How a wheel's name says this operating system and this processor."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return "macosx", "arm64" if machine in ("arm64", "aarch64") else "x86_64"
    is_musl = not platform.libc_ver()[0] and any(Path("/lib").glob("ld-musl-*"))
    names = {"amd64": "x86_64", "arm64": "aarch64"}
    return ("musllinux" if is_musl else "manylinux"), names.get(machine, machine)


def choose(wheels: list[Wheel], words: tuple[str, str]) -> Wheel:
    """The wheel for this machine.

    Raises:
        CannotBootstrap: there is none.
    """
    system, machine = words
    for wheel in wheels:
        tags = wheel.filename.removesuffix(".whl").split("-")[-1].split(".")
        if any(tag.startswith(system) and tag.endswith(f"_{machine}") for tag in tags):
            return wheel
    raise CannotBootstrap(
        f"uv {UV_VERSION} has no ready-made program for this machine ({system}, {machine}): "
        "install uv yourself (https://docs.astral.sh/uv), then try again."
    )


if __name__ == "__main__":
    sys.exit(main())
