"""The three wire formats of the loopback model server: how a request is read and how a reply is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.model_server_types import Answer, Call, Heard, HeardMessage, Status, Wire

Body = dict[str, Any]


def read(wire: Wire, path: str, headers: Mapping[str, str], raw: bytes) -> Heard:
    """The request, in words that fit every provider."""
    body = json.loads(raw)
    if not isinstance(body, dict):
        raise TypeError("a request is a JSON object")
    return {"openai": _read_openai, "anthropic": _read_anthropic, "google": _read_google}[wire](
        path, headers, raw, body
    )


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))


def _asks_for_an_answer(schema: Any) -> bool:
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return {"answer", "quote"} <= set(properties) or {"criteria", "summary"} <= set(properties)


def _answer_tool(tools: Mapping[str, Any]) -> tuple[Body | None, str | None]:
    for name, schema in tools.items():
        if _asks_for_an_answer(schema):
            return schema, name
    return None, None


def _read_openai(path: str, headers: Mapping[str, str], raw: bytes, body: Body) -> Heard:
    messages: list[HeardMessage] = []
    system: list[str] = []
    for message in body.get("messages", []):
        role = message["role"]
        text = _text(message.get("content"))
        if role in ("system", "developer"):
            system.append(text)
        elif role == "tool":
            messages.append(HeardMessage("tool", text, call_id=message.get("tool_call_id")))
        elif role == "assistant":
            calls = tuple(
                Call(call["function"]["name"], call["function"]["arguments"], call["id"])
                for call in message.get("tool_calls") or ()
            )
            messages.append(HeardMessage("model", text, calls))
        else:
            messages.append(HeardMessage("user", text))
    tools = {tool["function"]["name"]: tool["function"].get("parameters", {}) for tool in body.get("tools") or ()}
    schema, name = _answer_tool(tools)
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        schema, name = wanted["json_schema"]["schema"], None
    return Heard(
        "openai", path, headers, raw, body, str(body.get("model", "")), "\n\n".join(system), tuple(messages),
        tuple(tools), schema, name,
    )  # fmt: skip


def _read_anthropic(path: str, headers: Mapping[str, str], raw: bytes, body: Body) -> Heard:
    messages: list[HeardMessage] = []
    for message in body.get("messages", []):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "assistant":
            calls = tuple(
                Call(block["name"], block["input"], block["id"]) for block in blocks if block["type"] == "tool_use"
            )
            words = "\n".join(block["text"] for block in blocks if block["type"] == "text")
            messages.append(HeardMessage("model", words, calls))
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                messages.append(HeardMessage("tool", _text(block.get("content")), call_id=block["tool_use_id"]))
            elif block["type"] == "text":
                messages.append(HeardMessage("user", block["text"]))
    tools = {tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools") or ()}
    schema, name = _answer_tool(tools)
    wanted = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    if wanted.get("type") == "json_schema":
        schema, name = wanted["schema"], None
    return Heard(
        "anthropic", path, headers, raw, body, str(body.get("model", "")), _text(body.get("system")), tuple(messages),
        tuple(tools), schema, name,
    )  # fmt: skip


def _read_google(path: str, headers: Mapping[str, str], raw: bytes, body: Body) -> Heard:
    messages: list[HeardMessage] = []
    for content in body.get("contents", []):
        parts = content.get("parts", [])
        if content.get("role") == "model":
            calls = tuple(
                Call(part["functionCall"]["name"], part["functionCall"].get("args", {}), part["functionCall"].get("id"))
                for part in parts
                if "functionCall" in part
            )
            words = "\n".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
            messages.append(HeardMessage("model", words, calls))
            continue
        for part in parts:
            if "functionResponse" in part:
                answered = part["functionResponse"]
                words = json.dumps(answered.get("response"), ensure_ascii=False)
                messages.append(HeardMessage("tool", words, call_id=answered.get("id"), name=answered["name"]))
            elif "text" in part:
                messages.append(HeardMessage("user", part["text"]))
    offers = [offer for tool in body.get("tools") or () for offer in tool.get("functionDeclarations") or ()]
    tools = {offer["name"]: _google_parameters(offer) for offer in offers}
    schema, name = _answer_tool(tools)
    config = body.get("generationConfig") or {}
    wanted = config.get("responseJsonSchema") or config.get("responseSchema")
    if wanted:
        schema, name = wanted, None
    model = path.rpartition("/models/")[2].partition(":")[0]
    return Heard(
        "google", path, headers, raw, body, model, _text((body.get("systemInstruction") or {}).get("parts")),
        tuple(messages), tuple(tools), schema, name,
    )  # fmt: skip


def _google_parameters(offer: Body) -> Any:
    # The official SDK writes the first name, the REST reference the second; `parameters` is the older form.
    names = ("parameters_json_schema", "parametersJsonSchema", "parameters")
    return next((offer[name] for name in names if name in offer), {})


def write(heard: Heard, answer: Answer, number: int) -> Body:
    """The reply's body. `number` counts the server's requests and makes ids that differ."""
    return {"openai": _write_openai, "anthropic": _write_anthropic, "google": _write_google}[heard.wire](
        heard, answer, number
    )


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)


def _write_openai(heard: Heard, answer: Answer, number: int) -> Body:
    message: Body = {"role": "assistant", "content": answer.text, "refusal": answer.refusal}
    if answer.thinking is not None:
        message["reasoning_content"] = answer.thinking
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": _arguments(call)},
            }
            for index, call in enumerate(answer.calls)
        ]
    finish = {"stop": "tool_calls" if answer.calls else "stop", "length": "length", "refused": "content_filter"}
    body: Body = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": heard.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish[answer.finish], "logprobs": None}],
    }
    if answer.usage is not None:
        usage = answer.usage
        body["usage"] = {
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached},
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
        }
    return body


def _write_anthropic(heard: Heard, answer: Answer, number: int) -> Body:
    blocks: list[Body] = []
    if answer.thinking is not None:
        blocks.append({"type": "thinking", "thinking": answer.thinking, "signature": answer.signature or "sig"})
    if answer.text is not None:
        blocks.append({"type": "text", "text": answer.text})
    for index, call in enumerate(answer.calls):
        blocks.append(
            {
                "type": "tool_use",
                "id": call.id or f"toolu_{number}_{index}",
                "name": call.name,
                "input": call.arguments,
            }
        )
    stop = {"stop": "tool_use" if answer.calls else "end_turn", "length": "max_tokens", "refused": "refusal"}
    usage = answer.usage
    reported = {"input_tokens": 0, "output_tokens": 0}
    if usage is not None:
        reported = {
            "input_tokens": usage.input - usage.cached,
            "output_tokens": usage.output,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": 0,
        }
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": heard.model,
        "content": blocks,
        "stop_reason": stop[answer.finish],
        "stop_sequence": None,
        "usage": reported,
    }


def _write_google(heard: Heard, answer: Answer, number: int) -> Body:
    parts: list[Body] = []
    if answer.thinking is not None:
        parts.append({"text": answer.thinking, "thought": True})
    if answer.text is not None:
        parts.append({"text": answer.text})
    for index, call in enumerate(answer.calls):
        part: Body = {"functionCall": {"name": call.name, "args": call.arguments}}
        if call.id:
            part["functionCall"]["id"] = call.id
        if answer.signature and index == 0:
            part["thoughtSignature"] = answer.signature
        parts.append(part)
    candidate: Body = {
        "index": 0,
        "finishReason": {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}[answer.finish],
    }
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    body: Body = {"candidates": [candidate], "modelVersion": heard.model, "responseId": f"response-{number}"}
    if answer.usage is not None:
        usage = answer.usage
        body["usageMetadata"] = {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output - usage.reasoning,
            "totalTokenCount": usage.input + usage.output,
            "cachedContentTokenCount": usage.cached,
            "thoughtsTokenCount": usage.reasoning,
        }
    return body


def write_empty(wire: Wire) -> Body:
    """A reply without a choice."""
    return {
        "openai": {"id": "empty", "object": "chat.completion", "created": 1, "model": "m", "choices": []},
        "anthropic": {
            "id": "empty", "type": "message", "role": "assistant", "model": "m", "content": [],
            "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 0},
        },
        "google": {"candidates": [], "usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 1}},
    }[wire]  # fmt: skip


_ANTHROPIC_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
}  # fmt: skip
_GOOGLE_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
_OPENAI_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


def write_error(wire: Wire, status: Status) -> Body:
    """An error's body in the provider's own shape."""
    if wire == "openai":
        kind = "server_error" if status.code >= 500 else "invalid_request_error"
        code = _OPENAI_CODES.get(status.code)
        return {"error": {"message": status.message, "type": kind, "param": None, "code": code}}
    if wire == "anthropic":
        kind = _ANTHROPIC_TYPES.get(status.code, "api_error")
        return {"type": "error", "error": {"type": kind, "message": status.message}, "request_id": "req_1"}
    reason = _GOOGLE_STATUSES.get(status.code, "UNKNOWN")
    return {"error": {"code": status.code, "message": status.message, "status": reason}}
