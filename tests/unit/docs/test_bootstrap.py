"""How uv is brought onto a machine that has none."""

from __future__ import annotations

import json

import pytest
from scripts.bootstrap import UV_VERSION, CannotBootstrap, Wheel, choose, listed

PAGE = "https://mirror.example/simple/uv/"
LINUX = f"uv-{UV_VERSION}-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
ARM = f"uv-{UV_VERSION}-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64.whl"
MAC = f"uv-{UV_VERSION}-py3-none-macosx_11_0_arm64.whl"
OLD = "uv-0.1.0-py3-none-manylinux_2_17_x86_64.whl"
SOURCE = f"uv-{UV_VERSION}.tar.gz"


def test_an_index_that_speaks_json_is_read() -> None:
    files = [
        {"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": "ab12"}} for name in (OLD, LINUX, SOURCE)
    ]

    found = listed(PAGE, json.dumps({"files": files}).encode(), "application/vnd.pypi.simple.v1+json")

    assert found == [Wheel(LINUX, f"https://mirror.example/files/{LINUX}", "ab12")]


def test_an_index_that_speaks_only_html_is_read() -> None:
    links = "".join(f'<a href="https://files.example/{name}#sha256=cd34">{name}</a>' for name in (OLD, MAC, SOURCE))

    [found] = listed(PAGE, f"<html><body>{links}</body></html>".encode(), "text/html")

    assert found.filename == MAC
    assert found.sha256 == "cd34"
    assert found.url.startswith(f"https://files.example/{MAC}")


@pytest.mark.parametrize(
    ("words", "filename"),
    [
        (("manylinux", "x86_64"), LINUX),
        (("manylinux", "aarch64"), ARM),
        (("musllinux", "aarch64"), ARM),
        (("macosx", "arm64"), MAC),
    ],
)
def test_the_wheel_of_the_machine_is_chosen(words: tuple[str, str], filename: str) -> None:
    wheels = [Wheel(name, "", "") for name in (LINUX, ARM, MAC)]

    assert choose(wheels, words).filename == filename


def test_a_machine_without_a_wheel_is_told_to_install_uv_itself() -> None:
    with pytest.raises(CannotBootstrap, match="no ready-made program for this machine"):
        choose([Wheel(LINUX, "", "")], ("manylinux", "mips"))
