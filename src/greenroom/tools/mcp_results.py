"""What the model is told of an MCP tool's result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from greenroom.model.base import Json
from greenroom.outgoing.json_text import read_json
from greenroom.play.ports import ToolAnswer
from greenroom.tools.answers import failed

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock


def answer_of(result: CallToolResult, max_bytes: int) -> ToolAnswer:
    """The structured content if there is any, else the text, else a description of what is not text."""
    content = "\n".join(_described(block) for block in result.content)
    if result.is_error:
        return failed("tool_error", content[:max_bytes] or "The tool failed and did not say why.")
    told = content if result.structured_content is None else result.structured_content
    try:
        text = json.dumps(told, ensure_ascii=False)
        answer: Json = read_json(text)
    except (TypeError, ValueError, RecursionError):
        return failed("bad_body", "The tool's answer is not valid JSON.")
    if len(text.encode("utf-8", errors="replace")) > max_bytes:
        return failed("too_large", f"The tool's answer is larger than {max_bytes} bytes.")
    return ToolAnswer(answer)


def _described(block: ContentBlock) -> str:
    from mcp_types import TextResourceContents

    if block.type == "text":
        return block.text
    if block.type == "resource_link":
        return f"[a link to {block.title or block.name}: {block.uri}]"
    if block.type == "resource":
        if isinstance(block.resource, TextResourceContents):
            return block.resource.text
        return f"[a file, {block.resource.mime_type or 'of unknown type'}: {block.resource.uri}]"
    kind = "an image" if block.type == "image" else "a sound"
    return f"[{kind}, {block.mime_type}, about {max(1, len(block.data) * 3 // 4096)} KiB]"
