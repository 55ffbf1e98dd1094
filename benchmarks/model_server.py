"""A model on loopback that costs next to nothing: OpenAI chat completions over HTTP/1.1, after a set latency.

    python -m benchmarks.model_server --latency-ms 200

Prints its port, then serves until its standard input closes. `GET /requests` tells how many completions were asked
for since it was last asked. No line of a talk is like the one before it, since real models do not repeat themselves.

Tools for comparison ask for a caller's line or a judge's word in ways of their own: by a tool that must be called, by
JSON that only the prompt asks for, or (promptfoo) by a task of its own service. All of them are answered.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
from typing import Any

CALLER_LINES = (
    "Hi, I have a visit on Saturday at four, and I would much rather come on Monday morning.",
    "Ten is a little late for me, to be honest. Do you have anything earlier than that?",
    "Nine thirty sounds fine. Is it the same dentist that I saw the last time?",
    "Good, I liked her. And how long is it going to take, roughly? I have to be at work by eleven.",
    "All right, that works. Do I need to bring anything with me, my card or some papers?",
    "I think I have that somewhere at home. Then let us do it that way, please.",
)
AGENT_LINES = (
    "I can move that for you. On Monday I have ten o'clock with Doctor Silva. Would that suit you?",
    "There is also nine thirty on Monday, which is the first visit of the day. Shall I take that one?",
    "Yes, on Monday it is Doctor Silva again, as on your last visit in the spring.",
    "We plan forty minutes for it on Monday, so you will be out of the door a little after ten.",
    "Only your insurance card, please, and the name of any medicine that you take since Monday last.",
    "Done. Your visit is on Monday at nine thirty, and the one on Saturday is cancelled.",
)
QUOTE = "Monday"
VERDICT = {"pass": True, "score": 9, "reason": QUOTE}


def invent(schema: dict[str, Any], root: dict[str, Any]) -> object:
    """The friendliest answer that fits a JSON Schema, as far as judges' schemas go."""
    if "$ref" in schema:
        return invent(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return invent(schema["anyOf"][0], root)
    match schema.get("type"):
        case "object":
            return {name: invent(part, root) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [invent(schema["items"], root) for _ in range(schema.get("minItems", 0))]
        case "boolean":
            return True
        case "integer" | "number":
            return 90
        case _:
            return QUOTE


def _line(lines: tuple[str, ...], heard: list[Any]) -> str:
    """The line whose turn it is."""
    return lines[len(heard) // 2 % len(lines)]


def _reply(asked: dict[str, Any]) -> dict[str, Any]:
    """The message that answers a request for a chat completion."""
    if isinstance(asked.get("tool_choice"), dict):
        tool = asked["tools"][0]["function"]
        arguments = json.dumps(invent(tool["parameters"], tool["parameters"]))
        call = {"id": "call-1", "type": "function", "function": {"name": tool["name"], "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    shape = asked.get("response_format", {}).get("json_schema", {}).get("schema")
    if shape is not None:
        words = json.dumps(invent(shape, shape))
    elif asked["model"] == "judge":
        words = json.dumps(VERDICT)
    elif asked["model"] == "caller":
        words = _line(CALLER_LINES, asked["messages"])
        if "simulated_input" in asked["messages"][-1]["content"]:
            words = json.dumps({"simulated_input": words})
    else:
        words = _line(AGENT_LINES, asked["messages"])
    return {"role": "assistant", "content": words}


class Model:
    """What the server says, and how often it was asked."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.requests = 0
        self._numbers = itertools.count(1000)

    def answer(self, path: bytes, body: bytes) -> bytes:
        """One chat completion, or one line of promptfoo's own simulated user."""
        self.requests += 1
        asked = json.loads(body)
        if path.endswith(b"/task"):
            return json.dumps({"result": _line(CALLER_LINES, asked["history"]), "tokenUsage": {}}).encode()
        said = _reply(asked)
        number = next(self._numbers)
        answer = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": asked["model"],
            "choices": [
                {"index": 0, "message": said, "finish_reason": "tool_calls" if "tool_calls" in said else "stop"}
            ],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 24, "total_tokens": len(body) // 4 + 24},
        }
        return json.dumps(answer).encode()

    def take_count(self) -> bytes:
        """The number of completions since the last time, as JSON."""
        count, self.requests = self.requests, 0
        return json.dumps(count).encode()


class Connection(asyncio.Protocol):
    """One keep-alive connection, one request at a time."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, blank, rest = self._received.partition(b"\r\n\r\n")
        if not blank:
            return
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if len(rest) < length:
            return
        self._received = rest[length:]
        path = head.split(b" ", 2)[1]
        if head.startswith(b"GET "):
            self._send(self._model.take_count() if path == b"/requests" else b"{}")
        elif self._model.latency:
            body = self._model.answer(path, rest[:length])
            asyncio.get_running_loop().call_later(self._model.latency, self._send, body)
        else:
            self._send(self._model.answer(path, rest[:length]))

    def _send(self, body: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


async def serve(latency: float) -> None:
    """Serve on a free port of loopback until standard input closes."""
    model = Model(latency)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(model), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--latency-ms", type=float, default=0)
    asyncio.run(serve(arguments.parse_args().latency_ms / 1000))
