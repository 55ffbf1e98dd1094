"""`${NAME}` in secrets: the one place where a file reads the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from greenroom.files.mistakes import Ledger, Place
from greenroom.files.nodes import Entry, MapNode, Node, ScalarNode

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


Use = Literal["credential", "webhook", "http", "mcp", "remote"]


@dataclass(frozen=True, slots=True)
class Unset:
    """A secret whose environment variable is not set: where it stands, and what it is for."""

    place: Place
    variable: str
    use: Use

    @property
    def message(self) -> str:
        return f"the environment variable `{self.variable}` is not set: set it, or take this out"


def fill_in(node: Node, use: Use, environ: Mapping[str, str], ledger: Ledger) -> tuple[Node | None, tuple[Unset, ...]]:
    """A secret with its `${NAME}` filled in; where one of them is not set (or empty), `None` and which."""
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or "${" not in node.value:
        return node, ()
    if "${" in _VARIABLE.sub("", node.value):
        ledger.add(node.place, "an environment variable is written `${NAME}`, with letters, digits and `_`")
        return node, ()
    unset = tuple(Unset(node.place, name, use) for name in _VARIABLE.findall(node.value) if not environ.get(name))
    if unset:
        return None, unset
    filled = _VARIABLE.sub(lambda match: environ[match[1]], node.value)
    return ScalarNode(node.place, filled, filled, verbatim=True), ()


def fill_in_all(
    node: MapNode, use: Use, environ: Mapping[str, str], ledger: Ledger
) -> tuple[MapNode, tuple[Unset, ...]]:
    """A mapping of secrets with each filled in; those that cannot be are left out, and told."""
    entries: dict[str, Entry] = {}
    missing: list[Unset] = []
    for key, entry in node.entries.items():
        filled, unset = fill_in(entry.value, use, environ, ledger)
        missing.extend(unset)
        if filled is not None:
            entries[key] = Entry(entry.key_place, filled)
    return MapNode(node.place, entries), tuple(missing)
