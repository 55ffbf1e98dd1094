"""The fenced blocks of a Markdown page, with what their first line says of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parents[2]
_FENCE = regex.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ \t]*$", regex.MULTILINE | regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. The words after the language are `key=value` or bare: ```` ```yaml file=a.yaml ````."""

    page: Path
    line: int
    language: str
    options: dict[str, str]
    body: str

    @property
    def place(self) -> str:
        """Page and line, for messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """Every page of the project that a reader may open."""
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md")]
    return [*found, *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    for match in _FENCE.finditer(text):
        language, *words = match["info"].split() or [""]
        options = {key: value for key, _, value in (word.partition("=") for word in words)}
        found.append(Block(page, text.count("\n", 0, match.start()) + 1, language, options, match["body"]))
    return found
