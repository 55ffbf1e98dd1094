"""The pages of the doors name a test for each behaviour; each of them exists."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
import regex
from tests.support.fenced_blocks import ROOT

PAGES = sorted((ROOT / "docs" / "doors").glob("*.md"))
_TEST = regex.compile(r"`(?P<path>tests/[\w/]+\.py)::(?P<name>test_\w+)`")
_ROW = regex.compile(r"^\|(?P<cells>.*)\|$", regex.MULTILINE)


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(name for name in found if name.startswith("test_"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_door_s_page_names_exists(page: Path) -> None:
    named = _TEST.findall(page.read_text(encoding="utf-8"))
    assert named, f"{page.name} names no test"
    missing = [
        f"{path}::{name}" for path, name in named if not (ROOT / path).is_file() or name not in names_in(ROOT / path)
    ]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_behaviour_of_a_door_s_page_has_its_test(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    table = text.partition("| behaviour | test |")[2].partition("\n\n")[0]
    rows = [cells for cells in _ROW.findall(table) if not set(cells) <= set("- |:")]
    assert rows, f"{page.name} has no table `| behaviour | test |`"
    assert [row for row in rows if not _TEST.search(row)] == []
