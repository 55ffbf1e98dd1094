"""What holds for every page of the documentation."""

from __future__ import annotations

import subprocess
import urllib.parse
from pathlib import Path

import pytest
import regex
from tests.support.fenced_blocks import ROOT, blocks, pages

_LINK = regex.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = regex.compile(r"^#{1,6} (?P<title>.+)$", regex.MULTILINE)
_FENCED = regex.compile(r"^```.*?^```", regex.MULTILINE | regex.DOTALL)
KNOWN_LANGUAGES = {"yaml", "json", "python", "console", "sh", "mermaid", "text"}


def _anchors(page: Path) -> set[str]:
    titles = _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
    return {regex.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def _make_targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(regex.findall(r"^([a-z-]+):", makefile, regex.MULTILINE))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    for target in _LINK.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))):
        parts = urllib.parse.urlsplit(target)
        if parts.scheme:
            continue
        leads_to = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
        assert leads_to.exists(), f"{page.name} links to {target}, which is not there"
        if parts.fragment:
            assert parts.fragment in _anchors(leads_to), f"{page.name} links to {target}: no such heading"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_says_its_language_and_shell_examples_are_well_formed(page: Path) -> None:
    for block in blocks(page):
        assert block.language in KNOWN_LANGUAGES, f"{block.place}: say what language this example is in"
        if block.language == "sh":
            read = subprocess.run(["sh", "-n"], input=block.body, text=True, capture_output=True, check=False)
            assert not read.returncode, f"{block.place}: {read.stderr}"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    named = set(regex.findall(r"\bmake ([a-z-]+)(?=[`\n])", page.read_text(encoding="utf-8")))

    assert named <= _make_targets()


def test_the_help_of_make_lists_every_target_with_a_line() -> None:
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    listed = {line.split()[1]: line.split(maxsplit=2)[2] for line in shown.splitlines()}
    assert set(listed) == _make_targets()
    assert all(listed.values())


def test_every_decision_is_listed_on_the_page_of_decisions() -> None:
    folder = ROOT / "docs" / "decisions"
    contents = (folder / "README.md").read_text(encoding="utf-8")

    for page in folder.glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in contents, f"{page.name} is not listed"
