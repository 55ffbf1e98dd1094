"""Drafted tests, as a person reads them to pick from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from greenroom.model.case import Test
from greenroom.report.console import Signs
from greenroom.report.describe import KINDS, describe_check
from greenroom.report.printable import compact_json, printable
from greenroom.report.talk import CALLER, QUIET

_BOLD = Style(bold=True)
_JSON_LIMIT = 200


def show_drafts(tests: Sequence[Test], signs: Signs) -> Iterator[RenderableType]:
    """Each test under its number: who calls, what is prepared, what must hold."""
    for number, test in enumerate(tests, start=1):
        title = Text(f"\n{number:>3}  ").append(printable(test.name), style=_BOLD)
        title.append(f"  {KINDS[test.caller.kind]}", style=QUIET)
        yield title
        yield Padding(Group(*_parts(test, signs)), (0, 0, 0, 5))


def _parts(test: Test, signs: Signs) -> Iterator[RenderableType]:
    caller = test.caller
    if caller.persona is not None:
        yield Text(printable(caller.persona))
    if caller.opening_line is not None:
        yield Text(f"“{printable(caller.opening_line)}”", style=CALLER)
    for message in caller.messages or ():
        yield Text(f"“{printable(message.text)}”", style=CALLER)
    for line in caller.history or ():
        yield Text(f"{line.role}: {printable(line.text)}", style=CALLER if line.role == "caller" else QUIET)
    if caller.facts:
        yield Text(f"knows {compact_json(caller.facts, _JSON_LIMIT)}", style=QUIET)
    for tool, result in test.tool_results.items():
        yield Text(f"{printable(tool)} answers {compact_json(result, _JSON_LIMIT)}", style=QUIET)
    for check in test.checks:
        words = Text(f"{signs.dot} {describe_check(check)}")
        yield words if check.required else words.append(" (not required)", style=QUIET)
