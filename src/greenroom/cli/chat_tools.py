"""The agent's tools, as a person who talks to it wants to know them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.style import Style
from rich.text import Text

from greenroom.model.case import Test
from greenroom.play.offers import OfferedTool, ToolKind
from greenroom.report.figures import plural
from greenroom.report.printable import compact_json, printable_line
from greenroom.report.talk import QUIET, TOOL

_REAL = {
    ToolKind.ACTION: "really called, by the webhook",
    ToolKind.HTTP: "really called",
    ToolKind.MCP: "really called",
}
_RESULT_LIMIT = 80


def describe_tools(tools: Iterable[OfferedTool], test: Test) -> Iterator[Text]:
    """A line for each tool: its name, what it is for, and how its calls are answered."""
    none = True
    for tool in tools:
        none = False
        words = Text("  ").append(printable_line(tool.offer.name), style=TOOL + Style(bold=True))
        parameters = tool.offer.parameters.get("properties")
        if isinstance(parameters, dict) and parameters:
            words.append(f"({', '.join(printable_line(name) for name in parameters)})", style=TOOL)
        if tool.offer.description:
            words.append(f"  {printable_line(tool.offer.description)}")
        yield words.append(f"  [{_answered(tool, test)}]", style=QUIET)
    if none:
        yield Text("  The agent has no tools.", style=QUIET)


def _answered(tool: OfferedTool, test: Test) -> str:
    if tool.kind not in _REAL:
        return "answered by Greenroom" if test.tool_mode != "plan" else "answered by Greenroom, or only planned"
    if test.tool_mode == "plan":
        return "only planned"
    if test.tool_mode == "real":
        return _REAL[tool.kind]
    mocks = sum(mock.tool == tool.offer.name for mock in test.tool_mocks)
    result = test.tool_results.get(tool.offer.name, {"ok": True})
    words = compact_json(result, _RESULT_LIMIT)
    return f"canned: {plural(mocks, 'mock')}, else {words}" if mocks else f"canned: {words}"
