"""Tests added to a file that a person wrote, with everything else in it left as it is: comments, quotes, blank lines.

The new text is put in where the list of tests ends, and the file is read again before anything is written: it must
hold what it held, and the new tests. Where that cannot be done (a list in brackets, for example), the whole file is
written anew with its comments kept, held to the same.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from greenroom.files.dump import dump_test
from greenroom.files.mistakes import Ledger
from greenroom.files.nodes import plain
from greenroom.files.text_files import why_unreadable
from greenroom.files.yaml_reader import read_yaml
from greenroom.model.base import Json
from greenroom.model.case import Test
from greenroom.model.errors import UserMistake

_BLANK = re.compile(r"[ \t]*\n")
_COMMENT = re.compile(r"(?P<indent>[ ]*)#")
_DASH_INDENT = 2
_BOM = "\ufeff"


class CannotAppend(UserMistake):
    """A file to which nothing can be added without changing what it holds."""


def append_tests(file: Path, tests: Sequence[Test]) -> None:
    """Add tests to a test file. It is written whole or not at all.

    Raises:
        CannotAppend: its list of tests is written so that none can be added.
        UserMistake: the file cannot be read or written.
    """
    try:
        before = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserMistake(f"{why_unreadable(file, error)}.") from None
    except UnicodeDecodeError:
        raise UserMistake(f"`{file}` is not UTF-8 text: save it as UTF-8.") from None
    after = with_tests(before, tests, file)
    try:
        _replace(file.resolve(), after)
    except OSError as error:
        why = (error.strerror or "the system refused").lower()
        raise UserMistake(f"Cannot write {file}: {why}; nothing was changed") from None


def with_tests(text: str, tests: Sequence[Test], file: Path) -> str:
    """The text of a test file with tests added at the end of its list. `file` is only named in messages.

    Raises:
        CannotAppend: its list of tests is written so that none can be added.
    """
    bom, body = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    crlf = "\r\n" in body and body.count("\r\n") == body.count("\n")
    unix = body.replace("\r\n", "\n") if crlf else body
    held = _held(unix, file)
    wanted = _with(held, [_held(dump_test(test), file) for test in tests])
    for candidate in _candidates(unix, tests) if wanted is not None else ():
        if _held(candidate, file) == wanted:
            return bom + (candidate.replace("\n", "\r\n") if crlf else candidate)
    raise CannotAppend(f"`{file}` is written so that no test can be added to it without changing what it holds.")


def _held(text: str, file: Path) -> Json:
    """What a YAML text holds; an own nothing where it cannot be read."""
    ledger = Ledger()
    node = read_yaml(text, file, ledger)
    return None if node is None or ledger.mistakes else plain(node)


def _with(held: Json, tests: list[Json]) -> Json:
    if not isinstance(held, dict) or not held.keys() & {"agent", "agents"}:
        return None  # no test file, perhaps one that is an agent
    listed = held.get("tests")
    if listed is not None and not isinstance(listed, list):
        return None
    return {**held, "tests": [*(listed or ()), *tests]}


# Ways to add them


@dataclass(frozen=True, slots=True)
class _Span:
    """Where a value stands: from `start` up to `end`, counted in characters; `column` from 0."""

    start: int
    end: int
    column: int
    is_flow: bool
    item_starts: tuple[int, ...] = ()


def _candidates(text: str, tests: Sequence[Test]) -> Iterator[str]:
    from ruamel.yaml.error import YAMLError

    try:
        yield from _by_text(text, tests)
        yield _anew(text, tests)
    except YAMLError:
        return


def _by_text(text: str, tests: Sequence[Test]) -> Iterator[str]:
    text = text if text.endswith("\n") or not text else text + "\n"
    found = _find_tests(text)
    if found is None:
        yield f"{text}\ntests:\n{_items(tests, _DASH_INDENT)}"
        return
    name, listed = found
    if listed is None:
        place = _line_end(text, name.end) + 1
        yield f"{text[:place]}{_items(tests, _DASH_INDENT)}{text[place:]}"
    elif listed.is_flow and not listed.item_starts:
        # `[]` goes, and the list starts on the next line.
        place = _line_end(text, listed.end)
        head = text[: listed.start].rstrip() + text[listed.end : place].rstrip()
        yield f"{head}\n{_items(tests, _DASH_INDENT)}{text[place + 1 :]}"
    elif not listed.is_flow:
        gap = "\n" if _stand_apart(text, listed.item_starts) else ""
        end = len(text) if listed.end >= len(text) else _line_start(text, listed.end)
        for place in dict.fromkeys((_content_end(text, listed, end), end)):
            yield f"{text[:place]}{gap}{_items(tests, listed.column)}{text[place:]}"


def _find_tests(text: str) -> tuple[_Span, _Span | None] | None:
    """Where the name and the value of `tests` stand in a mapping written over several lines."""
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import SequenceNode

    yaml: Any = YAML(typ="safe", pure=True)
    root = yaml.compose(text)
    for key, value in root.value:
        if key.value != "tests":
            continue
        at = _span(key)
        if not isinstance(value, SequenceNode):
            return at, None
        items: list[Any] = list(value.value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - ruamel has no types
        return at, _span(value, tuple(item.start_mark.index for item in items))
    return None


def _span(node: Any, item_starts: tuple[int, ...] = ()) -> _Span:
    start, end = node.start_mark, node.end_mark
    return _Span(start.index, end.index, start.column, bool(getattr(node, "flow_style", False)), item_starts)


def _items(tests: Sequence[Test], column: int) -> str:
    """Tests as items of a list whose dashes stand in `column`. Only whole lines are moved, so that block texts stay
    what they are."""
    item = " " * column
    inside = item + "  "
    return "".join(item + "- " + textwrap.indent(dump_test(test), inside).removeprefix(inside) for test in tests)


def _stand_apart(text: str, item_starts: Sequence[int]) -> bool:
    """Whether there is a blank line before the last item, comments right above it passed over."""
    if len(item_starts) < 2:
        return False
    lines = text[: _line_start(text, item_starts[-1])].split("\n")[:-1]
    while lines and _COMMENT.match(lines[-1]):
        lines.pop()
    return bool(lines) and not lines[-1].strip()


def _content_end(text: str, value: _Span, end: int) -> int:
    """Where the last item really ends: before blank lines, and before comments that do not stand inside it."""
    place = end
    while place > value.start:
        start = _line_start(text, place - 1)
        line = text[start:place]
        comment = _COMMENT.match(line)
        if not (_BLANK.fullmatch(line) or (comment and len(comment["indent"]) <= value.column)):
            break
        place = start
    return place


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end


def _anew(text: str, tests: Sequence[Test]) -> str:
    """The whole file, read and written with its comments."""
    from ruamel.yaml import YAML

    yaml: Any = YAML()
    yaml.preserve_quotes = True
    yaml.width = 2**31
    yaml.indent(mapping=2, sequence=4, offset=2)
    root = yaml.load(text)
    if not isinstance(root.get("tests"), list):
        root["tests"] = []
    root["tests"].extend(yaml.load(dump_test(test)) for test in tests)
    stream = io.StringIO()
    yaml.dump(root, stream)
    return stream.getvalue()


def _replace(file: Path, text: str) -> None:
    """Write a file anew in one step, so that whoever reads it meanwhile sees the old or the new."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8"))
        new.chmod(file.stat().st_mode & 0o7777)
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
