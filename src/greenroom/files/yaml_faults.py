"""What the YAML parser finds wrong, in plain words and at the place where a person has to look."""

from __future__ import annotations

import re
from pathlib import Path

from greenroom.files.mistakes import Place
from greenroom.files.text_files import place_in
from greenroom.files.yaml_events import Mark, YamlFault

# What the parser says (its context and its problem), where to look (at the problem, or where its context began), and
# what to tell. The first that fits is told.
_FAULTS: tuple[tuple[str, str, str], ...] = (
    (
        r"cannot start any token.*'\\t'|'\\t'.*cannot start any token",
        "problem",
        "a tab stands here: indent with spaces",
    ),
    (
        "'[@`%]'.*cannot start any token",
        "problem",
        "text cannot start with this character: put it in quotes",
    ),
    (
        "mapping values are not allowed",
        "problem",
        "a `:` stands where none can: put the text in quotes, or mend the indentation",
    ),
    (
        "quoted scalar.*(end of stream|document separator)",
        "context",
        "this quote is never closed: add the closing quote",
    ),
    (
        "quoted scalar.*(unknown escape|expected escape)",
        "problem",
        r"this `\` escape is unknown: write `\\` for a backslash, or use single quotes",
    ),
    (
        "expected the node content",
        "problem",
        "text cannot start with this character: put it in quotes",
    ),
    (
        "flow (sequence|mapping)",
        "context",
        "this `[` or `{` is not closed as it should be: look for a missing comma, bracket or quote",
    ),
    (
        "could not find expected ':'",
        "context",
        "a `:` is missing after this name",
    ),
    (
        "block (mapping|collection|sequence).*but found",
        "problem",
        "the indentation does not fit the lines above: align it with the fields or items beside it",
    ),
    (
        "sequence entries are not allowed",
        "problem",
        "a `- ` item cannot start here: put it on a line of its own, indented under its field",
    ),
    (
        "block scalar",
        "problem",
        "after `|` or `>` the text starts on the next line, indented under its field",
    ),
    (
        "(anchor|alias)",
        "problem",
        "`&` and `*` start an anchor or alias: put the text in quotes if it is plain text",
    ),
    (
        "tag|verbatim",
        "problem",
        "`!` starts a tag: put the text in quotes if it is plain text",
    ),
    (
        "directive|%",
        "problem",
        "a line that starts with `%` is a directive: put the text in quotes if it is plain text",
    ),
    (
        "expected '<document start>'",
        "problem",
        "the file should end here or go on as a mapping: mend the indentation of this line",
    ),
)


def explain(fault: YamlFault, text: str, file: Path) -> tuple[Place, str]:
    """The place of a parser's error and one sentence on what to do about it."""
    if fault.position is not None:
        code = ord(text[fault.position]) if fault.position < len(text) else 0
        place = place_in(text[: fault.position], file)
        return place, f"the control character U+{code:04X} stands here: take it out"
    if _follows_a_quote(fault.problem, text):
        return Place(file, *fault.problem), (
            "text goes on after the closing quote: quote all of it, and double a quote inside (`'it''s'`)"
        )
    for pattern, where, message in _FAULTS:
        if re.search(pattern, fault.said):
            mark = fault.context if where == "context" and fault.context else fault.problem
            return Place(file, *mark), message
    return Place(file, *fault.problem), f"this is not YAML: {' '.join(fault.said.split()) or 'it cannot be read'}"


def _follows_a_quote(mark: Mark, text: str) -> bool:
    number, column = mark
    lines = text.split("\n")
    line = lines[number - 1] if number <= len(lines) else ""
    before = line[: column - 1].rstrip()
    return before.endswith(("'", '"')) and bool(line[column - 1 :].strip(" ,]}:#"))
