"""Checks as other tools put them: a text that is the reply, that begins it, or one of several that it holds."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping

from greenroom.importers.source import Fields, Notes, Path
from greenroom.model.base import Json
from greenroom.model.case import ToolMock
from greenroom.model.checks import CallsTool, Check, Where

ANY_CAPITALS = "capitals do not count in it here"
ANY_TURN = "a check of a script looks at all that the agent says, not at one turn"

_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
_SPACE = re.compile(r"\s+")


class Checks:
    """The checks of one test; what cannot be made is noted."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.made: list[Check] = []

    def add(self, path: Path, what: str, make: Callable[[], Check]) -> None:
        """Make one check. What it says by default is left unsaid, for whoever reads the file."""
        check = self.notes.attempt(path, what, make)
        if check is not None and check not in self.made:
            self.made.append(
                type(check).model_validate({"type": check.type, **check.model_dump(exclude_defaults=True)})
            )


def literal(text: str) -> str:
    """A pattern that matches a text as it is, capitals too; runs of white space match any white space."""
    words = (_SPECIAL.sub(lambda match: f"\\{match[0]}", word) for word in _SPACE.split(text))
    return "(?-i:" + r"\s+".join(words) + ")"


def whole(text: str) -> str:
    """A pattern for a line that is this text."""
    return rf"\A\s*{literal(text.strip())}\s*\z"


def beginning(text: str) -> str:
    """A pattern for a line that starts with this text."""
    return rf"\A\s*{literal(text.strip())}"


def one_of(texts: Iterable[str], *, any_capitals: bool = False) -> str:
    """A pattern for a line that holds one of these texts."""
    found = [literal(text) for text in texts]
    if any_capitals:
        found = [pattern.replace("(?-i:", "(?:", 1) for pattern in found]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def as_written(pattern: str) -> str:
    """A pattern of a tool whose patterns look at capitals."""
    return pattern if pattern.startswith(("(?i", "(?-i")) else f"(?-i){pattern}"


def where_of(index: int, count: int) -> Where:
    """Where the reply to the message at `index` of `count` is looked for."""
    return "last" if index == count - 1 else "any"


def parsed(text: str) -> Json:
    """The JSON that a text holds, else the text."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) else text


def arguments_of(fields: Fields, name: str) -> dict[str, Json] | None:
    """Arguments of a recorded call: an object, or the JSON text of one. `None` where there are none to be read."""
    value = fields.take(name)
    if isinstance(value, str) and value.strip():
        value = parsed(value)
    if isinstance(value, dict):
        return value
    if value not in (None, ""):
        fields.notes.add(fields.at(name), f"`{name}`", "the arguments are not an object")
    return None


def call_of(tool: str, arguments: Mapping[str, Json] | None) -> CallsTool:
    """A check that a tool was called, with these arguments where there are any."""
    return CallsTool(tool=tool, arguments=dict(arguments)) if arguments else CallsTool(tool=tool)


def failure_of(tool: str, when: Mapping[str, Json] | None, error: str) -> ToolMock:
    """A prepared failure of a tool, in words."""
    return ToolMock(tool=tool, when=dict(when), error=error) if when else ToolMock(tool=tool, error=error)


def answer_of(tool: str, when: Mapping[str, Json] | None, result: Json) -> ToolMock:
    """A prepared answer of a tool."""
    return ToolMock(tool=tool, when=dict(when), result=result) if when else ToolMock(tool=tool, result=result)


def in_order(mocks: Iterable[ToolMock]) -> list[ToolMock]:
    """Prepared answers of which each is given as often as it stands there in a row, and the last one of its kind from
    then on."""
    rows = [list(row) for _, row in itertools.groupby(mocks)]
    found = [(row[0], len(row)) for row in rows]
    return [
        mock.model_copy(update={"times": times})
        if any(_alike(mock, later) for later, _ in found[index + 1 :])
        else mock
        for index, (mock, times) in enumerate(found)
    ]


def _alike(one: ToolMock, other: ToolMock) -> bool:
    return (one.tool, one.when) == (other.tool, other.when)
