"""The commands on the page about pytest, and what it says that they print."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from tests.support.fenced_blocks import ROOT, Block, blocks
from tests.support.pytest_project import Project

PAGE = ROOT / "docs" / "pytest.md"


def _shown() -> list[object]:
    """Each command that is followed by what it prints."""
    pairs = pairwise(blocks(PAGE))
    return [
        pytest.param(command, printed, id=command.place)
        for command, printed in pairs
        if command.language == "sh" and printed.language == "text"
    ]


def _loosely(line: str) -> str:
    return regex.sub(r"\s+", " ", line).strip()


@pytest.mark.parametrize(("command", "printed"), _shown())
def test_every_command_prints_what_the_page_shows(command: Block, printed: Block, tmp_path: Path) -> None:
    project = Project(tmp_path)
    for block in blocks(PAGE):
        if "file" in block.options:
            project.write(block.options["file"], block.body)
    program, *options = shlex.split(command.body)
    assert program == "pytest"

    played = project.test(*options)

    assert played.code == int(printed.options["exit"]), played.out
    rest = iter([_loosely(line) for line in played.out.splitlines()])
    for line in printed.body.splitlines():
        if line.strip() not in ("", "…"):
            assert any(_loosely(line) in other for other in rest), f"“{line}” is not printed (here) in:\n{played.out}"
