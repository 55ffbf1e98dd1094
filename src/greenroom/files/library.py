"""The files that are read while a suite is loaded, each once."""

from __future__ import annotations

import os
from pathlib import Path

from greenroom.files.mistakes import Ledger, Place
from greenroom.files.nodes import Node, ScalarNode
from greenroom.files.text_files import read_text
from greenroom.files.yaml_reader import read_yaml

_TEXT_ENDINGS = (".md", ".txt", ".prompt")


class Library:
    """Reads files by path, relative to the file that names them, and notes what is wrong in the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._texts: dict[Path, str | None] = {}
        self._trees: dict[Path, Node | None] = {}

    def text(self, file: Path, asked_at: Place | None = None) -> str | None:
        """The text of a file; `None`, with the mistake noted, where it cannot be read."""
        if file not in self._texts:
            self._texts[file] = read_text(file, self.ledger, asked_at=asked_at)
        return self._texts[file]

    def tree(self, file: Path, asked_at: Place | None = None) -> Node | None:
        """The tree of a YAML file; `None`, with the mistake noted, where it cannot be read."""
        if file not in self._trees:
            text = self.text(file, asked_at)
            self._trees[file] = None if text is None else read_yaml(text, file, self.ledger)
        return self._trees[file]

    def words(self, node: Node) -> Node:
        """A text that may stand in a file of its own: the text itself, or the text of the file that it names.

        It names a file when it is one line that ends in `.md`, `.txt` or `.prompt`. A line with spaces that leads to
        no file is a text; without spaces it can only have meant a file, which is then missing. A block text
        (under `|` or `>`) is never a path.
        """
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or node.verbatim:
            return node
        if not looks_like_a_path(node.value):
            return node
        file = beside(node.place.file, node.value)
        if " " in node.value and not file.is_file():
            return node
        text = self.text(file, node.place)
        return node if text is None else ScalarNode(node.place, text.rstrip("\n"), text, verbatim=True)


def looks_like_a_path(text: str) -> bool:
    """Whether a text is one line that ends like the name of a text file."""
    return text.isprintable() and text == text.strip() and text.lower().endswith(_TEXT_ENDINGS)


def beside(file: Path, path: str) -> Path:
    """The path of a file that is named in `file`: relative paths start from the folder of `file`, `~` from home."""
    return Path(os.path.normpath(file.parent / Path(path.strip()).expanduser()))
